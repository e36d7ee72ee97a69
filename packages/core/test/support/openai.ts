import { type AssistantPart, createSession, type Reply, type Request, type Session } from "@sotto/core"
import fc from "fast-check"
import { expect } from "vitest"
import { history, optionsFor, Run, type Setup } from "./history.js"
import { epochsOf } from "./oracle.js"
import { calls, exchange, request, start, work } from "./session.js"

interface Dialect<Body> {
  encode(request: Request): Body
  encodeBytes(request: Request): readonly Uint8Array[]
  validate(body: unknown): readonly unknown[]
}

export const bytes = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()

/** Two of OpenAI's own, and two that others serve. */
const MODELS = ["gpt-5.6", "o4-mini", "deepseek-chat", "qwen3-coder"]

/**
 * Every request of random histories, whose reasoning is as the dialect decodes it: the body is accepted, the same in
 * pieces and in one, and within an epoch its items only grow.
 */
export function holdsForAllHistories<Body>(
  { encode, encodeBytes, validate }: Dialect<Body>,
  itemsOf: (body: Body) => readonly unknown[],
  asDecoded: (part: AssistantPart) => AssistantPart,
  runs: number,
): void {
  const check = (setup: Setup, commands: Parameters<Run["do"]>[0][]) => {
    const run = new Run(setup, createSession(optionsFor(setup)))
    for (const one of commands) {
      run.session = reasoning(run.session, asDecoded)
      const before = run.requests.length
      run.do(one)
      for (const sent of run.requests.slice(before))
        expect(bytes(encodeBytes(sent))).toBe(JSON.stringify(encode(sent)))
    }
    for (const sent of run.requests) expect(validate(encode(sent))).toEqual([])
    for (const epoch of epochsOf(run.session.log, run.requests)) {
      const sent = epoch.map((one) => itemsOf(encode(one)).map((item) => JSON.stringify(item)))
      sent.forEach((items, i) => {
        const earlier = sent[i - 1] ?? []
        expect(items.slice(0, earlier.length)).toEqual(earlier)
      })
    }
  }
  fc.assert(
    fc.property(history, fc.constantFrom(...MODELS), ({ setup, commands }, model) =>
      check({ ...setup, model: model as Setup["model"] }, commands),
    ),
    { seed: 20261115, numRuns: runs },
  )
}

const dressed = new WeakSet<Session>()

/** The session, with the reasoning of every reply as a dialect would have decoded it. */
function reasoning(session: Session, asDecoded: (part: AssistantPart) => AssistantPart): Session {
  const decodedIn = (reply: Reply) => ({ ...reply, parts: reply.parts.map(asDecoded) })
  if (dressed.has(session)) return session
  const proxy = new Proxy(session, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== "function") return value
      if (name !== "reply" && name !== "partial") return value.bind(target)
      return (id: string, reply: Reply | (() => Reply)) =>
        value.call(target, id, decodedIn(typeof reply === "function" ? reply() : reply))
    },
  })
  dressed.add(proxy)
  return proxy
}

/** The first and the last request of a turn that may take three steps. */
export function firstAndLast(model: string): readonly Request[] {
  const session = start({ model: { id: model }, agent: "brief" })
  session.say("go")
  return [work(session, "a"), work(session, "b"), request(session)].filter((_, i) => i !== 1)
}

/** A request with two results, words that came meanwhile, and something to say for the harness. */
export function busyBoundary(model: string): Request {
  const session = start({ model: { id: model } })
  session.say("go")
  exchange(session, calls("a", "b"))
  session.result("a", "one")
  session.result("b", "two", { error: true })
  session.say("also the tests")
  session.switchAgent("plan")
  return request(session)
}

/** What goes up after an answer that called these tools, and their results. */
export function afterReply(model: string, reply: Reply, results: Readonly<Record<string, string>>): Request {
  const session = start({ model: { id: model } })
  session.say("go")
  exchange(session, reply)
  for (const [id, output] of Object.entries(results)) session.result(id, output)
  return request(session)
}

/** What goes up after a stream was cut: what could be kept of the reply, and new words. */
export function afterCut(model: string, partial: Reply): Request {
  const session = start({ model: { id: model } })
  session.say("go")
  session.partial(request(session).id, partial)
  session.abort()
  session.say("again")
  return request(session)
}

/** A stream that was fed so many of its events. */
export function fed<Delta>(
  stream: { push(event: unknown): readonly Delta[]; soFar(): Reply },
  events: readonly unknown[],
): { readonly deltas: readonly Delta[]; readonly reply: Reply } {
  const deltas = events.flatMap((event) => stream.push(event))
  return { deltas, reply: stream.soFar() }
}
