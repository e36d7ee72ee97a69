import { inline } from "../text/reminder-text.js"
import { takeTokens } from "../text/tokens.js"
import type { Dropped, EconomyInput, TokenCounter } from "../vocabulary/economy.js"
import type { HeldResult } from "../vocabulary/exchange.js"
import type { Json } from "../vocabulary/json.js"
import type { ResultPolicy, ToolDefinition } from "../vocabulary/tool.js"

/** How much stays of what a call returned that cannot be made again. */
const LAST_LINES = 20
const LAST_TOKENS = 400

/** About what stands for a dropped result. */
const STUB_TOKENS = 35
const TAIL_TOKENS = STUB_TOKENS + LAST_TOKENS
const LONGEST_SUBJECT = 120

/** Words what stands for a result whose call can be made again. */
function stubOf(result: HeldResult, subject: string | undefined): string {
  const { name, tokens } = result
  return `[${about(name, subject)}: about ${tokens} tokens, dropped to save cost. Call ${name} again if you need them.]`
}

/** Words what stands for a result whose call should not be made again: its last lines stay. */
function tailOf(result: HeldResult, count: TokenCounter): string {
  const lines = textOf(result).trimEnd().split("\n")
  const kept = lastTokens(lines.slice(-LAST_LINES).join("\n"), count)
  const { name, tokens } = result
  return `[${name}: about ${tokens} tokens, all but the last lines dropped to save cost. If you need more, call ${name} again only if that does no harm. The last lines:]\n${kept}`
}

function about(name: string, subject: string | undefined): string {
  return subject === undefined ? name : `${name} ${inline(subject).slice(0, LONGEST_SUBJECT)}`
}

function textOf({ output }: HeldResult): string {
  return output
    .filter((part) => part.ignored !== true)
    .map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`))
    .join("\n")
}

/** Takes the end of a text, at most LAST_TOKENS of it. */
function lastTokens(text: string, count: TokenCounter): string {
  if (count(text) <= LAST_TOKENS) return text
  const reversed = (of: string) => [...of].reverse().join("")
  return `… ${reversed(takeTokens(reversed(text), LAST_TOKENS, count))}`
}

/** How many of the newest results stay, however large they are. */
const NEWEST = 2
/** A result that would shrink by less is not worth a stub. */
const LEAST_SAVED = 100

/** A result that the model is not likely to need again. */
export interface Stale {
  readonly result: HeldResult
  /** What dropping it saves: its tokens less those of what stands for it. */
  readonly saved: number
  readonly policy: Policy
}

type Policy = "stub" | "tail" | "keep"

/**
 * Lists the stale results of an epoch, oldest first: what is older than the newest `keep` tokens of results, and a read
 * that a later read of the same file has superseded, however new it is. Never a read that is younger than the last
 * change of its file: the model may be working on it.
 */
export function staleResults(
  { held, pending, tool }: Pick<EconomyInput, "held" | "pending" | "tool">,
  keep: number,
): readonly Stale[] {
  // Most conversations have nothing that is worth a stub: that is found out without a look at any input.
  if (!held.some(({ tokens, dropped }) => !dropped && tokens >= STUB_TOKENS + LEAST_SAVED)) return []
  const changed = lastChanges(held, tool)
  const later = new LaterReads()
  const stale: Stale[] = []
  let room = keep - pending.reduce((sum, tokens) => sum + tokens, 0)
  let newer = pending.length
  for (let i = held.length - 1; i >= 0; i--) {
    const result = held[i]
    if (result === undefined) continue
    room -= result.tokens
    const isNew = room >= 0 || newer < NEWEST
    newer++
    const definition = tool(result.name)
    const call = filesOf(result, definition)
    const superseded = later.supersede(call)
    if (!result.error && !result.dropped) later.add(call)
    if (result.dropped || (isNew && !superseded)) continue
    if (call.reads !== undefined && i > changed(call.reads)) continue
    const policy = policyOf(definition)
    const saved = result.tokens - (policy === "tail" ? TAIL_TOKENS : STUB_TOKENS)
    if (policy !== "keep" && saved >= LEAST_SAVED) stale.push({ result, saved, policy })
  }
  return stale.reverse()
}

/** Makes what stands for a stale result. */
export function dropped({ result, policy }: Stale, tool: EconomyInput["tool"], count: TokenCounter): Dropped {
  const { reads } = filesOf(result, tool(result.name))
  return { id: result.id, text: policy === "tail" ? tailOf(result, count) : stubOf(result, reads) }
}

function policyOf(tool: ToolDefinition | undefined): Policy {
  return tool?.results?.old ?? (tool?.safeToRepeat ? "stub" : "tail")
}

/** The files that a call is about, as far as its tool says in which field of the input they stand. */
interface CallFiles {
  readonly tool: ToolDefinition | undefined
  readonly reads: string | undefined
  readonly edits: string | undefined
  /** The same text stands for the same call. */
  readonly call: string
  /** True if the input names the file and nothing else: all of it was read. */
  readonly isWhole: boolean
}

/** Kept with each result, because every step asks for those of the whole epoch. */
const FILES = new WeakMap<HeldResult, CallFiles>()

function filesOf(result: HeldResult, tool: ToolDefinition | undefined): CallFiles {
  const known = FILES.get(result)
  if (known !== undefined && known.tool === tool) return known
  const { name, input } = result
  const reads = subjectOf(tool?.results, "reads", input)
  const found = {
    tool,
    reads,
    edits: subjectOf(tool?.results, "edits", input),
    call: reads === undefined ? "" : `${name} ${JSON.stringify(input)}`,
    isWhole: reads !== undefined && Object.keys(input as object).length === 1,
  }
  FILES.set(result, found)
  return found
}

/** Finds the file that a call is about, if its tool says in which field of the input that stands. */
function subjectOf(
  policy: ResultPolicy | undefined,
  field: "reads" | "edits",
  input: Json,
): string | undefined {
  const name = policy?.[field]
  if (name === undefined || typeof input !== "object" || input === null || Array.isArray(input))
    return undefined
  const path = Object.hasOwn(input, name) ? (input as Readonly<Record<string, Json>>)[name] : undefined
  return typeof path === "string" ? plainPath(path) : undefined
}

/** Normalises a path. The engine knows no folder: "./a" and "a" are the same file, "/x/a" and "a" are taken to be. */
function plainPath(path: string): string {
  return path.replace(/^(\.\/+)+/, "").replace(/\/{2,}/g, "/")
}

/** Finds, for each file, where in the list the newest result of a call stands that changed it. */
function lastChanges(held: readonly HeldResult[], tool: EconomyInput["tool"]): (path: string) => number {
  const byName = new Map<string, { readonly path: string; readonly at: number }[]>()
  held.forEach((result, at) => {
    const path = result.error ? undefined : filesOf(result, tool(result.name)).edits
    if (path === undefined) return
    const name = lastPart(path)
    byName.set(name, [...(byName.get(name) ?? []), { path, at }])
  })
  return (path) => {
    const found = byName.get(lastPart(path))?.findLast((change) => isSameFile(change.path, path))
    // Nothing is younger than a change that never was.
    return found?.at ?? Number.POSITIVE_INFINITY
  }
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

function isSameFile(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)
}

/** Reads that come after the one that is looked at. */
class LaterReads {
  readonly #calls = new Set<string>()
  readonly #whole = new Set<string>()

  add({ reads, call, isWhole }: CallFiles): void {
    if (reads === undefined) return
    this.#calls.add(call)
    if (isWhole) this.#whole.add(reads)
  }

  /** True if a later read tells all that this one does. */
  supersede({ reads, call }: CallFiles): boolean {
    return reads !== undefined && (this.#whole.has(reads) || this.#calls.has(call))
  }
}
