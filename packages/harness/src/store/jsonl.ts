import { type Entry, LOG_VERSION } from "@sotto/core"
import { StoreError } from "./error.js"

export const EXPORT_VERSION = 1

/** The first line of an export. */
export interface Header {
  readonly sotto: "session"
  readonly version: number
  readonly id: string
  readonly cwd: string
  readonly created: number
  readonly title?: string
  readonly parent?: string
}

/** Every type of entry: the compiler asks for one that is missing. */
const TYPES: Readonly<Record<Entry["type"], true>> = {
  opened: true,
  said: true,
  edited: true,
  cancelled: true,
  noted: true,
  observed: true,
  agent: true,
  model: true,
  step: true,
  replied: true,
  result: true,
  aborted: true,
  recovered: true,
  compacted: true,
  snipped: true,
  carrier: true,
  imported: true,
  tools: true,
  kind: true,
  rewound: true,
}

/** Reads an export. What is not whole is refused, with the number of the line. */
export function parseExport(text: string): { readonly header: Header; readonly entries: readonly Entry[] } {
  const [first = "", ...rest] = text.replace(/\r?\n$/, "").split(/\r?\n/)
  const header = headerIn(first)
  const entries = rest.map((line, i) => entryIn(line, i, i + 2))
  const [opened] = entries
  if (opened?.type !== "opened") throw refused(2, `it should be the entry "opened"`)
  if (opened.id !== header.id) throw refused(2, `it opens session "${opened.id}", not "${header.id}"`)
  if (opened.version > LOG_VERSION) throw newer(2, opened.version, LOG_VERSION)
  return { header, entries }
}

function headerIn(line: string): Header {
  const found = objectIn(line, 1)
  if (found.sotto !== "session") throw refused(1, "it is not the header of a session")
  if (typeof found.version !== "number") throw refused(1, "it has no version")
  if (found.version > EXPORT_VERSION) throw newer(1, found.version, EXPORT_VERSION)
  for (const name of ["id", "cwd"]) if (typeof found[name] !== "string") throw refused(1, `it has no ${name}`)
  if (typeof found.created !== "number") throw refused(1, "it does not say when the session was created")
  for (const name of ["title", "parent"])
    if (found[name] !== undefined && typeof found[name] !== "string")
      throw refused(1, `its ${name} is not text`)
  return found as unknown as Header
}

function entryIn(text: string, seq: number, line: number): Entry {
  const found = objectIn(text, line)
  if (typeof found.type !== "string" || !Object.hasOwn(TYPES, found.type))
    throw refused(line, "it is no entry of a session's log")
  if (found.seq !== seq)
    throw refused(line, `its number should be ${seq} and is ${JSON.stringify(found.seq)}`)
  if (typeof found.at !== "number") throw refused(line, "it has no time")
  return found as unknown as Entry
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
  return found as Readonly<Record<string, unknown>>
}

function refused(line: number, why: string): StoreError {
  const remedy = "Import a whole export, as `sotto export` writes it. Nothing was imported."
  return new StoreError("bad-import", `Line ${line} of the export is damaged: ${why}.`, remedy, { line })
}

function newer(line: number, version: number, known: number): StoreError {
  const what = `The export is of version ${version}; this Sotto reads up to ${known}.`
  return new StoreError("newer", what, "Import it with a newer Sotto. Nothing was imported.", { line })
}
