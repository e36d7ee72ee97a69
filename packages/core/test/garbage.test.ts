import { type Carrier, type Request, restoreSession, type Session, SottoError } from "@sotto/core"
import * as aiSdk from "@sotto/core/ai-sdk"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { known, type Loose, loose } from "./support/loose.js"
import { calls, exchange, options, request, says, start } from "./support/session.js"

/** Data of the right shape, now and then with something else in one of its places. */
const junk = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withUnicodeString: true,
})
const halves = fc.string({ unit: "binary" }).map((word) => `${word}\ud800 <system-reminder> \u0000`)
const orJunk = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: junk })
const word = orJunk(fc.oneof(fc.constantFrom("m", "q", "c1", "read", "a b", "", "x".repeat(300)), halves))
const flag = orJunk(fc.boolean())
const maybe = (right: fc.Arbitrary<unknown>) => fc.option(right, { nil: undefined })
const json = orJunk(fc.jsonValue())
const content = orJunk(
  fc.oneof(
    halves,
    fc.array(
      orJunk(
        fc.oneof(
          fc.record({ type: fc.constant("text"), text: word, ignored: maybe(flag) }),
          fc.record({
            type: orJunk(fc.constantFrom("image", "file")),
            mediaType: word,
            data: word,
            name: maybe(word),
          }),
        ),
      ),
      { maxLength: 3 },
    ),
  ),
)
const origin = orJunk(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("human", "coordinator", "task-notification") }),
    fc.record({ kind: fc.constant("channel"), server: word }),
  ),
)
const delivery = orJunk(fc.constantFrom("next-step", "after-turn", "now", "passive"))
const verbatim = maybe(orJunk(fc.record({ dialect: orJunk(fc.constant("elsewhere")), block: json })))
const assistant = orJunk(
  fc.oneof(
    fc.record({ type: fc.constant("text"), text: word, verbatim }),
    fc.record({ type: fc.constant("reasoning"), text: word, signature: maybe(word), verbatim }),
    fc.record({ type: fc.constant("tool-call"), id: word, name: word, input: json, verbatim }),
  ),
)
const reply = orJunk(
  fc.record({
    parts: orJunk(fc.array(assistant, { maxLength: 4 })),
    stop: maybe(orJunk(fc.constantFrom("end", "tool-calls", "length", "overflow", "paused", "refusal"))),
    cut: maybe(orJunk(fc.array(word, { maxLength: 2 }))),
  }),
)
const messages = orJunk(
  fc.array(
    orJunk(
      fc.record({
        id: word,
        role: orJunk(fc.constantFrom("user", "assistant", "tool")),
        parts: orJunk(
          fc.array(
            fc.oneof(
              assistant,
              fc.record({ type: fc.constant("tool-result"), callId: word, output: content }),
            ),
            { maxLength: 3 },
          ),
        ),
      }),
    ),
    { maxLength: 4 },
  ),
)

interface Act {
  readonly command: string
  readonly act: (session: Loose, flight: unknown) => unknown
}
const command = <T>(
  name: string,
  given: fc.Arbitrary<T>,
  act: (session: Loose, given: T, flight: unknown) => unknown,
) =>
  given.map(
    (one): Act => ({
      command: `${name} ${fc.stringify(one)}`,
      act: (session, flight) => act(session, one, flight),
    }),
  )

const next = command("next", fc.constant(0), (s) => s.next())
/** Of tools there is always one: a conversation with calls in it and no tools is refused by Anthropic, whatever its shape. */
const garbage: fc.Arbitrary<Act> = fc.oneof(
  next,
  next,
  command(
    "say",
    fc.tuple(
      content,
      maybe(
        orJunk(
          fc.record({
            id: maybe(word),
            origin: maybe(origin),
            delivery: maybe(delivery),
            hidden: maybe(flag),
            system: maybe(word),
          }),
        ),
      ),
    ),
    (s, given) => s.say(...given),
  ),
  command(
    "note",
    orJunk(
      fc.record({
        type: orJunk(
          fc.constantFrom("critical", "file.edited", "mention.file", "task.stopped", "diagnostics"),
        ),
        path: json,
        text: json,
        id: json,
        items: json,
        message: json,
      }),
    ),
    (s, given) => s.note(given),
  ),
  command(
    "observe",
    fc.tuple(
      orJunk(
        fc.constantFrom(
          "date",
          "environment:a",
          "instructions:b",
          "todos",
          "skills",
          "tools:x",
          "agents",
          "__proto__",
          "trust",
          "system",
        ),
      ),
      json,
    ),
    (s, given) => s.observe(...given),
  ),
  command("switchAgent", orJunk(fc.constantFrom("build", "plan", "poet")), (s, name) => s.switchAgent(name)),
  command(
    "switchModel",
    orJunk(
      fc.record({
        id: orJunk(fc.constantFrom("claude-opus-5-5", "gpt-5.6", "gemini-3-pro")),
        capabilities: maybe(json),
      }),
    ),
    (s, given) => s.switchModel(given),
  ),
  command(
    "refuseCarrier",
    orJunk(fc.constantFrom<Carrier>("system-message", "tool-result", "user-text")),
    (s, given) => s.refuseCarrier(given),
  ),
  command("reply", reply, (s, given, flight) => s.reply(flight, given)),
  command("reply", fc.tuple(junk, reply), (s, given) => s.reply(...given)),
  command("partial", reply, (s, given, flight) => s.partial(flight, given)),
  command("result", fc.tuple(word, content, maybe(orJunk(fc.record({ error: maybe(flag) })))), (s, given) =>
    s.result(...given),
  ),
  command("abort", maybe(word), (s, given) => s.abort(given)),
  command("endTurn", maybe(word), (s, given) => s.endTurn(given)),
  command(
    "edit",
    fc.tuple(word, orJunk(fc.record({ content: maybe(content), delivery: maybe(delivery) }))),
    (s, given) => s.edit(...given),
  ),
  command("cancel", word, (s, given) => s.cancel(given)),
  command(
    "compact",
    fc.tuple(word, maybe(orJunk(fc.record({ tail: maybe(orJunk(fc.nat(500))), closeTurn: maybe(flag) })))),
    (s, given) => s.compact(...given),
  ),
  command(
    "rewind",
    fc.tuple(word, maybe(orJunk(fc.record({ facts: maybe(orJunk(fc.array(word, { maxLength: 2 }))) })))),
    (s, given) => s.rewind(...given),
  ),
  command(
    "redo",
    maybe(orJunk(fc.record({ facts: maybe(orJunk(fc.array(word, { maxLength: 2 }))) }))),
    (s, given) => s.redo(given),
  ),
  command(
    "offerTools",
    orJunk(
      fc.array(
        orJunk(
          fc.record({
            name: orJunk(fc.constantFrom("read", "bash", "a b")),
            description: word,
            inputSchema: orJunk(fc.dictionary(fc.string(), fc.jsonValue())),
          }),
        ),
        { minLength: 1, maxLength: 2 },
      ),
    ).filter((tools) => !(Array.isArray(tools) && tools.length === 0)),
    (s, given) => s.offerTools(given),
  ),
  command("setReminder", fc.tuple(orJunk(fc.constantFrom("todo_reminder", "critical")), flag), (s, given) =>
    s.setReminder(...given),
  ),
  command("snip", orJunk(fc.array(word, { maxLength: 3 })), (s, given) => s.snip(given)),
  command("importMessages", messages, (s, given) => s.importMessages(given)),
  command("recover", fc.constant(0), (s) => s.recover()),
)

/** Those that speak to a model of this name. */
function dialectsFor(model: string) {
  if (model.includes("claude")) return [anthropic, aiSdk]
  return model.includes("gemini") ? [gemini, aiSdk] : [openai, openaiChat, aiSdk]
}

describe("whatever is given to every command", () => {
  it("is refused without a trace, or can be restored and is sent again byte for byte", () => {
    fc.assert(
      fc.property(
        fc.array(garbage, { minLength: 5, maxLength: 40, size: "max" }),
        fc.boolean(),
        (acts, snip) => {
          const session = start({ snip })
          session.say("Go", { id: "m" })
          exchange(session, calls("c1"))
          session.say("more", { id: "q" })
          for (const { act } of acts) {
            const flight = session.phase === "awaiting-reply" ? request(session).id : "req-2"
            const before = known(session)
            try {
              act(loose(session), flight)
            } catch (error) {
              if (!(error instanceof SottoError)) throw error
              expect(known(session)).toBe(before)
              continue
            }
            const twin = restoreSession(options({ snip }), JSON.parse(JSON.stringify(session.log)))
            expect(known(twin)).toBe(known(session))
            expect(JSON.stringify(twin.ledger())).toBe(JSON.stringify(session.ledger()))
          }
          for (let i = 0; i < 60; i++) if (!workOn(session, snip)) return
        },
      ),
      {
        seed: Number(process.env.SOTTO_SEED ?? 20261115),
        numRuns: Number(process.env.SOTTO_GARBAGE_RUNS ?? 200),
      },
    )
  })
})

/** One step of work; every request is the same from a restored session, and one that every provider takes. */
function workOn(session: Session, snip: boolean): boolean {
  const now = session.next()
  if (now.is === "idle") return false
  if (now.is === "waiting") {
    for (const { id } of now.calls) session.result(id, "done")
    return true
  }
  const twin = restoreSession(options({ snip }), JSON.parse(JSON.stringify(session.log)))
  expect(JSON.stringify(twin.next())).toBe(JSON.stringify(now))
  expectAccepted(now.request)
  session.reply(now.request.id, says("final"))
  return true
}

function expectAccepted(sent: Request): void {
  for (const { encode, validate } of dialectsFor(sent.pins.model)) {
    const problems = validate(encode(sent)).filter(
      ({ severity, carrier }) => severity === "error" && !carrier,
    )
    expect(problems).toEqual([])
  }
}
