import { existsSync } from "node:fs"
import type { Environment } from "../platform/workspace/folders.js"
import { loadPostgres, postgresPackage } from "./postgres.js"
import { addressOf, isPostgres } from "./postgres-address.js"
import { schemaVersionIn } from "./sqlite/database.js"
import { MIGRATIONS as SQLITE_MIGRATIONS } from "./sqlite/schema.js"

/** Which schema a store has. */
export interface SchemaState {
  readonly kind: "sqlite" | "postgres"
  /** Where it is, to be shown. */
  readonly path: string
  /** 0 if the store does not exist. */
  readonly version: number
  /** The version that this program brings a store to. */
  readonly known: number
}

/** Looks which schema a store has, and changes nothing: opening a store brings it up to date. */
export async function schemaState(place: string, env: Environment = process.env): Promise<SchemaState> {
  if (!isPostgres(place)) {
    const version = existsSync(place) ? schemaVersionIn(place) : 0
    return { kind: "sqlite", path: place, version, known: SQLITE_MIGRATIONS.length }
  }
  const address = addressOf(place, env)
  await loadPostgres()
  const { SCHEMA_VERSION, schemaVersionAt } = postgresPackage()
  return {
    kind: "postgres",
    path: address.shown,
    version: await schemaVersionAt(address),
    known: SCHEMA_VERSION,
  }
}

/** Lists the statements that give a role of PostgreSQL all rights which a worker needs; undefined for a file. */
export async function workerGrants(
  place: string,
  role: string,
  env: Environment = process.env,
): Promise<readonly string[] | undefined> {
  if (!isPostgres(place)) return undefined
  await loadPostgres()
  return postgresPackage().grantsFor(addressOf(place, env), role)
}
