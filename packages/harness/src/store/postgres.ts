import { optionalPackage } from "../execution/programs/optional-package.js"
import type { Environment } from "../platform/workspace/folders.js"
import type { Store } from "./contract.js"
import { StoreError } from "./error.js"
import { storePlace } from "./place.js"
import { type Address, isPostgres } from "./postgres-address.js"

/** How a store in PostgreSQL is opened. */
export interface PostgresOptions {
  /** The folder for archives and for what was damaged. */
  readonly folder: string
  /** The name of this worker, for others to see. */
  readonly worker?: string
  /** True if the store is opened although the database cannot be reached, and goes on once it can. */
  readonly waits?: boolean
  /** Is told, in a sentence, that the database cannot be reached, and that it can be again. */
  readonly report?: (line: string) => void
  /** True only in tests that show what fencing is for. */
  readonly noFencing?: boolean
}

/** What the package `@sotto/postgres` exports. */
export interface PostgresPackage {
  /** The version of the schema that it brings a store to. */
  readonly SCHEMA_VERSION: number
  /** Opens the store at an address, or makes it. */
  openPostgres(address: Address, options: PostgresOptions): Promise<Store>
  /** Says which version the schema at an address has, and changes nothing. 0 if the schema does not exist. */
  schemaVersionAt(address: Address): Promise<number>
  /** Lists the statements that give a role the rights of a worker. */
  grantsFor(address: Address, role: string): readonly string[]
}

const PACKAGE = "@sotto/postgres"

let loading: Promise<void> | undefined
let loaded: PostgresPackage | undefined

/**
 * Loads what the store of an environment needs before `openStore` can open it: the client for PostgreSQL, if that is
 * where sessions are and if it is installed. Whether it is, `openStore` says.
 */
export async function prepareStore(env: Environment): Promise<void> {
  if (hasDatabase(env)) await loadPostgres()
}

/** True if the store of an environment is a database. */
export function hasDatabase(env: Environment): boolean {
  return isPostgres(placeOf(env))
}

/** Finds where the store is. Ignores a place that cannot be read: the code that opens it tells of that. */
function placeOf(env: Environment): string {
  try {
    return storePlace(env)
  } catch {
    return ""
  }
}

/** Loads the client for PostgreSQL, if it is installed. */
export function loadPostgres(): Promise<void> {
  loading ??= optionalPackage<PostgresPackage>(PACKAGE).then((found) => {
    loaded = found
  })
  return loading
}

/** Gives the client for PostgreSQL. Throws if it is not installed, or if it was not loaded before. */
export function postgresPackage(): PostgresPackage {
  if (loaded !== undefined) return loaded
  const what = "Sessions in PostgreSQL need the package @sotto/postgres"
  throw loading === undefined
    ? new StoreError("unavailable", `${what} to be loaded.`, "Await prepareStore() before opening the store.")
    : new StoreError(
        "unavailable",
        `${what}, which is not installed.`,
        `Run \`npm install -g ${PACKAGE}\`, or keep the sessions in a file.`,
      )
}
