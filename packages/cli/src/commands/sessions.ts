import { parseArgs } from "node:util"
import { archiveSessions, type SessionSummary } from "@sotto/harness"
import { oneLine } from "../screen/inert.js"
import { UsageError } from "../usage.js"
import { line, tellLosses, withStore } from "./store.js"

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30

/** `sotto sessions`, and what can be done to them. */
export async function sessions(args: readonly string[]): Promise<number> {
  const [what, ...rest] = args
  switch (what) {
    case undefined:
      return list()
    case "delete":
      return remove(idIn(rest, "delete"))
    case "repair":
      return repair(idIn(rest, "repair"))
    case "archive":
      return archive(rest)
    default:
      throw new UsageError(
        `sotto sessions ${what}: use delete ID, repair ID or archive, or nothing to list them.`,
      )
  }
}

function list(): number {
  return withStore((store) => {
    tellLosses(store)
    const rows = store.list()
    if (rows.length === 0) line("No sessions yet.")
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

function remove(id: string): number {
  return withStore((store) => {
    for (const removed of store.delete(id)) line(`Deleted ${removed}.`)
  })
}

function repair(id: string): number {
  return withStore((store) => {
    const { id: mended, kept, before, why, saved } = store.repair(id)
    if (why === undefined || saved === undefined) return line(`Nothing is wrong with ${id}.`)
    const lost = before - kept
    line(`Repaired ${mended}: ${why}.`)
    line(lost > 0 ? `Kept ${kept} of ${before} entries; the last ${lost} are lost.` : "No entry is lost.")
    line(`The damaged original is in ${saved}`)
  })
}

function archive(args: readonly string[]): number {
  const { values } = parseArgs({ args: [...args], options: { "older-than": { type: "string" } } })
  const given = values["older-than"]
  const days = given === undefined ? DEFAULT_DAYS : Number(given)
  if (!Number.isFinite(days) || days < 0 || given?.trim() === "")
    throw new UsageError(`--older-than ${given}: use a number of days, such as ${DEFAULT_DAYS}.`)
  return withStore((store) => {
    const archived = archiveSessions(store, Date.now() - days * DAY_MS)
    if (archived.length === 0) line(`No session is older than ${days} days.`)
    for (const one of archived)
      line("path" in one ? `${one.id}  ${one.path}` : `${one.id}  stays in the store: ${one.why}`)
  })
}

function idIn(args: readonly string[], command: string): string {
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true })
  const [id] = positionals
  if (id === undefined || positionals.length > 1)
    throw new UsageError(`Which session? sotto sessions ${command} ID; \`sotto sessions\` lists them.`)
  return id
}
