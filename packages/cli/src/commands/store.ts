import { parseArgs } from "node:util"
import {
  openExistingStore,
  openStore,
  type SchemaState,
  type StoreUpkeep,
  schemaState,
  sizeText,
  storePlace,
  verifyStore,
  workerGrants,
} from "@sotto/harness"
import { counted, whole } from "../output/figures.js"
import { err, out } from "../screen/printer.js"
import { Progress } from "../screen/progress.js"
import { EXIT, UsageError } from "../usage.js"
import { line } from "./open-store.js"
import { COPY_OPTIONS, copy } from "./store-copy.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const STORE_OPTIONS = {
  json: { type: "boolean", help: "the answer as one JSON object" },
  store: {
    type: "string",
    value: "PLACE",
    help: "another store than yours: the path of a file, or postgres://user@host/database",
  },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto store: the place where sessions are kept, a file of SQLite or a database of PostgreSQL

  sotto store [status]        which store, its schema, how much it holds, who has sessions open, what waits, what is lost
  sotto store migrate         brings the schema up to date, or makes the store; does no harm twice, nor while others work
  sotto store copy FROM TO    copies sessions with everything that belongs to them, then compares both stores byte for byte.
                              Run again it goes on where it ended. A session whose log differs in TO is named and left
${optionRows(COPY_OPTIONS, 30, 6)}
  sotto store grants ROLE     prints the SQL that gives a role of PostgreSQL the rights of a worker, and no more. The owner runs
                              it after each \`migrate\`, for example by psql
  sotto store verify          checks every session and every row; says what is wrong and what to do

${optionRows(STORE_OPTIONS, 30)}

FROM and TO are paths, addresses or \`default\`, which is where your sessions are. FROM is never changed, and nothing is
removed from TO. Exit codes: 0 done   1 something is damaged, differs or was refused   2 usage. docs/store.md tells more.
`,
  options: { ...COPY_OPTIONS, ...STORE_OPTIONS },
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const [what, ...rest] = args
  switch (what) {
    case undefined:
    case "status":
      return await status(jsonIn(rest))
    case "migrate":
      return await migrate(jsonIn(rest))
    case "verify":
      return await verify(jsonIn(rest))
    case "copy":
      return await copy(rest)
    case "grants":
      return await grants(rest)
    default:
      throw new UsageError(
        `sotto store ${what}: use status, migrate, copy FROM TO, grants ROLE or verify. See \`sotto store --help\`.`,
      )
  }
}

function jsonIn(args: readonly string[]): boolean {
  const { values } = parseArgs({ args: [...args], options: { json: STORE_OPTIONS.json } })
  return values.json ?? false
}

const KINDS = { sqlite: "SQLite, a file", postgres: "PostgreSQL" } as const

async function status(isJson: boolean): Promise<number> {
  const place = storePlace(process.env)
  const schema = await schemaState(place)
  const about = { store: schema.path, kind: schema.kind, schema: schemaOf(schema) }
  // Opening would bring it up to date, and a look changes nothing.
  const store = schema.version < schema.known ? undefined : await openExistingStore(place)
  if (store === undefined) {
    if (isJson) out.json(JSON.stringify(about))
    else {
      row("store", schema.path)
      row("kind", KINDS[schema.kind])
      row("schema", schemaText(schema))
    }
    return EXIT.done
  }
  try {
    const found = { ...about, ...(await lookAt(store)) }
    if (isJson) out.json(JSON.stringify(found))
    else tellStatus(schema, found)
    return EXIT.done
  } finally {
    await store.close()
  }
}

function schemaOf({ version, known }: SchemaState) {
  return { version, known }
}

type Status = Awaited<ReturnType<typeof lookAt>>

async function lookAt(store: StoreUpkeep) {
  const { upkeep } = store
  const holders = await upkeep.holders()
  const open = new Set(holders.map(({ session }) => session))
  return {
    ...(await upkeep.figures()),
    posts: await upkeep.hearing(),
    open: holders.map(({ until, asking: _, ...holder }) => ({
      ...holder,
      ...(until !== undefined && { until: new Date(until).toISOString() }),
    })),
    waiting: [...(await upkeep.busy())].filter((id) => !open.has(id)),
    losses: (await store.lost()).map(({ session, message }) => ({ session, message })),
  }
}

function tellStatus(schema: SchemaState, found: Status): void {
  const { sessions, entries, texts, bytes, bytesOnDisk, posts, open, waiting, losses } = found
  row("store", schema.path)
  row("kind", KINDS[schema.kind])
  row("schema", schemaText(schema))
  row(
    "sessions",
    `${whole(sessions)}, with ${countOf(entries, "entry", "entries")} and ${counted(texts, "text")} of files`,
  )
  row("size", `${sizeText(bytes)} of logs and texts; ${sizeText(bytesOnDisk)} on disk`)
  row("posts", HEARING[posts.hearing] + (posts.why === undefined ? "" : `: ${posts.why}`))
  row("open", open.length === 0 ? "no session" : counted(open.length, "session"))
  for (const { session, worker, pid, host, fence, until } of open) {
    const name = worker === undefined ? "" : `worker ${worker}, `
    const lease = fence === undefined ? "" : `, fence ${fence}, lease until ${until}`
    row("", `${session}  ${name}process ${pid} on ${host}${lease}`)
  }
  row("waiting", waiting.length === 0 ? "no session" : `${counted(waiting.length, "session")} for a worker`)
  for (const id of waiting) row("", id)
  row("losses", losses.length === 0 ? "none" : "")
  for (const { message } of losses) row("", message)
}

const HEARING = {
  files: "heard of by a look at the files",
  notifications: "heard of by notifications",
  polling: "heard of by polling",
  nothing: "not listened for",
} as const

function schemaText({ version, known }: SchemaState): string {
  const knows = `this Sotto knows version ${known}`
  if (version === 0)
    return `none: there is no store yet. It is made when it is first used, or by \`sotto store migrate\``
  if (version < known)
    return `version ${version}; ${knows}. \`sotto store migrate\` brings it up to date; the rest is shown then`
  return `version ${version}; ${knows}${version > known ? ", and can work with this one" : ""}`
}

function row(name: string, value: string): void {
  line(`${name.padEnd(10)}${value}`)
}

function countOf(count: number, one: string, many: string): string {
  return `${whole(count)} ${count === 1 ? one : many}`
}

async function migrate(isJson: boolean): Promise<number> {
  const place = storePlace(process.env)
  const before = await schemaState(place)
  await (await openStore(place)).close()
  const after = await schemaState(place)
  if (isJson) {
    out.json(JSON.stringify({ store: after.path, from: before.version, to: after.version }))
    return EXIT.done
  }
  if (before.version === after.version) line(`${after.path} is up to date: version ${after.version}.`)
  else if (before.version === 0) line(`Made ${after.path}: version ${after.version}.`)
  else line(`Brought ${after.path} from version ${before.version} to version ${after.version}.`)
  return EXIT.done
}

async function grants([role, ...rest]: readonly string[]): Promise<number> {
  if (role === undefined || role === "" || role.startsWith("-") || rest.length > 0)
    throw new UsageError("sotto store grants ROLE: name the role that workers connect as.")
  const statements = await workerGrants(storePlace(process.env), role)
  if (statements === undefined)
    throw new UsageError("sotto store grants: a file has no roles. Give --store postgres://…")
  for (const statement of statements) line(statement)
  return EXIT.done
}

async function verify(isJson: boolean): Promise<number> {
  const place = storePlace(process.env)
  const { version, path } = await schemaState(place)
  const store = version === 0 ? undefined : await openExistingStore(place)
  if (store === undefined) {
    err.line(`sotto: There is no store ${path}. Nothing was checked.`)
    return EXIT.failed
  }
  const progress = new Progress()
  try {
    const found = await verifyStore(store, (done, of) =>
      progress.show(() => `verifying session ${done + 1} of ${of}`),
    )
    progress.done()
    if (isJson) out.json(JSON.stringify({ store: path, ...found }))
    else {
      for (const { session, what, remedy } of found.problems)
        line(session === undefined ? `${what} ${remedy}` : `${session}  ${what} ${remedy}`)
      for (const note of found.notes) line(`Note: ${note}`)
      const checked = `${counted(found.sessions, "session")}, ${countOf(found.entries, "entry", "entries")}, ${counted(found.texts, "text")} of files`
      const { length } = found.problems
      line(`${checked}: ${length === 0 ? "nothing is wrong" : counted(length, "problem")}.`)
    }
    return found.problems.length === 0 ? EXIT.done : EXIT.failed
  } finally {
    progress.done()
    await store.close()
  }
}
