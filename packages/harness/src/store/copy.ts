import type { SessionCatalogue, SessionLeases, StoreUpkeep } from "./contract.js"
import { StoreError } from "./error.js"
import { namesIn } from "./names.js"
import type { SessionSummary } from "./summary.js"
import { textHash } from "./text-hash.js"
import type { StoredCommand, StoredSession } from "./upkeep.js"

/** What copying needs of a store. */
type CopiedStore = StoreUpkeep & SessionCatalogue & Pick<SessionLeases, "holder">

export interface CopyOptions {
  /** Only these sessions, with those of their subagents. */
  readonly sessions?: readonly string[]
  /** Says what would be done, and changes nothing. */
  readonly dryRun?: boolean
  /** Leaves out sessions that a worker has open. */
  readonly idleOnly?: boolean
  onProgress?(doing: "copying" | "verifying", done: number, of: number): void
}

/** What became of a session that was to be copied. */
export interface CopiedSession {
  readonly id: string
  /**
   * `copied`: the target did not have it. `continued`: the target had a beginning of its log. `updated`: it had the log,
   * and not the rest. `equal`: it had everything. `ahead`: it has gone on there. `refused`: see `why`.
   */
  readonly is: "copied" | "continued" | "updated" | "equal" | "ahead" | "refused"
  /** How many entries the target has of it now, and how many of them are new. */
  readonly entries: number
  readonly added: number
  /** True if a worker had it open: what it writes from now on is missing, and so is what waits for it. */
  readonly isOpen?: boolean
  readonly why?: string
}

/** What was copied from one store to another. */
export interface CopyReport {
  readonly sessions: readonly CopiedSession[]
  /** Texts of files that are new in the target. */
  readonly texts: number
  /** Hashes of texts that are damaged in the source. They were left out. */
  readonly damagedTexts: readonly string[]
  /** How many sessions were compared at the end, byte for byte, and what differs. */
  readonly verified: number
  readonly differences: readonly string[]
}

/** Hashes that are asked for at once, and texts that are moved at once. */
const NAMES_AT_ONCE = 1_000
const TEXTS_AT_ONCE = 50

/**
 * Copies sessions from one store to another, each in one transaction: so the target has either nothing new of a session
 * or all of it, however the copy ends, and copying again goes on where it ended. A session whose log differs in the
 * target is left alone there.
 */
export async function copySessions(
  from: CopiedStore,
  to: CopiedStore | undefined,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const wanted = wantedOf(await from.list(), options.sessions)
  const sessions: CopiedSession[] = []
  const texts: MovedTexts = { added: 0, damaged: new Set() }
  for (const [i, summary] of wanted.entries()) {
    options.onProgress?.("copying", i, wanted.length)
    try {
      sessions.push(await copyOne(from, to, summary, options, texts))
    } catch (error) {
      if (!(error instanceof StoreError) || error.code === "unavailable") throw error
      sessions.push(refused(summary.id, error.message))
    }
  }
  const differences: string[] = []
  const moved = options.dryRun || to === undefined ? [] : sessions.filter(({ is }) => is !== "refused")
  for (const [i, session] of moved.entries()) {
    options.onProgress?.("verifying", i, moved.length)
    const difference = to && (await differenceOf(from, to, session))
    if (difference !== undefined) differences.push(`session ${session.id}: ${difference}`)
  }
  return {
    sessions,
    texts: texts.added,
    damagedTexts: [...texts.damaged],
    verified: moved.length,
    differences,
  }
}

/** Lists the wanted sessions, the oldest first; of named ones also those of their subagents. */
function wantedOf(
  list: readonly SessionSummary[],
  named: readonly string[] | undefined,
): readonly SessionSummary[] {
  const all = list.toReversed()
  if (named === undefined) return all
  for (const id of named)
    if (!list.some((summary) => summary.id === id))
      throw new StoreError("unknown-session", `There is no session ${id} to copy.`, "Nothing was copied.")
  const wanted = new Set(named)
  for (let before = 0; before < wanted.size; ) {
    before = wanted.size
    for (const { id, parent } of all) if (parent !== undefined && wanted.has(parent)) wanted.add(id)
  }
  return all.filter(({ id }) => wanted.has(id))
}

async function copyOne(
  from: CopiedStore,
  to: CopiedStore | undefined,
  { id, damaged }: SessionSummary,
  { dryRun = false, idleOnly = false }: CopyOptions,
  texts: MovedTexts,
): Promise<CopiedSession> {
  const wasOpen = (await from.holder(id)) !== undefined
  const read = await from.upkeep.read(id)
  if (read === undefined) return refused(id, "it was removed meanwhile.")
  const isOpen = wasOpen || (await from.holder(id)) !== undefined
  const wrong = damaged ?? gapIn(read)
  if (wrong !== undefined)
    return refused(id, `${wrong}. \`sotto sessions repair ${id}\` keeps what can be read.`)
  if (isOpen && idleOnly) return refused(id, "somebody has it open.")
  const session = isOpen ? withoutWork(read) : read
  const there = await to?.upkeep.read(id)
  const differs = there && firstDifference(session, there)
  if (differs !== undefined)
    return refused(id, `entry ${differs} of its log is another one in the target. Neither was changed.`)
  const had = there?.log.length ?? 0
  const report = (is: CopiedSession["is"], added: number): CopiedSession => ({
    ...{ id, is, added, entries: Math.max(had, session.entries) },
    ...(isOpen && { isOpen }),
  })
  if (had > session.entries) return report("ahead", 0)
  const moved = to === undefined || dryRun ? 0 : await moveTexts(from, to, session, texts)
  const isSame = there !== undefined && had === session.entries && hasAll(there, session)
  if (isSame) return report(moved > 0 ? "updated" : "equal", 0)
  if (!dryRun) await to?.upkeep.write(session, had)
  const is = there === undefined ? "copied" : had < session.entries ? "continued" : "updated"
  return report(is, session.entries - had)
}

/** Leaves out what the session's holder is doing, or was asked for: that is done where the session is open. */
function withoutWork(session: StoredSession): StoredSession {
  return { ...session, atWork: false, posted: session.posted.filter(({ done }) => done) }
}

function refused(id: string, why: string): CopiedSession {
  return { id, is: "refused", entries: 0, added: 0, why }
}

function gapIn({ log, entries }: StoredSession): string | undefined {
  const bad = log.findIndex(({ seq, body }, i) => seq !== i || body === undefined)
  if (bad >= 0) return `entry ${bad} of its log cannot be read`
  return log.length === entries
    ? undefined
    : `its row counts ${entries} entries, and its log has ${log.length}`
}

function firstDifference(one: StoredSession, other: StoredSession): number | undefined {
  const common = Math.min(one.log.length, other.log.length)
  for (let i = 0; i < common; i++) {
    const [a, b] = [one.log[i], other.log[i]]
    if (a?.seq !== b?.seq || a?.body !== b?.body) return i
  }
  return undefined
}

const FIELDS = [
  ...(["title", "summary", "workspace", "labels", "metadata"] as const),
  ...(["agent", "model", "updated", "messages", "atWork"] as const),
]

/** True if a store has everything of a session beside its log. */
function hasAll(there: StoredSession, session: StoredSession): boolean {
  const known = new Map(there.posted.map((command) => [command.id, command]))
  const hasCommand = ({ id, done }: StoredCommand) => {
    const found = known.get(id)
    return found !== undefined && (found.done || !done)
  }
  return (
    FIELDS.every((name) => storable(there[name]) === storable(session[name])) &&
    session.posted.every(hasCommand)
  )
}

/** Replaces NUL: PostgreSQL cannot keep it in a text. */
function storable(value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value
}

interface MovedTexts {
  added: number
  readonly damaged: Set<string>
}

/** Texts go before the session that names them: without it they do no harm, and the session is whole from the start. */
async function moveTexts(
  from: CopiedStore,
  to: CopiedStore,
  { log }: StoredSession,
  texts: MovedTexts,
): Promise<number> {
  const names = [...new Set(log.flatMap(({ body }) => [...namesIn(body ?? "")]))]
  let moved = 0
  for (const some of slices(names, NAMES_AT_ONCE)) {
    const kept = [...(await from.upkeep.kept(some))]
    if (kept.length === 0) continue
    const there = await to.upkeep.kept(kept)
    for (const missing of slices(
      kept.filter((hash) => !there.has(hash)),
      TEXTS_AT_ONCE,
    )) {
      const found = new Map(await from.upkeep.texts(missing))
      for (const hash of missing) {
        const text = found.get(hash)
        if (text !== undefined && textHash(text) === hash) continue
        found.delete(hash)
        texts.damaged.add(hash)
      }
      await to.upkeep.keepTexts(found)
      moved += found.size
    }
  }
  texts.added += moved
  return moved
}

function* slices<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
}

/** Reads a session from both stores again, and compares them. Either may have gone on since. */
async function differenceOf(
  from: CopiedStore,
  to: CopiedStore,
  copied: CopiedSession,
): Promise<string | undefined> {
  const [one, other] = [await from.upkeep.read(copied.id), await to.upkeep.read(copied.id)]
  if (one === undefined || other === undefined) return "it was removed meanwhile"
  const differs = firstDifference(one, other)
  if (differs !== undefined) return `entry ${differs} is another one in the target`
  if (other.log.length < copied.entries) return `entry ${other.log.length} is missing in the target`
  const fixed = ["cwd", "parent", "created"] as const
  const wrong = fixed.find((name) => storable(one[name]) !== storable(other[name]))
  return wrong && `its ${wrong} is another one in the target`
}
