import { existsSync } from "node:fs"
import type { Environment } from "../workspace/folders.js"
import { addressOf, isPostgres } from "./postgres/address.js"
import { MIGRATIONS as POSTGRES_MIGRATIONS } from "./postgres/schema.js"
import { schemaVersionIn } from "./sqlite/database.js"
import { MIGRATIONS as SQLITE_MIGRATIONS } from "./sqlite/schema.js"

/** Which schema a store has. */
export interface SchemaState {
  readonly kind: "sqlite" | "postgres"
  /** Where it is, to be shown. */
  readonly path: string
  /** 0 if there is no store. */
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
  // The client for PostgreSQL is loaded only by those who use it.
  const { schemaVersionAt } = await import("./postgres/migrate.js")
  const version = await schemaVersionAt(address)
  return { kind: "postgres", path: address.shown, version, known: POSTGRES_MIGRATIONS.length }
}
