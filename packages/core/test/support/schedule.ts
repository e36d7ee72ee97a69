import { createSession, type Session } from "@sotto/core"
import { breakEven } from "@sotto/core/economy"
import { options } from "./session.js"

/** One step of a session: a call, what it returns, and how long it takes. */
export interface PlayedStep {
  /** Tokens of the result. */
  readonly tokens: number
  /** True if the result may be dropped. */
  readonly isRepeatable: boolean
  /** Minutes between the request before and this one. */
  readonly pause: number
}

export const KEEP = 4_000
const NEWEST = 2
const STUB = 35
const LEAST_SAVED = 100
const [READ, WRITE] = [0.1, 1.25]
const LIFETIME_MINUTES = 5

const TOOLS = [
  { name: "read", description: "Reads.", inputSchema: { type: "object" }, safeToRepeat: true },
  { name: "note", description: "Notes.", inputSchema: { type: "object" }, results: { old: "keep" } },
] as const

/** What a session is made of, as the engine counted it when it kept everything. */
export interface Course {
  readonly steps: readonly PlayedStep[]
  /** Tokens of each request. */
  readonly sent: readonly number[]
  /** Tokens before the exchange that carries the result of each step. */
  readonly starts: readonly number[]
}

/** Plays the steps with the engine. Returns the session, and the tokens of each request. */
export function played(steps: readonly PlayedStep[], economy: "on" | "off") {
  let minutes = 0
  const session = createSession(
    options({
      tools: TOOLS,
      rules: [],
      now: () => minutes * 60_000,
      ...(economy === "on" && { economy: breakEven({ keep: KEEP, lifetime: "5m" }) }),
    }),
  )
  const [sent, starts]: [number[], number[]] = [[], []]
  session.say("Begin.")
  for (const [i, { tokens, isRepeatable, pause }] of steps.entries()) {
    const request = requested(session)
    sent.push(session.context.tokens)
    const name = isRepeatable ? "read" : "note"
    session.reply(request, { parts: [{ type: "tool-call", id: `c${i}`, name, input: { i } }] })
    starts.push(session.context.tokens)
    session.result(`c${i}`, "word".repeat(tokens))
    minutes += pause
  }
  requested(session)
  sent.push(session.context.tokens)
  return { session, course: { steps, sent, starts } satisfies Course }
}

function requested(session: Session): string {
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  return next.request.id
}

/** The results that are stale when request n is made, by the rule in words, and not by the engine's code. */
function staleAt({ steps }: Course, n: number): readonly number[] {
  let room = KEEP
  const stale: number[] = []
  for (let i = n - 1; i >= 0; i--) {
    const { tokens, isRepeatable } = steps[i] as PlayedStep
    room -= tokens
    if (room >= 0 || n - 1 - i < NEWEST) continue
    if (isRepeatable && tokens - STUB >= LEAST_SAVED) stale.push(i)
  }
  return stale.reverse()
}

/**
 * What the requests cost if a rebase drops everything stale at these: in input-token equivalents. `dropped` is for
 * comparison with the log.
 */
export function costOf(course: Course, rebases: ReadonlySet<number>) {
  const gone = new Set<number>()
  const dropped: (readonly number[])[] = []
  let cost = 0
  for (let n = 0; n < course.sent.length; n++) {
    const fresh = rebases.has(n) ? staleAt(course, n).filter((i) => !gone.has(i)) : []
    const before = savedBy(course, gone)
    const first = fresh[0]
    const kept =
      first === undefined ? undefined : (course.starts[first] ?? 0) - savedBefore(course, gone, first)
    for (const i of fresh) gone.add(i)
    if (fresh.length > 0) dropped.push(fresh)
    const all = (course.sent[n] ?? 0) - savedBy(course, gone)
    const had = n === 0 ? 0 : (course.sent[n - 1] ?? 0) - before
    const read = isExpired(course, n) ? 0 : (kept ?? had)
    cost += READ * read + WRITE * (all - read)
  }
  return { cost, dropped }
}

/** The cheapest schedule, known only when the session is over: by the last rebase, step after step. */
export function bestSchedule(course: Course): number {
  const steps = course.sent.length
  const stale = course.sent.map((_, n) => staleAt(course, n))
  const saved = stale.map((list) => savedBy(course, new Set(list)))
  // best[s]: the least that the requests so far cost if the last rebase was at s; -1 stands for none.
  let best = new Map<number, number>([[-1, 0]])
  for (let n = 0; n < steps; n++) {
    const next = new Map<number, number>()
    const put = (last: number, cost: number) => next.set(last, Math.min(cost, next.get(last) ?? Infinity))
    for (const [last, cost] of best) {
      const off = last < 0 ? 0 : (saved[last] ?? 0)
      const had = n === 0 || isExpired(course, n) ? 0 : (course.sent[n - 1] ?? 0) - off
      put(last, cost + READ * had + WRITE * ((course.sent[n] ?? 0) - off - had))
      const gone = new Set(last < 0 ? [] : stale[last])
      const first = stale[n]?.find((i) => !gone.has(i))
      if (first === undefined) continue
      const kept = isExpired(course, n) ? 0 : (course.starts[first] ?? 0) - savedBefore(course, gone, first)
      put(n, cost + READ * kept + WRITE * ((course.sent[n] ?? 0) - (saved[n] ?? 0) - kept))
    }
    best = next
  }
  return Math.min(...best.values())
}

function isExpired({ steps }: Course, n: number): boolean {
  return n > 0 && (steps[n - 1]?.pause ?? 0) > LIFETIME_MINUTES
}

function savedBy({ steps }: Course, gone: ReadonlySet<number>): number {
  return [...gone].reduce((sum, i) => sum + (steps[i]?.tokens ?? 0) - STUB, 0)
}

function savedBefore(course: Course, gone: ReadonlySet<number>, first: number): number {
  return savedBy(course, new Set([...gone].filter((i) => i < first)))
}
