import type { Dropped, EconomyInput, TokenCounter } from "../vocabulary/economy.js"
import type { HeldResult } from "../vocabulary/exchange.js"
import type { Json } from "../vocabulary/json.js"
import type { ResultPolicy, ToolDefinition } from "../vocabulary/tool.js"
import { STUB_TOKENS, stubOf, TAIL_TOKENS, tailOf } from "./stub.js"

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
    const path = subjectOf(definition?.results, "reads", result.input)
    const superseded = path !== undefined && later.supersede(result, path)
    if (path !== undefined && !result.error && !result.dropped) later.add(result, path)
    if (result.dropped || (isNew && !superseded)) continue
    if (path !== undefined && i > changed(path)) continue
    const policy = policyOf(definition)
    const saved = result.tokens - (policy === "tail" ? TAIL_TOKENS : STUB_TOKENS)
    if (policy !== "keep" && saved >= LEAST_SAVED) stale.push({ result, saved, policy })
  }
  return stale.reverse()
}

/** Makes what stands for a stale result. */
export function dropped({ result, policy }: Stale, tool: EconomyInput["tool"], count: TokenCounter): Dropped {
  const subject = subjectOf(tool(result.name)?.results, "reads", result.input)
  return { id: result.id, text: policy === "tail" ? tailOf(result, count) : stubOf(result, subject) }
}

function policyOf(tool: ToolDefinition | undefined): Policy {
  return tool?.results?.old ?? (tool?.safeToRepeat ? "stub" : "tail")
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
    const path = result.error ? undefined : subjectOf(tool(result.name)?.results, "edits", result.input)
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
  readonly #inputs = new Set<string>()
  readonly #whole = new Set<string>()

  add({ name, input }: HeldResult, path: string): void {
    this.#inputs.add(`${name} ${JSON.stringify(input)}`)
    // Only the file is named: all of it was read.
    if (Object.keys(input as object).length === 1) this.#whole.add(path)
  }

  /** True if a later read tells all that this one does. */
  supersede({ name, input }: HeldResult, path: string): boolean {
    return this.#whole.has(path) || this.#inputs.has(`${name} ${JSON.stringify(input)}`)
  }
}
