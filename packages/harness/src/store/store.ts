import { existsSync } from "node:fs"
import type { Awaitable } from "../platform/awaitable.js"
import { dataFolder, type Environment } from "../platform/workspace/folders.js"
import type { Store } from "./contract.js"
import { postgresPackage } from "./postgres.js"
import { addressOf, isPostgres } from "./postgres-address.js"
import { Database } from "./sqlite/database.js"
import { SqliteStore } from "./sqlite/sqlite-store.js"

export type { Lease, NewSession, Store, StoreState, WaitingSession } from "./contract.js"

/** True if other machines may have the store open too. */
export function isShared({ path }: Pick<Store, "path">): boolean {
  return isPostgres(path)
}

/** How a store is opened. */
export interface StoreOptions {
  /** The name of this worker, for others who look at who has a session open. */
  readonly worker?: string
  /** True if a database that cannot be reached is waited for: what asks for it fails until then. */
  readonly waits?: boolean
  /** Is told, in a sentence, that the database cannot be reached, and that it can be again. */
  readonly report?: (line: string) => void
  readonly env?: Environment
}

/**
 * Opens the store or makes it: a file of SQLite, or `postgres://…`. One that is damaged, foreign or newer is refused, and
 * left as it is. The client for PostgreSQL has to be loaded before: see `prepareStore`.
 */
export function openStore(
  place: string,
  { env = process.env, ...options }: StoreOptions = {},
): Awaitable<Store> {
  if (!isPostgres(place)) return openFile(place)
  return postgresPackage().openPostgres(addressOf(place, env), {
    folder: dataFolder(env),
    ...options,
    // A switch for tests only: the checker of a fleet must find what goes wrong without fencing.
    noFencing: env.SOTTO_TEST_NO_FENCING === "1",
  })
}

/** Opens a store that is a file of SQLite, or makes it. */
export function openFile(path: string): SqliteStore {
  return new SqliteStore(new Database(path))
}

/** Opens a store that is there. A file is not made just to find out that it has no sessions. */
export function openExistingStore(place: string): Awaitable<Store | undefined> {
  return isPostgres(place) || existsSync(place) ? openStore(place) : undefined
}
