/**
 * Sessions in PostgreSQL, for many machines. The harness loads this package when `--store`, `SOTTO_STORE` or `store` in
 * `sotto.json` is an address of PostgreSQL: it needs only to be installed beside `sotto` or `@sotto/harness`.
 */
import type { Address, PostgresOptions, Store } from "@sotto/harness/store"
import { PostgresStore } from "./postgres-store.js"
import { MIGRATIONS } from "./schema.js"
import { secured } from "./tls.js"

export { grantsFor, schemaVersionAt } from "./migrate.js"

/** The version of the schema that this package brings a store to. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Opens the store at an address, or makes it. Rejects with a StoreError if the database cannot be reached. */
export async function openPostgres(address: Address, options: PostgresOptions): Promise<Store> {
  // A mistake in the options for TLS shows here, and not when the database is first asked.
  secured(address.connection)
  return await PostgresStore.open(address, options)
}
