import { existsSync } from "node:fs"
import type { Skipped } from "@sotto/core/import"
import {
  exportText,
  fileReason,
  IrregularFile,
  LARGEST_EXPORT,
  openProjectRuntime,
  readRegularFile,
  StoreError,
  storeTranscript,
} from "@sotto/harness"
import { formatOf, type ImportedSession, importSession } from "@sotto/lens/sources"
import { err } from "../screen/printer.js"
import { refuseIrregular } from "../traffic/named.js"
import { EXIT, UsageError } from "../usage.js"
import { line, withStore } from "./open-store.js"
import type { Subcommand } from "./subcommand.js"

export const subcommand: Subcommand = {
  help: `sotto import FILE: stores a session from a file, and prints its id

FILE is one of these; what is in it tells which:
  a session of Sotto that was exported or archived. It keeps its id. A damaged one is refused, with the line and the field.
  a session file of Claude Code, Codex, pi or Gemini CLI, or what \`opencode export\` writes. It becomes a new session of
  this folder, with the conversation that you would have gone on with there: the newest branch, from the last
  compaction on. The same file again makes another session. Standard error says what was left out.
\`sotto run --session ID "…"\` goes on with it. A message at the end that has no reply is answered then.
`,
  options: {},
  manual: ["Using the agent", "../agent.md#sessions-of-other-agents"],
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const [path] = args
  if (path === undefined || args.length > 1) throw new UsageError("Which file? sotto import FILE")
  const text = exportText(bytesOf(path), path)
  if (formatOf(text) === "sotto") return withStore(async (store) => line(await store.importJsonl(text)))
  const session = await importSession(text)
  if (session === undefined) throw refused(`${path} is no session file that Sotto knows.`)
  tellLeftOut(session.skipped)
  if (session.messages.length === 0) throw refused(`${path} holds no conversation.`)
  line(await stored(session))
  return EXIT.done
}

/** Stores another agent's conversation as a session of the current folder: its id. */
async function stored(session: ImportedSession): Promise<string> {
  const workplace = await openProjectRuntime({ cwd: process.cwd(), env: process.env })
  try {
    return await storeTranscript(workplace, session)
  } finally {
    await workplace.close()
  }
}

function refused(what: string): StoreError {
  const remedy =
    "Import what `sotto export` or `opencode export` writes, or a session file of Claude Code, Codex, pi or Gemini CLI. Nothing was imported."
  return new StoreError("bad-import", what, remedy)
}

const MOST_LINES = 20
const LONGEST = 200

/** Says on standard error what was left out: each kind once, with its first place and how often it was there. */
function tellLeftOut(skipped: readonly Skipped[]): void {
  const places = new Map<string, string[]>()
  for (const { at, what } of skipped) {
    const known = places.get(what)
    if (known === undefined) places.set(what, [at])
    else known.push(at)
  }
  const rows = [...places].map(([what, [first = "", ...more]]) => {
    const also = more.length === 0 ? "" : ` and ${more.length} more`
    const where = first === "" ? "" : `${first}${also}: `
    return `sotto: left out: ${where}${what.slice(0, LONGEST)}`
  })
  for (const row of rows.slice(0, MOST_LINES)) err.line(row)
  if (rows.length > MOST_LINES) err.line(`sotto: left out: ${rows.length - MOST_LINES} other things`)
}

function bytesOf(path: string): Buffer {
  refuseIrregular(path)
  let bytes: Buffer | undefined
  try {
    bytes = readRegularFile(path, LARGEST_EXPORT)
  } catch (error) {
    if (error instanceof IrregularFile)
      throw new UsageError(`${path} has more than 256 MB, which is the limit.`)
    throw new UsageError(`${path} cannot be read: ${fileReason(error)}`)
  }
  if (bytes === undefined)
    throw new UsageError(existsSync(path) ? `${path} is a folder. Name a file.` : `There is no file ${path}.`)
  return bytes
}
