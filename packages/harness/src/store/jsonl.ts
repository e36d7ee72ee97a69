import { type Entry, findDamage } from "@sotto/core"
import { StoreError } from "./error.js"
import { isKeepable } from "./json.js"
import { labelProblem, metadataProblem, type SessionLabels } from "./labels.js"
import type { SessionSummary } from "./summary.js"
import { tryLog } from "./trial.js"

/** The version of the format in which sessions are exported. */
export const EXPORT_VERSION = 1

/** The first line of an export. */
export interface Header extends SessionLabels {
  readonly sotto: "session"
  readonly version: number
  readonly id: string
  readonly cwd: string
  readonly created: number
  readonly title?: string
  readonly summary?: string
  readonly parent?: string
  readonly workspace?: string
}

/** Writes a session as its export: a header and one line for each entry, without line ends. */
export function exportLines(about: SessionSummary, entries: readonly Entry[]): readonly string[] {
  const { id, cwd, created, title, summary, parent, workspace, labels, metadata } = about
  const header: Header = {
    sotto: "session",
    version: EXPORT_VERSION,
    ...{ id, cwd, created },
    ...(title !== undefined && { title }),
    ...(summary !== undefined && { summary }),
    ...(parent !== undefined && { parent }),
    ...(workspace !== undefined && { workspace }),
    ...(labels !== undefined && { labels }),
    ...(metadata !== undefined && { metadata }),
  }
  return [header, ...entries].map((line) => JSON.stringify(line))
}

/** No program writes deeper data, and code that goes through data of this depth has stack to spare. */
const DEEPEST = 1_000

/** The range of a date, in milliseconds. */
const LATEST = 8.64e15

/**
 * Reads an export. Every field of every entry is looked at, and the session is restored once to see that it can be.
 * What is not whole is refused, with the number of the line.
 */
export function parseExport(text: string): { readonly header: Header; readonly entries: readonly Entry[] } {
  const [first = "", ...rest] = text.replace(/\r?\n$/, "").split(/\r?\n/)
  const header = headerIn(first)
  const lines = rest.map((line, i) => entryIn(line, i, i + 2))
  const [opened] = lines
  if (opened === undefined) throw refused(2, `it should be the entry "opened"`)
  const damage = findDamage(lines)
  if (damage?.newer && damage.entry === 0) throw newer(2, damage.why)
  if (damage) throw refused(damage.entry + 2, damage.why)
  if (opened.id !== header.id) throw refused(2, `it opens session "${opened.id}", not "${header.id}"`)
  const entries = lines as unknown as readonly Entry[]
  try {
    tryLog(entries)
  } catch (error) {
    throw unusable(error)
  }
  return { header, entries }
}

function headerIn(line: string): Header {
  const found = objectIn(line, 1)
  if (found.sotto !== "session") throw refused(1, "it is not the header of a session")
  if (typeof found.version !== "number") throw refused(1, "it has no version")
  if (found.version > EXPORT_VERSION)
    throw newer(1, `it is of version ${found.version}, and this Sotto reads up to ${EXPORT_VERSION}`)
  if (!Number.isSafeInteger(found.version) || found.version < 1)
    throw refused(1, `its version is ${found.version}`)
  for (const name of ["id", "cwd"]) if (typeof found[name] !== "string") throw refused(1, `it has no ${name}`)
  if (typeof found.created !== "number") throw refused(1, "it does not say when the session was created")
  if (!(Math.abs(found.created) <= LATEST))
    throw refused(1, `created is ${found.created}, which is no time of any calendar`)
  for (const name of ["title", "summary", "parent", "workspace"])
    if (found[name] !== undefined && typeof found[name] !== "string")
      throw refused(1, `its ${name} is not text`)
  for (const name of ["id", "cwd", "title", "summary", "parent", "workspace"])
    if (!isKeepable(String(found[name] ?? "")))
      throw refused(1, `its ${name} has characters that cannot be stored`)
  const wrong = {
    labels: labelProblem(found.labels ?? []),
    metadata: metadataProblem(found.metadata ?? {}),
  }
  for (const [name, why] of Object.entries(wrong))
    if (why !== undefined) throw refused(1, `its ${name} ${why}`)
  if (!/^[^\s\p{Cc}]{1,200}$/u.test(String(found.id)))
    throw refused(1, "its id should have 1 to 200 characters and no space")
  return found as unknown as Header
}

function entryIn(text: string, seq: number, line: number): Readonly<Record<string, unknown>> {
  const found = objectIn(text, line)
  if (found.seq !== seq) {
    const is = typeof found.seq === "number" ? String(found.seq) : "none"
    throw refused(line, `its number should be ${seq} and is ${is}`)
  }
  return found
}

function objectIn(text: string, line: number): Readonly<Record<string, unknown>> {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    throw refused(line, text.trim() === "" ? "it is empty" : "it is not JSON")
  }
  if (found === null || typeof found !== "object" || Array.isArray(found))
    throw refused(line, "it is no object")
  if (isDeeper(found, DEEPEST)) throw refused(line, `it is nested more than ${DEEPEST} deep`)
  return found as Readonly<Record<string, unknown>>
}

/** Goes down level by level, because calling itself is what fails for data that is nested too deeply. */
function isDeeper(value: unknown, most: number): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
  }
  return false
}

function refused(line: number, why: string): StoreError {
  const remedy =
    "Import a whole export, as `sotto export` writes it, with the version of Sotto that wrote it or a newer one. Nothing was imported."
  return new StoreError("bad-import", `Line ${line} of the export is damaged: ${why}.`, remedy, { line })
}

function newer(line: number, why: string): StoreError {
  const what = `Line ${line} of the export cannot be read: ${why}.`
  return new StoreError("newer", what, "Import it with a newer Sotto. Nothing was imported.", { line })
}

/**
 * Makes the error for an export in which each line is as it should be, but the lines together do not make a session.
 */
function unusable(error: unknown): StoreError {
  const why = error instanceof Error ? error.message : String(error)
  const remedy = "Import an export that nobody has changed. Nothing was imported."
  const what = `The export's entries cannot be restored as a session: ${why.replace(/\.$/, "")}.`
  return new StoreError("bad-import", what, remedy, { cause: error })
}
