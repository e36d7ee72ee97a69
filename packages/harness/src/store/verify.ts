import type { Entry } from "@sotto/core"
import { jsonIn } from "@sotto/core/dialect"
import type { SessionCatalogue, StoreUpkeep } from "./contract.js"
import { StoreError } from "./error.js"
import { isJson } from "./json.js"
import { labelsIn } from "./labels.js"
import { textHash } from "./text-hash.js"
import type { StoredSession } from "./upkeep.js"
import { longestWhole, miscountIn } from "./whole.js"

/** Something that is wrong with a store. */
interface Problem {
  readonly session?: string
  readonly what: string
  readonly remedy: string
}

/** What a check of the store found. */
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
  store: StoreUpkeep & SessionCatalogue,
  onProgress: (done: number, of: number) => void = () => {},
): Promise<Verification> {
  const problems: Problem[] = []
  const notes: string[] = []
  const broken = (error: StoreError) => void problems.push({ what: error.message, remedy: ANEW })
  await attempt(async () => {
    for (const what of await store.upkeep.integrity())
      problems.push({ what: `SQLite says: ${what}.`, remedy: ANEW })
  }, broken)
  await attempt(async () => {
    for (const { what, rows } of await store.upkeep.strays())
      problems.push({ what: `${rows} rows of ${what} belong to no session.`, remedy: ANEW })
  }, broken)
  const list = (await attempt(async () => store.list(), broken)) ?? []
  const ids = new Set(list.map(({ id }) => id))
  let entries = 0
  for (const [i, { id, damaged, parent }] of list.entries()) {
    onProgress(i, list.length)
    if (parent !== undefined && !ids.has(parent))
      notes.push(`Session ${id} is a subagent's of session ${parent}, which is not in the store.`)
    let what = damaged
    const session = await attempt(
      async () => await store.upkeep.read(id),
      (error) => {
        what = error.message
      },
    )
    entries += session?.log.length ?? 0
    what ??= session && problemIn(session)
    if (what !== undefined)
      problems.push({ session: id, what: sentence(what), remedy: `\`sotto sessions repair ${id}\`` })
  }
  await attempt(async () => {
    for (const { session, message } of await store.lost())
      if (!problems.some((problem) => problem.session === session))
        problems.push({ session, what: message, remedy: `\`sotto sessions delete ${session}\`` })
  }, broken)
  let texts = 0
  await attempt(
    async () =>
      await store.upkeep.eachText((hash, text) => {
        texts++
        if (text !== undefined && textHash(text) === hash) return
        problems.push({ what: `The text of a file that is kept as ${hash} is damaged.`, remedy: ANEW })
      }),
    broken,
  )
  return { sessions: list.length, entries, texts, problems, notes }
}

/** Reports what cannot be read as one more problem, so that it hides no other. */
async function attempt<T>(
  work: () => Promise<T>,
  broken: (error: StoreError) => void,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreError) || error.code === "unavailable") throw error
    broken(error)
    return undefined
  }
}

function problemIn(session: StoredSession): string | undefined {
  const { log, posted } = session
  const entries: Entry[] = []
  for (const [i, { seq, body }] of log.entries()) {
    if (seq !== i)
      return i === 0 || log[i - 1]?.seq !== seq ? `entry ${i} is missing` : `entry ${seq} is there twice`
    const entry = body === undefined ? undefined : jsonIn(body)
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
  return labelsIn(session).damaged ?? miscountIn(session, entries)
}

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`
}
