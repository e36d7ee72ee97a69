import { type Address, StoreError } from "@sotto/harness/store"
import { Connection, codeOf, type Statements } from "./connection.js"
import { MIGRATIONS, type Migration, RIGHTS } from "./schema.js"

/** "Sotto" in ASCII, cut to a number: the first number of the advisory locks of a store. */
export const LOCK = 0x536f7474

/**
 * How long a migration waits for a table. Every statement of every worker waits behind it meanwhile: were it longer, a
 * report that reads for minutes would cost all workers their leases.
 */
const LOCK_TIMEOUT = "1s"
const ATTEMPTS = 10

/**
 * Brings the schema to the version that this program knows, or makes it. One that a newer program has changed is used as
 * it is, unless it says that programs like this one cannot.
 */
export async function migrate(
  connection: Connection,
  address: Address,
  migrations = MIGRATIONS,
): Promise<number> {
  const { schema, shown } = address
  try {
    const found = await versionIn(connection, schema)
    checkReader(found, shown, migrations.length)
    if (found.version >= migrations.length) return found.version
    for (let attempt = 1; ; attempt++)
      try {
        return await connection.transaction((statements) => advance(statements, address, migrations))
      } catch (error) {
        if (codeOf(error) !== "55P03") throw error
        if (attempt === ATTEMPTS) throw busy(address)
      }
  } catch (error) {
    if (codeOf(error) !== "42501") throw error
    throw new StoreError(
      "unavailable",
      `The store ${shown} cannot be made or brought up to date: this user may not change the schema "${schema}".`,
      `Run \`sotto store migrate\` once with the address of a user who may, or let an administrator run: CREATE SCHEMA IF NOT EXISTS ${quoted(schema)} AUTHORIZATION CURRENT_USER_OF_SOTTO; (with the name of Sotto's user).`,
    )
  }
}

/** Takes the steps that are missing, inside a transaction. */
async function advance(
  statements: Statements,
  { schema, shown }: Address,
  migrations: readonly Migration[],
): Promise<number> {
  await statements.rows(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
  // Another process may have done it meanwhile: one at a time, and each looks again.
  await statements.rows("SELECT pg_advisory_xact_lock($1, hashtext($2))", [LOCK, schema])
  const now = await versionIn(statements, schema)
  checkReader(now, shown, migrations.length)
  if (now.version === 0) await make(statements, schema)
  for (const [i, { minReader, sql }] of migrations.entries()) {
    if (i < now.version) continue
    for (const statement of statementsIn(sql(quoted(schema)))) await statements.rows(statement)
    await statements.rows(`INSERT INTO ${quoted(schema)}.migrations (version, min_reader) VALUES ($1, $2)`, [
      ...[i + 1, minReader],
    ])
  }
  const isBreaking = migrations.some(({ minReader }, i) => i >= now.version && minReader > now.version)
  // Workers that cannot work on the result lose their sessions with it, and may not take any: see checkSchema.
  if (now.version > 0 && isBreaking)
    await statements.rows(
      `UPDATE ${quoted(schema)}.leases SET fence = fence + 1, until = '-infinity', token = '', asking = NULL`,
    )
  return Math.max(now.version, migrations.length)
}

function busy({ shown }: Address): StoreError {
  return new StoreError(
    "unavailable",
    `The store ${shown} cannot be brought up to date: another program has its tables locked.`,
    "Nothing was changed, and workers go on with the old version. Try again when reports and copies of the database are done.",
  )
}

/** Rejects if the schema was changed by a newer program since it was opened, so that this one cannot work on it any more. */
export async function checkSchema(statements: Statements, { schema, shown }: Address): Promise<void> {
  checkReader(await stateOf(statements, schema), shown, MIGRATIONS.length)
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

/** Writes a name as PostgreSQL reads it, whatever is in it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Lists the statements that give a role all rights which a worker needs, and no other. For the owner of the schema. */
export function grantsFor({ schema }: Address, role: string): readonly string[] {
  const [place, name] = [quoted(schema), quoted(role)]
  return [
    `GRANT USAGE ON SCHEMA ${place} TO ${name};`,
    ...Object.entries(RIGHTS).map(
      ([table, rights]) => `GRANT ${["SELECT", ...rights].join(", ")} ON ${place}.${table} TO ${name};`,
    ),
  ]
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
  return await stateOf(statements, schema)
}

/** Reads what the table of migrations says, of a schema that is there. */
async function stateOf(statements: Statements, schema: string): Promise<Version> {
  const [row] = await statements.rows(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(min_reader), 0) AS min_reader FROM ${quoted(schema)}.migrations`,
  )
  return { version: Number(row?.version), minReader: Number(row?.min_reader) }
}

function checkReader({ version, minReader }: Version, shown: string, known: number): void {
  if (minReader <= known) return
  throw new StoreError(
    "newer",
    `The store ${shown} was changed by a newer Sotto (version ${version}; this one knows ${known}, and ${minReader} is needed).`,
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
