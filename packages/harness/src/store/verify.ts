import type { Entry } from "@sotto/core"
import type { Store } from "./contract.js"
import { StoreError } from "./error.js"
import { textHash } from "./text-hash.js"
import type { StoredSession } from "./upkeep.js"
import { longestWhole, miscountIn } from "./whole.js"

/** Something that is wrong with a store. */
export interface Problem {
  readonly session?: string
  readonly what: string
  readonly remedy: string
}

export interface Verification {
  readonly sessions: number
  readonly entries: number
  readonly texts: number
  readonly problems: readonly Problem[]
  /** What a reader should know and needs not mend. */
  readonly notes: readonly string[]
}

const ANEW =
  "Put back a copy of the store if there is one; or `sotto store copy` to a new store, which takes along all that is whole."

/** Checks a whole store, one session at a time, and changes nothing. */
export async function verifyStore(
  store: Store,
  onProgress: (done: number, of: number) => void = () => {},
): Promise<Verification> {
  const problems: Problem[] = []
  const notes: string[] = []
  for (const what of await store.upkeep.integrity())
    problems.push({ what: `SQLite says: ${what}.`, remedy: ANEW })
  for (const { what, rows } of await store.upkeep.strays())
    problems.push({ what: `${rows} rows of ${what} belong to no session.`, remedy: ANEW })
  const list = store.list()
  const ids = new Set(list.map(({ id }) => id))
  let entries = 0
  for (const [i, { id, damaged, parent }] of list.entries()) {
    onProgress(i, list.length)
    if (parent !== undefined && !ids.has(parent))
      notes.push(`Session ${id} is a subagent's of session ${parent}, which is not in the store.`)
    const session = await readSession(store, id)
    if (session === undefined) continue
    const what = session instanceof StoreError ? session.message : (damaged ?? problemIn(session))
    if (!(session instanceof StoreError)) entries += session.log.length
    if (what === undefined) continue
    problems.push({ session: id, what: sentence(what), remedy: `\`sotto sessions repair ${id}\`` })
  }
  for (const { session, message } of store.lost())
    if (!problems.some((problem) => problem.session === session))
      problems.push({ session, what: message, remedy: `\`sotto sessions delete ${session}\`` })
  let texts = 0
  await store.upkeep.eachText((hash, text) => {
    texts++
    if (text !== undefined && textHash(text) === hash) return
    problems.push({ what: `The text of a file that is kept as ${hash} is damaged.`, remedy: ANEW })
  })
  return { sessions: list.length, entries, texts, problems, notes }
}

async function readSession(store: Store, id: string): Promise<StoredSession | StoreError | undefined> {
  try {
    return await store.upkeep.read(id)
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
}

/** The first thing that is wrong with a session, in words. */
function problemIn(session: StoredSession): string | undefined {
  const { log, posted } = session
  const entries: Entry[] = []
  for (const [i, { seq, body }] of log.entries()) {
    if (seq !== i) return i === 0 || log[i - 1]?.seq !== seq ? `entry ${i} is missing` : `entry ${seq} is there twice`
    const entry = body === undefined ? undefined : parsed(body)
    if (entry === undefined) return `entry ${i} is no JSON`
    entries.push(entry as Entry)
  }
  if (log.length !== session.entries)
    return `its row counts ${session.entries} entries, and its log has ${log.length}`
  if (entries.length === 0) return "its log is empty"
  const { why } = longestWhole(entries)
  if (why !== undefined) return why
  const command = posted.find(({ body, outcome }) => !isJson(body) || (outcome !== null && !isJson(outcome)))
  if (command !== undefined) return `the posted command ${command.id} is no JSON`
  return miscountIn(session, entries)
}

function isJson(text: string): boolean {
  return parsed(text) !== undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`
}
