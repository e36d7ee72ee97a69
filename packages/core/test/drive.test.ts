import { readFileSync } from "node:fs"
import {
  createSession,
  type Delta,
  ProviderError,
  type Reply,
  restoreSession,
  type Session,
  type SessionOptions,
} from "@sotto/core"
import * as aiSdk from "@sotto/core/ai-sdk"
import * as anthropic from "@sotto/core/anthropic"
import { type DriveOptions, drive, type SendContext } from "@sotto/core/drive"
import * as chat from "@sotto/core/openai-chat"
import { expectAppendOnly } from "@sotto/core/testing"
import { describe, expect, it } from "vitest"

const OPTIONS: SessionOptions = {
  agents: [{ name: "build" }],
  model: { id: "claude-sonnet-5", dialect: "anthropic" },
  tools: ["read", "write", "finish"].map((name) => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: "object" },
  })),
  now: () => 0,
  newId: () => "id",
}

const start = (given: Partial<SessionOptions> = {}): Session => createSession({ ...OPTIONS, ...given })

/** The events of Anthropic's stream that say this text and make these calls. */
function events(text: string, ...calls: readonly string[]): object[] {
  const blocks = [
    ...(text === "" ? [] : [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text } }]),
    ...calls.map((name, i) => ({
      start: { type: "tool_use", id: `${name}-${i}`, name, input: {} },
      delta: { type: "input_json_delta", partial_json: "{}" },
    })),
  ]
  return [
    { type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ]
}

const WHOLE = {
  type: "message",
  id: "m",
  content: [{ type: "text", text: "Whole." }],
  stop_reason: "end_turn",
}

const HANG = Symbol("hang")
type Step = readonly (object | typeof HANG | Error)[] | Error

/** A provider that answers with these steps in turn, and keeps what it was sent. */
function provider(...steps: readonly Step[]) {
  const bodies: anthropic.Body[] = []
  const sendings: SendContext[] = []
  const left = [...steps]
  async function* stream(step: readonly (object | typeof HANG | Error)[], signal: AbortSignal) {
    for (const event of step) {
      if (event === HANG) await aborted(signal)
      else if (event instanceof Error) throw event
      else yield event
    }
  }
  return {
    bodies,
    sendings,
    send: async (body: anthropic.Body, sending: SendContext): Promise<unknown> => {
      expect(anthropic.validate(body).filter(({ severity }) => severity === "error")).toEqual([])
      bodies.push(body)
      sendings.push(sending)
      const step = left.shift()
      if (step === undefined) throw new Error("The script is over.")
      if (step instanceof Error) throw step
      return stream(step, sending.signal)
    },
  }
}

/** Ends as the SDKs' requests do: with an error when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new Error("Request was aborted."))
    if (signal.aborted) fail()
    signal.addEventListener("abort", fail)
  })
}

function deferred<T = void>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** Drives with Anthropic's dialect. */
const go = (session: Session, options: Omit<DriveOptions<anthropic.Body>, "dialect">) =>
  drive(session, { dialect: anthropic, ...options })

const heard = (body: anthropic.Body | undefined) => JSON.stringify(body?.messages)
const count = (body: anthropic.Body | undefined, words: string) => heard(body).split(words).length - 1
const shown = (session: Session) =>
  session
    .view()
    .flatMap(({ role, parts }) =>
      parts.flatMap((part) => (part.type === "text" ? [`${role}: ${part.text}`] : [])),
    )

describe("drive", () => {
  it("sends, runs the calls and sends again, until the model has answered", async () => {
    const model = provider(events("I look.", "read", "write"), events("Done."))
    const session = start()
    session.say("Go")
    const deltas: Delta[] = []
    const { promise: met, resolve: meet } = deferred()
    const end = await go(session, {
      send: model.send,
      tools: {
        read: async () => {
          await met
          return "text"
        },
        write: async (input, { call, signal }) => {
          expect([input, call.name, call.id, signal.aborted]).toEqual([{}, "write", "write-1", false])
          meet()
          return [{ type: "text", text: "written" }]
        },
      },
      onDelta: (delta) => deltas.push(delta),
    })
    expect(end).toEqual({ reason: "done" })
    expect(deltas.flatMap((delta) => (delta.type === "text" ? [delta.text] : []))).toEqual([
      "I look.",
      "Done.",
    ])
    expect(heard(model.bodies[1])).toContain("written")
    expectAppendOnly(model.bodies)
    expect(model.sendings.map(({ attempt, request }) => [attempt, request.step])).toEqual([
      [1, 1],
      [1, 2],
    ])
  })

  it("takes a whole response, or a stream that is no promise", async () => {
    const session = start()
    session.say("Go")
    const answers = [
      Promise.resolve(WHOLE),
      (async function* () {
        yield* events("Streamed.")
      })(),
    ]
    for (const answer of answers) {
      session.say("Go")
      await go(session, { send: () => answer })
    }
    expect(shown(session)).toEqual([
      "user: Go",
      "user: Go",
      "assistant: Whole.",
      "user: Go",
      "assistant: Streamed.",
    ])
  })

  it("has nothing to do in an idle session", async () => {
    expect(await go(start(), { send: async () => expect.unreachable() })).toEqual({ reason: "done" })
  })

  it("gives the body as bytes if that is asked for, with the encoder's options", async () => {
    const session = start()
    session.say("Go")
    let sent = ""
    await drive(session, {
      dialect: anthropic,
      bytes: true,
      encoding: { maxTokens: 77 },
      send: async (pieces) => {
        sent = Buffer.concat(pieces).toString()
        return WHOLE
      },
    })
    expect(JSON.parse(sent)).toMatchObject({ max_tokens: 77 })
  })

  it("refuses what the dialect does not have", async () => {
    const session = start({ model: { id: "any", dialect: "ai-sdk" } })
    session.say("Go")
    const send = async () => (async function* () {})()
    await expect(drive(session, { dialect: aiSdk, send })).rejects.toThrow('"ai-sdk" has no `decoder`')
    await expect(drive(session, { dialect: aiSdk, send, bytes: true })).rejects.toThrow("`encodeBytes`")
  })

  it("refuses a second drive of the same session, and leaves the first alone", async () => {
    const model = provider(events("Done."))
    const session = start()
    session.say("Go")
    const first = go(session, { send: model.send })
    await expect(go(session, { send: model.send })).rejects.toMatchObject({ code: "already-driven" })
    expect(await first).toEqual({ reason: "done" })
    session.say("More")
    await expect(go(session, { send: model.send })).rejects.toThrow("The script is over.")
  })
})

describe("an interrupt by the signal", () => {
  /** Drives until the moment comes, interrupts there, says something, and drives on. */
  async function interrupted(
    step: Step,
    arrange: (
      interrupt: () => void,
      send: DriveOptions<anthropic.Body>["send"],
    ) => Partial<DriveOptions<anthropic.Body>>,
  ): Promise<{ session: Session; bodies: readonly anthropic.Body[] }> {
    const model = provider(step, events("As you wish."))
    const session = start()
    const controller = new AbortController()
    const interrupt = () => {
      controller.abort("the user pressed Esc")
      session.say("Do the other thing.")
    }
    session.say("Go")
    const end = await go(session, {
      send: model.send,
      signal: controller.signal,
      ...arrange(interrupt, model.send),
    })
    expect(end).toEqual({ reason: "interrupted" })
    expect(session.log.at(-2)).toMatchObject({ type: "aborted", reason: "the user pressed Esc" })
    expect(model.bodies).toHaveLength(1)
    expect(await go(session, { send: model.send })).toEqual({ reason: "done" })
    expect(count(model.bodies[1], "Do the other thing.")).toBe(1)
    expectAppendOnly(model.bodies)
    return { session, bodies: model.bodies }
  }

  it("before the first event", async () => {
    const { session } = await interrupted([HANG], (interrupt) => {
      void Promise.resolve().then(() => Promise.resolve().then(interrupt))
      return {}
    })
    expect(shown(session)).toEqual(["user: Go", "user: Do the other thing.", "assistant: As you wish."])
  })

  it("in the middle of the text: what was said is kept", async () => {
    const { bodies } = await interrupted([...events("Half of").slice(0, 3), HANG], (interrupt) => ({
      onDelta: interrupt,
    }))
    expect(count(bodies[1], "Half of")).toBe(1)
  })

  it("in the middle of a tool's input: the call is dropped, and the text before it is kept", async () => {
    const step = events("I look.", "read").slice(0, 6)
    const { bodies } = await interrupted([...step, HANG], (interrupt) => ({
      onDelta: (delta) => delta.type === "tool-input" && interrupt(),
    }))
    expect(count(bodies[1], "I look.")).toBe(1)
    expect(heard(bodies[1])).not.toContain("tool_use")
  })

  it("while a tool runs: it gets the signal, and its late result is dropped", async () => {
    const late = deferred<string>()
    let signalled = false
    const { session, bodies } = await interrupted(events("", "read", "write"), (interrupt) => ({
      tools: {
        read: async () => "read in time",
        write: async (_, { signal }) => {
          signal.addEventListener("abort", () => {
            signalled = true
          })
          await new Promise(setImmediate)
          interrupt()
          return late.promise
        },
      },
    }))
    expect(signalled).toBe(true)
    expect(heard(bodies[1])).toContain("read in time")
    const before = session.log.length
    late.resolve("too late")
    await late.promise
    await new Promise(setImmediate)
    expect(session.log).toHaveLength(before)
  })

  it("between the boundary and the send, with a send that ignores the signal", async () => {
    const { session } = await interrupted([HANG], (interrupt, send) => ({
      send: (body, sending) => {
        void send(body, { ...sending, signal: new AbortController().signal })
        interrupt()
        return new Promise(() => {})
      },
    }))
    expect(shown(session)).toEqual(["user: Go", "user: Do the other thing.", "assistant: As you wish."])
  })

  it("that came before the drive: nothing is sent", async () => {
    const session = start()
    session.say("Go")
    const signal = AbortSignal.abort()
    const end = await go(session, { send: async () => expect.unreachable(), signal })
    expect(end).toEqual({ reason: "interrupted" })
    expect(session.queue()).toMatchObject([{ held: true }])
  })

  it("inside a command, where the session cannot be aborted at once", async () => {
    const controller = new AbortController()
    const session: Session = start({
      onAppend: ([entry]) => {
        if (entry?.type === "step") controller.abort()
      },
    })
    session.say("Go")
    const end = await go(session, { send: provider([HANG]).send, signal: controller.signal })
    expect([end.reason, session.phase]).toEqual(["interrupted", "idle"])
  })

  it("rejects only if the abort itself cannot be stored", async () => {
    const controller = new AbortController()
    const session = start({
      onAppend: ([entry]) => {
        if (entry?.type === "aborted") throw new Error("disk full")
      },
    })
    session.say("Go")
    const driving = go(session, { send: provider([HANG]).send, signal: controller.signal })
    await Promise.resolve()
    controller.abort()
    await expect(driving).rejects.toThrow("disk full")
    expect(session.phase).toBe("awaiting-reply")
  })
})

describe("a command of somebody else", () => {
  it('say with delivery "now" cuts the stream short, keeps what was said, and goes on at once', async () => {
    const model = provider([...events("Half of").slice(0, 3), HANG], events("Changed."))
    const session = start()
    session.say("Go")
    const end = await go(session, {
      send: model.send,
      onDelta: (delta) =>
        delta.type === "text" && delta.text === "Half of" && session.say("Stop that.", { delivery: "now" }),
    })
    expect(end).toEqual({ reason: "done" })
    expect(model.sendings[0]?.signal.aborted).toBe(true)
    expect(count(model.bodies[1], "Half of")).toBe(1)
    expect(count(model.bodies[1], "Stop that.")).toBe(1)
    expectAppendOnly(model.bodies)
  })

  it("is noticed while no event comes", async () => {
    const model = provider([HANG], events("Changed."))
    const session = start()
    session.say("Go")
    const driving = go(session, { send: model.send })
    await new Promise(setImmediate)
    session.say("Stop that.", { delivery: "now" })
    expect(await driving).toEqual({ reason: "done" })
    expect(model.bodies).toHaveLength(2)
  })

  it("abort ends the drive, and endTurn does", async () => {
    for (const [act, reason] of [
      [(session: Session) => void session.abort(), "interrupted"],
      [(session: Session) => session.endTurn(), "ended"],
    ] as const) {
      const session = start()
      session.say("Go")
      const driving = go(session, { send: provider([HANG]).send })
      await new Promise(setImmediate)
      act(session)
      expect(await driving).toEqual({ reason })
    }
  })

  it("a message for the next step is taken up by the drive that runs", async () => {
    const model = provider(events("", "read"), events("Final."), events("That too."))
    const session = start()
    session.say("Go")
    await go(session, {
      send: model.send,
      tools: {
        read: async () => {
          session.say("And this.")
          return "x"
        },
      },
      onDelta: (delta) => delta.type === "text" && delta.text === "Final." && session.say("One more."),
    })
    expect([count(model.bodies[1], "And this."), count(model.bodies[2], "One more.")]).toEqual([1, 1])
  })

  it("a result from elsewhere is taken, and the tool's own is dropped", async () => {
    const model = provider(events("", "read"), events("Done."))
    const session = start()
    session.say("Go")
    const { promise: hangs } = deferred<string>()
    let signal: AbortSignal | undefined
    const driving = go(session, {
      send: model.send,
      tools: {
        read: (_, context) => {
          signal = context.signal
          return hangs
        },
      },
    })
    await new Promise(setImmediate)
    session.result("read-0", "from the cache")
    expect(await driving).toEqual({ reason: "done" })
    expect(signal?.aborted).toBe(true)
    expect(heard(model.bodies[1])).toContain("from the cache")
  })
})

describe("what fails", () => {
  const sameBytes = (bodies: readonly unknown[]) =>
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)

  it.each([
    ["a stream that ends too early", events("Half").slice(0, 4)],
    ["a stream that breaks off with an error", [...events("Half").slice(0, 3), new Error("terminated")]],
    [
      "an error event that may be tried again",
      [{ type: "error", error: { type: "overloaded_error", message: "busy" } }],
    ],
    [
      "an event that cannot be read",
      [{ type: "content_block_delta", index: 9, delta: { type: "text_delta", text: "x" } }],
    ],
    ["an error of send that says so", new ProviderError("busy", "529", true)],
  ] satisfies [string, Step][])("%s: the same bytes are sent again", async (_, step) => {
    const model = provider(step, step, events("Done."))
    const session = start()
    session.say("Go")
    const waited: number[] = []
    const end = await go(session, {
      send: model.send,
      wait: async (milliseconds, signal) => {
        expect(signal.aborted).toBe(false)
        waited.push(milliseconds)
      },
    })
    expect(end).toEqual({ reason: "done" })
    expect(waited).toEqual([1000, 2000])
    expect(model.sendings.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    sameBytes(model.bodies)
    expect(shown(session)).toEqual(["user: Go", "assistant: Done."])
  })

  it("for good rejects with the provider's own error, and the next drive sends the same bytes", async () => {
    const cut = events("Half").slice(0, 4)
    const wrong = new Error("401 no such key")
    const model = provider(cut, cut, wrong, events("Done."))
    const session = start()
    session.say("Go")
    await expect(go(session, { send: model.send, attempts: 2 })).rejects.toMatchObject({ code: "cut-reply" })
    await expect(go(session, { send: model.send })).rejects.toBe(wrong)
    expect(await go(session, { send: model.send })).toEqual({ reason: "done" })
    sameBytes(model.bodies)
  })

  it("is given up by an interrupt while it waits", async () => {
    const session = start()
    session.say("Go")
    const controller = new AbortController()
    const end = await go(session, {
      send: provider(events("Half").slice(0, 4)).send,
      signal: controller.signal,
      wait: () => {
        controller.abort()
        return new Promise(() => {})
      },
    })
    expect(end).toEqual({ reason: "interrupted" })
    expect(shown(session)).toEqual(["user: Go", "assistant: Half"])
  })

  it("a refused carrier: the session says it another way, and the turn goes on", async () => {
    const refusal = Object.assign(new Error("400 role 'system' is not supported on this model"), {
      status: 400,
    })
    const model = provider(events("", "read"), refusal, events("Done."))
    const session = start({ model: { id: "claude-opus-5-5", dialect: "anthropic" } })
    session.say("Go")
    const end = await go(session, {
      send: model.send,
      tools: {
        read: async () => {
          session.note({ type: "critical", text: "Mind the gap." })
          return "x"
        },
      },
    })
    expect(end).toEqual({ reason: "done" })
    expect(session.log.some(({ type }) => type === "carrier")).toBe(true)
    expect(count(model.bodies[2], "Mind the gap.")).toBe(1)
  })

  it("a refusal of a carrier that is not in use is an error, not a loop", async () => {
    const refusal = Object.assign(new Error("400 role 'system' is not supported on this model"), {
      status: 400,
    })
    const session = start()
    session.say("Go")
    session.refuseCarrier("system-message")
    await expect(go(session, { send: provider(refusal, refusal, refusal).send })).rejects.toBe(refusal)
  })

  it("a tool that throws, is unknown or returns no result gives an error result", async () => {
    const model = provider(events("", "read", "write", "toString", "finish"), events("I see."))
    const session = start()
    session.say("Go")
    await go(session, {
      send: model.send,
      tools: {
        read: () => {
          throw new Error("disk full")
        },
        write: () => Promise.reject("a text"),
        finish: async () => undefined as never,
      },
      endsTurn: ["read", "finish"],
    })
    const said = heard(model.bodies[1])
    for (const words of [
      "disk full",
      "a text",
      'There is no tool \\"toString\\".',
      "result: output should be",
    ])
      expect(said).toContain(words)
    expect(said.match(/"is_error":true/g)).toHaveLength(4)
  })

  it("a store that fails while tools run: the drive rejects when they are done, and none runs twice", async () => {
    let full = false
    const session = start({
      onAppend: ([entry]) => {
        if (full && entry?.type === "result") throw new Error("disk full")
      },
    })
    session.say("Go")
    const slow = deferred<string>()
    const ran: string[] = []
    const tools = {
      read: async () => {
        ran.push("read")
        full = true
        return "x"
      },
      write: async () => {
        ran.push("write")
        return slow.promise
      },
    }
    const model = provider(events("", "read", "write"), events("Done."))
    const driving = go(session, { send: model.send, tools })
    await new Promise(setImmediate)
    full = false
    slow.resolve("written")
    await expect(driving).rejects.toThrow("disk full")
    expect(session.pending).toMatchObject({ is: "waiting", calls: [{ name: "read" }] })
    await go(session, { send: model.send, tools: { read: async () => "again" } })
    expect(ran).toEqual(["read", "write"])
  })
})

describe("a tool that ends the turn", () => {
  it("does so once the other calls of its step are done, and the model hears of no interruption", async () => {
    const model = provider(events("", "finish", "read"), events("Next."))
    const session = start()
    session.say("Go")
    const options = {
      send: model.send,
      tools: {
        finish: async () => "Finished.",
        read: async () => {
          await new Promise(setImmediate)
          return "read in full"
        },
      },
      endsTurn: ["finish"],
    }
    expect(await go(session, options)).toEqual({ reason: "ended" })
    expect(model.bodies).toHaveLength(1)
    session.say("What next?")
    expect(await go(session, options)).toEqual({ reason: "done" })
    expect(heard(model.bodies[1])).toContain("read in full")
    expect(heard(model.bodies[1])).not.toMatch(/interrupt|stopped|No result/i)
  })

  it("leaves a message that waits to open the next turn, in the same drive", async () => {
    const model = provider(events("", "finish"), events("Hello."))
    const session = start()
    session.say("Go")
    const end = await go(session, {
      send: model.send,
      tools: {
        finish: async () => {
          session.say("Are you done?")
          return "Finished."
        },
      },
      endsTurn: ["finish"],
    })
    expect(end).toEqual({ reason: "done" })
    expect(model.sendings.map(({ request }) => [request.turn, request.step])).toEqual([
      [1, 1],
      [2, 1],
    ])
    expect(count(model.bodies[1], "Are you done?")).toBe(1)
  })
})

it("goes on with a restored session: open calls run, and what was in flight is sent again", async () => {
  const session = start()
  session.say("Go")
  const stopped = go(session, {
    send: provider(events("", "read")).send,
    tools: { read: () => new Promise(() => {}) },
  })
  await new Promise(setImmediate)
  void stopped
  const restored = restoreSession(OPTIONS, JSON.parse(JSON.stringify(session.log)))
  const model = provider(events("Done."))
  await go(restored, { send: model.send, tools: { read: async () => "at last" } })
  expect(heard(model.bodies[0])).toContain("at last")
})

it("works with a dialect of any kind", async () => {
  const session = createSession({ ...OPTIONS, model: { id: "gpt-5.6", dialect: "openai-chat" } })
  session.say("Go")
  const reply: Reply = { parts: [{ type: "text", text: "Mine." }] }
  await drive(session, { dialect: { ...chat, decode: () => reply }, send: async (body) => body.messages })
  expect(shown(session)).toEqual(["user: Go", "assistant: Mine."])
})

it("fits on a few pages: fewer than 300 lines, without a timer", () => {
  const source = readFileSync(new URL("../src/drive.ts", import.meta.url), "utf8")
  expect(source.trimEnd().split("\n").length).toBeLessThan(300)
  expect(source).not.toMatch(/setTimeout|setInterval|queueMicrotask/)
})
