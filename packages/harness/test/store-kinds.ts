import { randomUUID } from "node:crypto"
import { join } from "node:path"
import Sqlite from "libsql"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { loadPostgres } from "../src/store/postgres.js"
import { addressOf } from "../src/store/postgres-address.js"
import { openStore, type Store, type StoreOptions } from "../src/store/store.js"
import { type PostgresServer, startPostgres } from "./postgres-server.js"
import { temporary } from "./store-support.js"

/** One of the two implementations of the store. */
export interface StoreKind {
  readonly name: "SQLite" | "PostgreSQL"
  /** Where a new store can be: a file, or a schema of its own. */
  place(): string
  /** Changes the stored body of an entry behind the store's back, or removes it. */
  tamper(place: string, id: string, seq: number, change: (body: string) => string | undefined): Promise<void>
}

/** Milliseconds: a busy machine may take its time to make a database. */
const LONGEST_START = 120_000

/** A PostgreSQL for the tests of one file. */
export function usePostgres(): () => PostgresServer {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    await loadPostgres()
    server = await startPostgres()
  }, LONGEST_START)
  afterAll(async () => await server?.close(), LONGEST_START)
  return () => {
    if (server === undefined) throw new Error("PostgreSQL is started before the first test.")
    return server
  }
}

/** An address with a schema of its own. */
export function newAddress(server: PostgresServer, options = ""): string {
  return `${server.address(`t_${randomUUID().replaceAll("-", "")}`)}${options}`
}

/** What the client for PostgreSQL is given of an address. */
export function readAddress(place: string) {
  return addressOf(place, {})
}

/** Both kinds of store, for `describe.each`. */
export function storeKinds(options = ""): readonly StoreKind[] {
  const server = usePostgres()
  return [
    {
      name: "SQLite",
      place: () => join(temporary(), "deep", "sotto.db"),
      async tamper(place, id, seq, change) {
        const sqlite = new Sqlite(place)
        const where = "WHERE seq = ? AND session = (SELECT key FROM sessions WHERE id = ?)"
        const [row] = sqlite.prepare(`SELECT body FROM entries ${where}`).all(seq, id) as { body: string }[]
        const body = change(row?.body ?? "")
        if (body === undefined) sqlite.prepare(`DELETE FROM entries ${where}`).run(seq, id)
        else sqlite.prepare(`UPDATE entries SET body = ? ${where}`).run(body, seq, id)
        sqlite.close()
      },
    },
    {
      name: "PostgreSQL",
      place: () => newAddress(server(), options),
      async tamper(place, id, seq, change) {
        const schema = schemaOf(place)
        const where = `WHERE seq = $1 AND session = (SELECT key FROM ${schema}.sessions WHERE id = $2)`
        const [row] = await server().query(`SELECT body FROM ${schema}.entries ${where}`, [seq, id])
        const body = change(String(row?.body))
        if (body === undefined) await server().query(`DELETE FROM ${schema}.entries ${where}`, [seq, id])
        else await server().query(`UPDATE ${schema}.entries SET body = $3 ${where}`, [seq, id, body])
      },
    },
  ]
}

export function schemaOf(address: string): string {
  return new URL(address).searchParams.get("schema") ?? "sotto"
}

/** A store that is closed when the test is through. What it saves beside itself goes to a folder of the test. */
export async function storeAt(place: string, options: StoreOptions = {}): Promise<Store> {
  let store: Store | undefined
  onTestFinished(() => store?.close())
  store = await openStore(place, { env: { ...process.env, SOTTO_HOME: temporary() }, ...options })
  return store
}
