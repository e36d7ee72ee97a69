import { type Address, StoreError } from "@sotto/harness/store"
import { Connection, codeOf, type Statements } from "./connection.js"
import { MIGRATIONS } from "./schema.js"

/** "Sotto" in ASCII, cut to a number: the first number of the advisory locks of a store. */
export const LOCK = 0x536f7474

/**
 * Brings the schema to the version that this program knows, or makes it. One that a newer program has changed is used as
 * it is, unless it says that programs like this one cannot.
 */
export async function migrate(connection: Connection, { schema, shown }: Address): Promise<number> {
  try {
    const found = await versionIn(connection, schema)
    checkReader(found, shown)
    if (found.version >= MIGRATIONS.length) return found.version
    return await connection.transaction(async (statements) => {
      // Another process may have done it meanwhile: one at a time, and each looks again.
      await statements.rows("SELECT pg_advisory_xact_lock($1, hashtext($2))", [LOCK, schema])
      const now = await versionIn(statements, schema)
      checkReader(now, shown)
      if (now.version === 0) await make(statements, schema)
      for (const [i, { minReader, sql }] of MIGRATIONS.entries()) {
        if (i < now.version) continue
        for (const statement of statementsIn(sql(quoted(schema)))) await statements.rows(statement)
        await statements.rows(
          `INSERT INTO ${quoted(schema)}.migrations (version, min_reader) VALUES ($1, $2)`,
          [...[i + 1, minReader]],
        )
      }
      return Math.max(now.version, MIGRATIONS.length)
    })
  } catch (error) {
    if (codeOf(error) !== "42501") throw error
    throw new StoreError(
      "unavailable",
      `The store ${shown} cannot be made or brought up to date: this user may not change the schema "${schema}".`,
      `Run \`sotto store migrate\` once with the address of a user who may, or let an administrator run: CREATE SCHEMA IF NOT EXISTS ${quoted(schema)} AUTHORIZATION CURRENT_USER_OF_SOTTO; (with the name of Sotto's user).`,
    )
  }
}

/** Reads the version of the schema, which stays as it is; 0 if the schema does not exist. */
export async function schemaVersionAt(address: Address): Promise<number> {
  const connection = new Connection(address)
  try {
    return (await connection.again(() => versionIn(connection, address.schema))).version
  } finally {
    await connection.close()
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

interface Version {
  readonly version: number
  readonly minReader: number
}

async function versionIn(statements: Statements, schema: string): Promise<Version> {
  // Not `to_regclass`: it may answer from what this connection remembers, and another process may just have made it.
  const [there] = await statements.rows(
    "SELECT 1 AS one FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations'",
    [schema],
  )
  if (there === undefined) return { version: 0, minReader: 0 }
  const [row] = await statements.rows(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(min_reader), 0) AS min_reader FROM ${quoted(schema)}.migrations`,
  )
  return { version: Number(row?.version), minReader: Number(row?.min_reader) }
}

function checkReader({ version, minReader }: Version, shown: string): void {
  if (minReader <= MIGRATIONS.length) return
  throw new StoreError(
    "newer",
    `The store ${shown} was changed by a newer Sotto (version ${version}; this one knows ${MIGRATIONS.length}, and ${minReader} is needed).`,
    "Use a newer Sotto. Nothing was changed.",
  )
}

async function make(statements: Statements, schema: string): Promise<void> {
  const [there] = await statements.rows("SELECT 1 AS one FROM pg_namespace WHERE nspname = $1", [schema])
  // Who may use a schema that is there need not be allowed to make one.
  if (there === undefined) await statements.rows(`CREATE SCHEMA ${quoted(schema)}`)
  await statements.rows(
    `CREATE TABLE ${quoted(schema)}.migrations (
       version    integer PRIMARY KEY,
       min_reader integer NOT NULL,
       at         timestamptz NOT NULL DEFAULT clock_timestamp()
     )`,
  )
}

function statementsIn(sql: string): readonly string[] {
  return sql
    .replace(/^\s*--.*$/gm, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")
}
