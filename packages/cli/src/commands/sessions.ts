import { resolve } from "node:path"
import { parseArgs } from "node:util"
import {
  type ArchiveReport,
  archiveSessions,
  durationIn,
  openStore,
  type SessionSummary,
  sizeIn,
  sizeText,
  storePlace,
} from "@sotto/harness"
import { counted } from "../output/figures.js"
import { oneLine } from "../screen/inert.js"
import { EXIT, UsageError } from "../usage.js"
import { fullSessionId, line, sessionIdIn, tellLosses, withStore } from "./open-store.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const ARCHIVE_OPTIONS = {
  "older-than": {
    type: "string",
    value: "TIME",
    help: "those that nobody has used for so long: 90d, 12h, 4w, 1y, or a number of days",
  },
  "larger-than": {
    type: "string",
    value: "SIZE",
    help: "the oldest, until logs and kept texts of files have no more than 2GB, 500MB, …",
  },
  "keep-latest": { type: "string", value: "N", help: "the N that were used last stay in any case" },
  to: {
    type: "string",
    value: "FOLDER",
    help: `the folder for the files instead of "archive" beside the store`,
  },
  "dry-run": { type: "boolean", help: "only says which" },
} as const satisfies CommandOptions

const STORE_OPTION = {
  store: {
    type: "string",
    value: "PLACE",
    help: "the sessions of another store: the path of a file, or postgres://user@host/database",
  },
} as const satisfies CommandOptions

const LIST_OPTIONS = {
  label: {
    type: "string",
    multiple: true,
    value: "LABEL",
    help: "only those with this label; with all of them if it is repeated",
  },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto sessions: the stored sessions, newest first: id, when, messages, model, directory, title

${optionRows(LIST_OPTIONS, 30)}
  sotto sessions delete ID    removes a session, and those of its subagents, for good; asks nothing
  sotto sessions repair ID    keeps the longest beginning of a damaged session that can be restored, under the same id;
                              saves the damaged original as a file first, and says what is lost
  sotto sessions archive [options]
                              moves sessions with those of their subagents to compressed files, and removes them from
                              the store; \`sotto import FILE\` brings one back. Which ones (30d old unless said):
${optionRows(ARCHIVE_OPTIONS, 30, 6)}
${optionRows(STORE_OPTION, 30)}
A session that is open somewhere is neither deleted, repaired nor archived. One that is at work or has a command waiting
is not archived. "retention" in your own sotto.json has \`sotto serve\` archive once an hour.
`,
  options: { ...LIST_OPTIONS, ...ARCHIVE_OPTIONS, ...STORE_OPTION },
  manual: ["Sessions", "../agent.md#sessions"],
  run,
}

const USUAL_AGE = "30d"
/** Characters of an id that have to be given to delete its session. */
const SHORTEST_ID = 8

async function run(args: readonly string[]): Promise<number> {
  const [what, ...rest] = args
  if (what === undefined || what.startsWith("-"))
    return list(parseArgs({ args: [...args], options: LIST_OPTIONS }).values.label ?? [])
  switch (what) {
    case "delete":
      return remove(idIn(rest, "delete"))
    case "repair":
      return repair(idIn(rest, "repair"))
    case "archive":
      return await archive(rest)
    default:
      throw new UsageError(
        `sotto sessions ${what}: use delete ID, repair ID or archive, or nothing to list them.`,
      )
  }
}

function list(labels: readonly string[]): Promise<number> {
  return withStore(async (store) => {
    await tellLosses(store)
    const rows = (await store.list()).filter((one) => labels.every((label) => one.labels?.includes(label)))
    if (rows.length === 0) line(labels.length === 0 ? "No sessions yet." : "No session has these labels.")
    for (const row of rows) line(row.damaged === undefined ? rowOf(row) : damagedRowOf(row, row.damaged))
  })
}

function rowOf({ id, updated, messages, model, cwd, title, parent }: SessionSummary): string {
  const when = new Date(updated).toISOString().slice(0, 16).replace("T", " ")
  const name = title ?? (parent === undefined ? "" : `(of ${parent})`)
  return [id, when, String(messages).padStart(4), model, cwd, name].map(oneLine).join("  ").trimEnd()
}

function damagedRowOf({ id }: SessionSummary, damaged: string): string {
  return `${id}  damaged: ${damaged}. \`sotto sessions repair ${id}\` keeps what can be read of it.`
}

/** Takes a session away for good: a short beginning of an id is a slip rather than a choice. */
function remove(given: string): Promise<number> {
  return withStore(async (store) => {
    const id = given.length < SHORTEST_ID ? given : await fullSessionId(store, given)
    for (const removed of await store.delete(id)) line(`Deleted ${removed}.`)
  })
}

function repair(given: string): Promise<number> {
  return withStore(async (store) => {
    const id = await fullSessionId(store, given)
    const { id: mended, kept, before, why, saved } = await store.repair(id)
    if (why === undefined || saved === undefined) return line(`Nothing is wrong with ${id}.`)
    const lost = before - kept
    line(`Repaired ${mended}: ${why}.`)
    line(lost > 0 ? `Kept ${kept} of ${before} entries; the last ${lost} are lost.` : "No entry is lost.")
    line(`The damaged original is in ${saved}`)
  })
}

async function archive(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: ARCHIVE_OPTIONS })
  const older = values["older-than"] ?? (values["larger-than"] === undefined ? USUAL_AGE : undefined)
  const age = older === undefined ? undefined : durationIn(older)
  if (older !== undefined && age === undefined)
    throw new UsageError(`--older-than ${older}: use a time such as 90d, 12h, 4w or 1y, or a number of days.`)
  const larger = values["larger-than"]
  const bytes = larger === undefined ? undefined : sizeIn(larger)
  if (larger !== undefined && bytes === undefined)
    throw new UsageError(`--larger-than ${larger}: use a size such as 2GB or 500MB.`)
  const latest = values["keep-latest"]
  if (latest !== undefined && !/^\d+$/.test(latest))
    throw new UsageError(`--keep-latest ${latest}: use a number from 0 on.`)
  const store = await openStore(storePlace(process.env))
  try {
    const report = await archiveSessions(store, {
      ...(age !== undefined && { before: Date.now() - age }),
      ...(bytes !== undefined && { bytes }),
      ...(latest !== undefined && { keepLatest: Number(latest) }),
      ...(values.to !== undefined && { to: resolve(values.to) }),
      dryRun: values["dry-run"] ?? false,
    })
    tellArchived(report, { ...(older !== undefined && { older }), ...(larger !== undefined && { larger }) })
  } finally {
    await store.close()
  }
  return EXIT.done
}

function tellArchived(
  { sessions, before, after, reclaimed }: ArchiveReport,
  { older, larger }: { readonly older?: string; readonly larger?: string },
): void {
  if (sessions.length === 0 && larger === undefined) line(`No session is older than ${ageText(older ?? "")}.`)
  for (const one of sessions) {
    if ("why" in one) line(`${one.id}  stays in the store: ${one.why}`)
    else
      line(one.path === undefined ? `${one.id}  would go (${sizeText(one.bytes)})` : `${one.id}  ${one.path}`)
  }
  if (larger !== undefined) {
    const isLarger = after > (sizeIn(larger) ?? 0)
    line(
      `The store ${before === after ? "holds" : `held ${sizeText(before)} and holds`} ${sizeText(after)}${isLarger ? `, which is more than ${larger}` : ""}.`,
    )
  }
  if (reclaimed.bytes > 0) line(`The store's file is ${sizeText(reclaimed.bytes)} smaller.`)
  if (reclaimed.why !== undefined) line(`The room stays with the store: ${reclaimed.why}.`)
}

/** Takes both "30d" and "30" for 30 days. */
function ageText(age: string): string {
  const [, days] = /^(\d+)d?$/.exec(age) ?? []
  return days === undefined ? age : counted(Number(days), "day")
}

function idIn(args: readonly string[], action: string): string {
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true })
  return sessionIdIn(positionals, `sessions ${action}`)
}
