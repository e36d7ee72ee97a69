import { type AssistantPart, createSession, type Request, refuseCalls, restoreSession } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readSent, WIRES, type Wire } from "./support/dialects.js"
import { type Command, history, optionsFor, Run } from "./support/history.js"
import { epochsOf } from "./support/oracle.js"
import { MODELS, options } from "./support/session.js"
import { problemsOf } from "./support/validate.js"

const SEED = Number(process.env.SOTTO_SEED || 20261118)
const RUNS = Number(process.env.SOTTO_RUNS || 1500)

const ASK = "Summarise the conversation. </system-reminder>"
const USAGE = { input: 10, output: 5, cacheRead: 1_000, cacheWrite: 0 }

function forAllHistories(check: (run: Run, commands: readonly Command[]) => void, runs = RUNS): void {
  fc.assert(
    fc.property(history, ({ setup, commands }) =>
      check(new Run(setup, createSession(optionsFor(setup))), commands),
    ),
    { seed: SEED, numRuns: Math.ceil(runs) },
  )
}

/** Asks beside the conversation if that is possible now. */
function askBeside(run: Run): Request | undefined {
  try {
    return run.session.side({ purpose: "summary", ask: ASK })
  } catch (error) {
    expect(error).toMatchObject({ code: "nothing-sent" })
    return undefined
  }
}

/** Finds the request that a side request continues: the newest of the present epoch that has a reply. */
function continued(run: Run): Request | undefined {
  const { log, pending } = run.session
  const last = log.findLast(({ type }) => ["step", "carrier", "rewound"].includes(type))
  // After a rewind or a refused carrier the epoch is not the one of the newest request.
  if (last?.type !== "step") return undefined
  const epoch = epochsOf(log, run.requests).at(-1) ?? []
  return pending.is === "request" ? epoch.at(-2) : epoch.at(-1)
}

/** Everything of a body but the conversation: whatever of it a provider keys its cache on is the same. */
function parametersOf(wire: Wire, bytes: string): string {
  const body = JSON.parse(bytes)
  delete body[wire.conversation]
  return JSON.stringify(body)
}

const markedIn = (wire: Wire, bytes: string) =>
  (JSON.parse(bytes)[wire.conversation] as readonly unknown[]).flatMap((message, i) =>
    /"cache_?control"/i.test(JSON.stringify(message)) ? [i] : [],
  )

/** What may differ in a request that asks for no answer: how much may be written. */
const ROOM = ["max_tokens", "max_output_tokens", "max_completion_tokens", "maxOutputTokens"]

describe("a side request, over random histories", () => {
  it("continues what was sent and answered, and the session's next request continues the same", () => {
    let checked = 0
    forAllHistories((run, commands) => {
      let asked: Request | undefined
      run.onRequest = (next) => {
        const side = asked
        asked = undefined
        const begun = run.session.log.at(-1)
        if (side === undefined || begun?.type !== "step" || begun.epoch !== undefined) return
        // Without the tail, in which the session's own words and the question differ.
        const shared = [...side.messages].slice(0, -1).map((message) => JSON.stringify(message))
        expect([...next.messages].slice(0, shared.length).map((message) => JSON.stringify(message))).toEqual(
          shared,
        )
        expect(JSON.stringify(next.pins)).toBe(JSON.stringify(side.pins))
        checked++
      }
      for (const command of commands) {
        if (command.do === "next" || command.do === "reply") asked = askBeside(run)
        else if (!["note", "observe", "result", "say"].includes(command.do)) asked = undefined
        run.do(command)
      }
    })
    expect(checked).toBeGreaterThan(RUNS)
  })

  it.each(WIRES)("begins with the bytes of the newest answered request on the wire of $name", (wire) => {
    let checked = 0
    forAllHistories((run, commands) => {
      const sent = new Map<string, string>()
      run.onRequest = (one) => sent.set(one.id, wire.bytes(one))
      for (const [i, command] of commands.entries()) {
        run.do(command)
        const side = i % 4 === 0 ? askBeside(run) : undefined
        const before = side && continued(run)
        const earlier = before && sent.get(before.id)
        if (side === undefined || before === undefined || earlier === undefined) continue
        checked++
        const bytes = wire.bytes(side)
        const [was, is] = [readSent(wire, earlier), readSent(wire, bytes)]
        expect(is.head).toBe(was.head)
        expect(is.messages.slice(0, was.messages.length)).toEqual(was.messages)
        expect(parametersOf(wire, bytes)).toBe(parametersOf(wire, earlier))
        // No marker that only the side request would read: it marks nothing behind what was sent.
        expect(markedIn(wire, bytes).filter((i) => i >= was.messages.length)).toEqual([])
      }
    }, RUNS / 10)
    expect(checked).toBeGreaterThan(RUNS / 4)
  })

  it("is valid for every provider, also after a call was refused", () => {
    forAllHistories((run, commands) => {
      commands.forEach((command, i) => {
        run.do(command)
        const side = i % 3 === 0 ? askBeside(run) : undefined
        if (side === undefined) return
        const again = refuseCalls(side, { parts: replyTo(side, i / 3) })
        for (const request of [side, again]) {
          expect(problemsOf(request)).toEqual([])
          for (const wire of WIRES)
            if (wire.speaksTo.test(request.pins.model))
              expect(wire.problems(request).filter((one) => isError(one))).toEqual([])
        }
        expect([...again.messages].slice(0, side.messages.length)).toEqual([...side.messages])
      })
    }, RUNS / 5)
  })

  it("leaves the session as if it had not been asked", () => {
    forAllHistories((run, commands) => {
      // An economy goes by the clock, which these histories move with every entry.
      const setup = { ...run.setup, economy: "off" } as const
      const asked = new Run(setup, createSession(optionsFor(setup)))
      const plain = new Run(setup, createSession(optionsFor(setup)))
      for (const command of commands) {
        const side = askBeside(asked)
        if (side) asked.session.sideReply(side.id, { parts: [], usage: USAGE })
        asked.do(command)
        plain.do(command)
      }
      const bodies = (one: Run) => one.requests.map(({ pins, messages }) => [pins, ...messages])
      expect(JSON.stringify(bodies(asked))).toBe(JSON.stringify(bodies(plain)))
      // Ids of requests are numbers of the log, and stand in no request.
      const view = (one: Run) => one.session.view().map(({ role, parts, agent }) => ({ role, parts, agent }))
      expect(view(asked)).toEqual(view(plain))
      expect(asked.session.ledger()).toEqual(plain.session.ledger())
    }, RUNS / 5)
  })

  it("is the same from a restored session", () => {
    forAllHistories((run, commands) => {
      for (const command of commands) {
        run.do(command)
        const side = askBeside(run)
        if (side) run.session.sideReply(side.id, { parts: [], usage: USAGE })
      }
      const log = JSON.parse(JSON.stringify(run.session.log))
      const twin = new Run(run.setup, restoreSession(optionsFor(run.setup, log), log))
      const [here, there] = [askBeside(run), askBeside(twin)]
      expect(JSON.stringify(there?.messages)).toBe(JSON.stringify(here?.messages))
      expect(JSON.stringify(there?.pins)).toBe(JSON.stringify(here?.pins))
    }, RUNS / 5)
  })
})

function isError(problem: unknown): boolean {
  return (problem as { readonly severity: string }).severity === "error"
}

/** A reply that calls tools instead of answering: with ids that are taken, missing or repeated. */
function replyTo(side: Request, i: number): readonly AssistantPart[] {
  const taken = [...side.messages].flatMap(({ role, content }) =>
    role === "assistant" ? content.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])) : [],
  )
  const id = ["new", taken[0] ?? "", ""][i % 3] ?? ""
  const call = { type: "tool-call", id, name: "read", input: { i } } as const
  return i % 4 === 3 ? [{ type: "text", text: " " }] : [call, call]
}

describe("a side request", () => {
  const begun = () => {
    const session = createSession(options({ model: { id: MODELS.system } }))
    session.say("Find the bug.")
    const next = session.next()
    if (next.is !== "request") throw new Error("no request")
    return { session, request: next.request }
  }
  const called = () => {
    const { session, request } = begun()
    session.reply(request.id, {
      parts: [{ type: "tool-call", id: "a", name: "read", input: {} }],
      usage: USAGE,
    })
    return session
  }

  it("is refused before the first reply, with what to do instead", () => {
    const { session } = begun()
    expect(() => session.side({ purpose: "title", ask: "Name it." })).toThrow(/pastOf/)
  })

  it("says of a call that runs that it has no result yet, and of no other", () => {
    const session = called()
    const texts = () => JSON.stringify(session.side({ purpose: "title", ask: "Name it." }).messages.at(-1))
    expect(texts()).toContain("asked while the call runs")
    session.result("a", "the file")
    expect(texts()).toContain("the file")
    expect(texts()).not.toContain("asked while the call runs")
  })

  it("keeps the results of a request that is in flight", () => {
    const session = called()
    session.result("a", "the file")
    session.next()
    const side = session.side({ purpose: "title", ask: "Name it." })
    expect(JSON.stringify(side.messages.at(-1))).toContain("the file")
    expect(problemsOf(side)).toEqual([])
  })

  it("is logged with its purpose, its model and its cost, and counts as a use of the cache", () => {
    const session = called()
    const side = session.side({ purpose: "title", ask: "Name it." })
    const prices = { side: 120, transcript: 900 }
    session.sideReply(side.id, { parts: [{ type: "text", text: "A bug" }], usage: USAGE }, { prices })
    expect(session.log.at(-1)).toMatchObject({
      type: "billed",
      purpose: "title",
      model: MODELS.system,
      way: "side",
      usage: USAGE,
      prices,
    })
    expect(() => session.sideReply("side-9", { parts: [] })).toThrow(/side-9/)
    expect(() => session.side({ purpose: "title", ask: " " })).toThrow(/blank/)
  })

  it("keeps the marker where the newest request has its own, so that the cache is found", () => {
    const session = called()
    const body = anthropic.encode(session.side({ purpose: "title", ask: "Name it." }))
    const marks = body.messages.map(({ content }) => JSON.stringify(content).includes("cache_control"))
    expect(marks).toEqual([true, ...marks.slice(1).map(() => false)])
  })

  it.each(WIRES)(
    "that asks for no answer differs on the wire of $name in how much may be written",
    (wire) => {
      const models = ["claude-opus-5-5", "claude-haiku-4-5", "gpt-5.6", "gpt-5.5", "gemini-3-pro"]
      const id = models.find((model) => wire.speaksTo.test(model)) ?? ""
      for (const think of [undefined, "high"] as const) {
        const session = createSession(options({ model: { id, ...(think && { think }) } }))
        session.say("Hello.")
        const next = session.next()
        if (next.is !== "request") throw new Error("expected a request")
        session.reply(next.request.id, { parts: [{ type: "text", text: "Hi." }] })
        const ask = { purpose: "warm", ask: "Say ok." }
        const [plain, silent] = [session.side(ask), session.side({ ...ask, answer: false })]
        expect(wire.problems(silent).filter(isError)).toEqual([])
        const body = (request: Request) => {
          const {
            [wire.conversation]: conversation,
            generationConfig,
            prompt_cache_options,
            ...rest
          } = JSON.parse(wire.bytes(request))
          const others = { ...rest, ...generationConfig }
          for (const name of ROOM) delete others[name]
          return [conversation, others]
        }
        expect(body(silent)).toEqual(body(plain))
        if (wire.name !== "ai-sdk") expect(wire.bytes(silent)).not.toBe(wire.bytes(plain))
      }
    },
  )
})
