import { realpathSync } from "node:fs"
import { parseArgs } from "node:util"
import {
  type CopyReport,
  copySessions,
  openExistingStore,
  openStore,
  placeIn,
  type Store,
  StoreError,
  schemaState,
  storePlace,
} from "@sotto/harness"
import { counted, whole } from "../output/figures.js"
import { out } from "../screen/printer.js"
import { Progress } from "../screen/progress.js"
import { EXIT, UsageError } from "../usage.js"
import { line } from "./open-store.js"
import type { CommandOptions } from "./subcommand.js"

/** What `sotto store copy` takes beside --json. */
export const COPY_OPTIONS = {
  session: {
    type: "string",
    multiple: true,
    value: "ID",
    help: "only this one, with those of its subagents; may be repeated",
  },
  "idle-only": {
    type: "boolean",
    help: "leaves out sessions that are open. Without it they are copied up to now, and named",
  },
  "dry-run": { type: "boolean", help: "says what would be copied, and changes nothing" },
} as const satisfies CommandOptions

export async function copy(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...COPY_OPTIONS, json: { type: "boolean" } },
    allowPositionals: true,
  })
  const [from, to] = positionals
  if (from === undefined || to === undefined || positionals.length > 2)
    throw new UsageError(
      "sotto store copy FROM TO: each is the path of a file, postgres://user@host/database, or default.",
    )
  // An address may have a password, which no list of processes shows.
  process.title = "sotto"
  const places = [placeOf(from), placeOf(to)] as const
  const isDry = values["dry-run"] ?? false
  const report = await between(...places, isDry, async (source, target) => {
    const progress = new Progress()
    try {
      return await copySessions(source, target, {
        ...(values.session && { sessions: values.session }),
        ...{ dryRun: isDry, idleOnly: values["idle-only"] ?? false },
        onProgress: (doing, done, of) => progress.show(() => `${doing} session ${done + 1} of ${of}`),
      })
    } finally {
      progress.done()
    }
  })
  if (values.json) out.json(JSON.stringify({ dryRun: isDry, ...report }))
  else tell(report, isDry)
  const isWhole =
    report.differences.length === 0 &&
    report.damagedTexts.length === 0 &&
    report.sessions.every(({ is }) => is !== "refused")
  return isWhole ? EXIT.done : EXIT.failed
}

function placeOf(given: string): string {
  return given === "default" ? storePlace(process.env) : placeIn(process.cwd(), given)
}

/** Opens both stores. The source has to be there; a dry run makes no target. */
async function between(
  from: string,
  to: string,
  isDry: boolean,
  work: (source: Store, target: Store | undefined) => Promise<CopyReport>,
): Promise<CopyReport> {
  const [old, fresh] = [await schemaState(from), await schemaState(to)]
  if (realPath(old.path) === realPath(fresh.path))
    throw new UsageError(`FROM and TO are the same store: ${old.path}.`)
  const source = old.version === 0 ? undefined : await openExistingStore(from)
  if (source === undefined)
    throw new StoreError(
      "unavailable",
      `There is no store ${old.path} to copy from.`,
      "Check the path or the address. Nothing was copied.",
    )
  let target: Store | undefined
  try {
    if (isDry && fresh.version > 0 && fresh.version < fresh.known)
      throw new StoreError(
        "unavailable",
        `The store ${fresh.path} has an older schema, and a dry run changes nothing.`,
        "Bring it up to date by `sotto store migrate` first.",
      )
    target = isDry && fresh.version === 0 ? undefined : await openStore(to)
    return await work(source, target)
  } finally {
    await source.close()
    await target?.close()
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function tell({ sessions, texts, damagedTexts, verified, differences }: CopyReport, isDry: boolean): void {
  for (const { id, is, isOpen, entries, why } of sessions) {
    if (is === "refused") line(`${id}  was not copied: ${why}`)
    if (is === "ahead") line(`${id}  has gone on in the target, and stays as it is there`)
    if (is !== "refused" && isOpen)
      line(
        `${id}  is open: copied up to entry ${entries - 1}, without what waits for its holder. Copy again when it is closed`,
      )
  }
  for (const hash of damagedTexts)
    line(`The text of a file ${hash} is damaged in the source, and was left out.`)
  for (const difference of differences) line(`DIFFERS: ${difference}`)
  const count = (...kinds: readonly string[]) => sessions.filter(({ is }) => kinds.includes(is)).length
  const added = sessions.reduce((sum, session) => sum + session.added, 0)
  const verbs = isDry ? ["Would copy", "continue", "update"] : ["Copied", "continued", "updated"]
  const done = [
    `${verbs[0]} ${counted(count("copied"), "session")}`,
    `${verbs[1]} ${count("continued")}`,
    `${verbs[2]} ${count("updated")}`,
    `${count("equal", "ahead")} there already`,
    `${count("refused")} refused`,
  ]
  const entries = `${whole(added)} new ${added === 1 ? "entry" : "entries"}`
  line(`${done.join(", ")}: ${entries}${isDry ? "" : `, ${counted(texts, "new text")} of files`}.`)
  if (isDry) return
  const same = verified - differences.length
  line(
    `Compared ${counted(verified, "session")} in both stores, byte for byte: ${same === verified ? "all are the same" : `${same} are the same`}.`,
  )
}
