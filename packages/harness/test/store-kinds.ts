import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { openStore, type Store, type StoreOptions } from "../src/store/store.js"
import { type PostgresServer, startPostgres } from "./postgres-server.js"
import { temporary } from "./store-support.js"

/** One of the two implementations of the store. */
export interface StoreKind {
  readonly name: "SQLite" | "PostgreSQL"
  /** Where a new store can be: a file, or a schema of its own. */
  place(): string
}

/** A PostgreSQL for the tests of one file. */
export function usePostgres(): () => PostgresServer {
  let server: PostgresServer | undefined
  // On a machine that is busy it takes its time.
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterAll(async () => await server?.close())
  return () => {
    if (server === undefined) throw new Error("PostgreSQL is started before the first test.")
    return server
  }
}

/** An address with a schema of its own. */
export function newAddress(server: PostgresServer, options = ""): string {
  return `${server.address(`t_${randomUUID().replaceAll("-", "")}`)}${options}`
}

/** Both kinds of store, for `describe.each`. */
export function storeKinds(options = ""): readonly StoreKind[] {
  const server = usePostgres()
  return [
    { name: "SQLite", place: () => join(temporary(), "deep", "sotto.db") },
    { name: "PostgreSQL", place: () => newAddress(server(), options) },
  ]
}

/** A store that is closed when the test is through. */
export function storeAt(place: string, options?: StoreOptions): Store {
  const store = openStore(place, options)
  onTestFinished(() => store.close())
  return store
}
