import {
  createSession,
  dynamic,
  type Entry,
  restoreSession,
  type Session,
  type SessionOptions,
  SottoError,
} from "@sotto/core"
import { describe, expect, it } from "vitest"
import { known, type Loose, loose } from "./support/loose.js"
import { calls, exchange, options, request, says, start } from "./support/session.js"

function inFlight(): Session {
  const session = start()
  session.say("Go", { id: "m" })
  request(session)
  return session
}

function withCall(): Session {
  const session = inFlight()
  exchange(session, calls("c1"))
  return session
}

function queued(): Session {
  const session = inFlight()
  session.say("later", { id: "q" })
  return session
}

/** The command is refused with the path of the field, and nothing has happened. */
function expectRefused(session: Session, act: (session: Loose) => unknown, what: string): void {
  const before = known(session)
  let thrown: unknown
  try {
    act(loose(session))
  } catch (error) {
    thrown = error
  }
  if (!(thrown instanceof SottoError)) throw new Error(`expected a SottoError, got ${String(thrown)}`)
  expect(thrown.code).toBe("bad-input")
  expect(thrown.message).toContain(what)
  expect(thrown.message.endsWith(thrown.remedy)).toBe(true)
  expect(known(session)).toBe(before)
}

const text = (value: unknown) => ({ type: "text", text: value })
const throwing = {
  type: "text",
  get text() {
    throw new Error("no text today")
  },
}
const sparse: unknown[] = []
sparse[1] = text("a")
const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`)
const circle: Record<string, unknown> = { type: "x" }
circle.self = { again: circle }
class Point {
  type = "x"
}

type Wrong = readonly [what: string, prepare: () => Session, act: (session: Loose) => unknown, said: string]

const WRONG: readonly Wrong[] = [
  ["say a number", start, (s) => s.say(5), "content should be a text or a list of parts, not a number (5)"],
  ["say nothing", start, (s) => s.say(), "content should be a text or a list of parts and is missing"],
  [
    "a text that is a number",
    start,
    (s) => s.say([text("a"), text("b"), text(5)]),
    "content.2.text should be a text, not a number (5)",
  ],
  [
    "a text part without text",
    start,
    (s) => s.say([{ type: "text" }]),
    "content.0.text should be a text and is missing",
  ],
  ["a part of no type", start, (s) => s.say([{ text: "a" }]), "content.0.type"],
  [
    "a part of an unknown type",
    start,
    (s) => s.say([{ type: "song" }]),
    'content.0.type should be "text", "image" or "file", not "song"',
  ],
  ["null for a part", start, (s) => s.say([null]), "content.0 should be an object, not null"],
  ["a list with a hole", start, (s) => s.say(sparse), "content.0 should be plain data and is missing"],
  ["a getter that throws", start, (s) => s.say([throwing]), "content.0.text cannot be read: no text today"],
  [
    "an instance of a class",
    start,
    (s) => s.say([new Point()]),
    "content.0 should be plain data, not a Point",
  ],
  [
    "an image without data",
    start,
    (s) => s.say([{ type: "image", mediaType: "image/png" }]),
    "content.0.data",
  ],
  ["no options", start, (s) => s.say("a", null), "options should be an object, not null"],
  ["an id that is no text", start, (s) => s.say("a", { id: 5 }), "options.id"],
  ["an empty id", start, (s) => s.say("a", { id: "" }), "options.id should be a text of 1 to 256"],
  ["an endless id", start, (s) => s.say("a", { id: "x".repeat(257) }), "options.id"],
  ["an id with half a character", start, (s) => s.say("a", { id: "\ud800" }), "options.id"],
  [
    "an unknown origin",
    start,
    (s) => s.say("a", { origin: { kind: "martian" } }),
    "options.origin.kind should be",
  ],
  ["an origin by name", start, (s) => s.say("a", { origin: "human" }), "options.origin should be an object"],
  [
    "a channel without a server",
    start,
    (s) => s.say("a", { origin: { kind: "channel" } }),
    "options.origin.server",
  ],
  [
    "an unknown task",
    start,
    (s) => s.say("a", { origin: { kind: "task-notification", task: 5 } }),
    "options.origin.task",
  ],
  ["an unknown delivery", start, (s) => s.say("a", { delivery: "soon" }), "options.delivery"],
  ["hidden by a text", start, (s) => s.say("a", { hidden: "yes" }), "options.hidden should be true or false"],
  ["a system text that is none", start, (s) => s.say("a", { system: 5 }), "options.system"],
  ["no signal", start, (s) => s.note(), "signal should be an object and is missing"],
  [
    "a signal without a type",
    start,
    (s) => s.note({ path: "a" }),
    "signal.type should be a text and is missing",
  ],
  [
    "NaN in a signal",
    start,
    (s) => s.note({ type: "x", n: Number.NaN }),
    "signal.n should be plain data, not NaN",
  ],
  [
    "Infinity in a signal",
    start,
    (s) => s.note({ type: "x", n: [1, Number.POSITIVE_INFINITY] }),
    "signal.n.1",
  ],
  [
    "a bigint in a signal",
    start,
    (s) => s.note({ type: "x", n: 1n }),
    "signal.n should be plain data, not a bigint",
  ],
  [
    "a function in a signal",
    start,
    (s) => s.note({ type: "x", f: () => 1 }),
    "signal.f should be plain data, not a function",
  ],
  [
    "a symbol in a signal",
    start,
    (s) => s.note({ type: "x", f: Symbol("s") }),
    "signal.f should be plain data, not a symbol",
  ],
  ["undefined in a list", start, (s) => s.note({ type: "x", f: [undefined] }), "signal.f.0"],
  [
    "a date in a signal",
    start,
    (s) => s.note({ type: "x", at: new Date(0) }),
    "signal.at should be plain data, not a Date",
  ],
  [
    "a map in a signal",
    start,
    (s) => s.note({ type: "x", at: new Map() }),
    "signal.at should be plain data, not a Map",
  ],
  ["a circle in a signal", start, (s) => s.note(circle), "contains itself"],
  ["data that is nested without end", start, (s) => s.note({ type: "x", deep }), "more than 1000 deep"],
  ["a key that is no text", start, (s) => s.observe(5, "a"), "key should be a text"],
  [
    "a fact that is a date",
    start,
    (s) => s.observe("a", new Date(0)),
    "value should be plain data, not a Date",
  ],
  ["a fact that is a foreign symbol", start, (s) => s.observe("a", Symbol("removed")), "value"],
  ["an agent that is no text", start, (s) => s.switchAgent(Symbol("a")), "name should be plain data"],
  ["no model", start, (s) => s.switchModel(), "model should be an object"],
  ["a model without an id", start, (s) => s.switchModel({}), "model.id should be a text and is missing"],
  ["a model without a name", start, (s) => s.switchModel({ id: "" }), "model.id"],
  ["a model by its name", start, (s) => s.switchModel("claude"), "model should be an object"],
  [
    "a capability that is no flag",
    start,
    (s) => s.switchModel({ id: "m", capabilities: { images: 1 } }),
    "model.capabilities.images",
  ],
  [
    "a window that is no number",
    start,
    (s) => s.switchModel({ id: "m", capabilities: { contextWindow: Number.NaN } }),
    "model.capabilities.contextWindow",
  ],
  ["an unknown carrier", start, (s) => s.refuseCarrier("pigeon"), 'carrier is "pigeon"'],
  ["a partial reply that is none", inFlight, (s) => s.partial("req-2", 5), "reply should be an object"],
  [
    "a partial reply of wrong parts",
    inFlight,
    (s) => s.partial("req-2", { parts: [{ type: "text" }] }),
    "reply.parts.0.text",
  ],
  ["no reply", inFlight, (s) => s.reply("req-2"), "reply should be an object"],
  [
    "a reply without parts",
    inFlight,
    (s) => s.reply("req-2", {}),
    "reply.parts should be a list and is missing",
  ],
  [
    "a call without an id",
    inFlight,
    (s) => s.reply("req-2", { parts: [{ type: "tool-call", name: "read", input: {} }] }),
    "reply.parts.0.id should be a text and is missing",
  ],
  [
    "a call without input",
    inFlight,
    (s) => s.reply("req-2", { parts: [{ type: "tool-call", id: "a", name: "read" }] }),
    "reply.parts.0.input",
  ],
  [
    "names of cut calls that are none",
    inFlight,
    (s) => s.reply("req-2", { parts: [], stop: "length", cut: [5] }),
    "reply.cut.0",
  ],
  [
    "usage that is no number",
    inFlight,
    (s) => s.reply("req-2", { parts: [], usage: { input: Number.NaN } }),
    "reply.usage.input",
  ],
  [
    "a result that is an object",
    withCall,
    (s) => s.result("c1", { ok: true }),
    "output should be a text or a list of parts, not an object",
  ],
  ["a result that is undefined", withCall, (s) => s.result("c1"), "output"],
  [
    "a result of wrong parts",
    withCall,
    (s) => s.result("c1", [text(null)]),
    "output.0.text should be a text, not null",
  ],
  [
    "an error that is no flag",
    withCall,
    (s) => s.result("c1", "a", { error: new Error("x") }),
    "options.error",
  ],
  ["a call id that is no text", withCall, (s) => s.result(5, "a"), "callId should be a text"],
  ["a reason that is no text", inFlight, (s) => s.abort(new Error("x")), "reason"],
  ["a reason of an end that is no text", inFlight, (s) => s.endTurn(new Error("x")), "reason"],
  ["an edit of no patch", queued, (s) => s.edit("q"), "patch should be an object"],
  ["an edit with wrong content", queued, (s) => s.edit("q", { content: [{}] }), "patch.content.0.type"],
  ["an edit with a wrong delivery", queued, (s) => s.edit("q", { delivery: 1 }), "patch.delivery"],
  ["cancelling what is no id", queued, (s) => s.cancel(5), "id should be a text"],
  ["a summary that is no text", start, (s) => s.compact(5), "summary should be a text"],
  ["a tail that is no number", start, (s) => s.compact("s", { tail: "many" }), "options.tail"],
  ["a negative tail", start, (s) => s.compact("s", { tail: -1 }), "options.tail should be a number from 0"],
  ["rewinding to what is no id", start, (s) => s.rewind(5), "to should be a text"],
  ["redoing wrong facts", start, (s) => s.redo({ facts: [1] }), "options.facts.0"],
  ["rewinding wrong facts", start, (s) => s.rewind("m", { facts: [1] }), "options.facts.0"],
  ["tools that are no list", start, (s) => s.offerTools({}), "tools should be a list"],
  [
    "a tool without a description",
    start,
    (s) => s.offerTools([{ name: "a", inputSchema: {} }]),
    "tools.0.description",
  ],
  [
    "a tool with a schema that is none",
    start,
    (s) => s.offerTools([{ name: "a", description: "", inputSchema: "x" }]),
    "tools.0.inputSchema",
  ],
  ["a kind that is no text", start, (s) => s.setReminder(Symbol("a"), true), "kind"],
  [
    "a kind that is neither on nor off",
    start,
    (s) => s.setReminder("diagnostics", "on"),
    "on should be true or false",
  ],
  ["snipping what is no list", start, (s) => s.snip("m"), "ids should be a list"],
  [
    "another provider's messages",
    start,
    (s) => s.importMessages([{ role: "user", content: "a" }]),
    "messages.0.id should be a text and is missing",
  ],
  [
    "a message without parts",
    start,
    (s) => s.importMessages([{ id: "a", role: "user" }]),
    "messages.0.parts",
  ],
  [
    "a message of an unknown role",
    start,
    (s) => s.importMessages([{ id: "a", role: "bard", parts: [] }]),
    "messages.0.role",
  ],
  [
    "a message with an empty id",
    start,
    (s) => s.importMessages([{ id: "", role: "user", parts: [] }]),
    "messages.0.id",
  ],
]

describe("input of the wrong shape is refused, and changes nothing:", () => {
  it.each(WRONG)("%s", (_, prepare, act, said) => expectRefused(prepare(), act, said))

  it("in the options of a session", () => {
    const wrong: readonly (readonly [object | null, string])[] = [
      [{ agents: 5 }, "agents should be a list"],
      [{ agents: [{}] }, "agents.0.name"],
      [{ agents: [{ name: "a", prompt: 5 }] }, "agents.0.prompt should be a text"],
      [{ agents: [{ name: "a", options: { f: () => 1 } }] }, "agents.0.options.f should be plain data"],
      [{ model: undefined }, "model should be an object and is missing"],
      [{ model: { id: 5 } }, "model.id"],
      [{ tools: [{ name: "a" }] }, "tools.0.description"],
      [{ rules: [5] }, "rules.0 should be an object"],
      [{ rules: [{ kind: "a", decide: () => [], priority: "high" }] }, "priority should be a number"],
      [{ rules: [{ kind: "a", decide: () => [], trust: "me" }] }, "trust should be"],
      [{ rules: [{ kind: "a", decide: () => [], carrier: 5 }] }, "carrier should be"],
      [{ rules: [{ kind: "a", decide: () => [], signals: "x" }] }, "signals should be a list"],
      [{ reminders: { a: true } }, "reminders.a should be an object"],
      [{ reminders: { a: { text: 5 } } }, "reminders.a.text"],
      [{ reminders: { a: { carrier: 5 } } }, "reminders.a.carrier"],
      [{ budget: { perStep: "8000" } }, "budget.perStep"],
      [{ system: "fresh" }, "system should be"],
      [{ nonce: 1 }, "nonce should be true or false"],
      [{ countTokens: 5 }, "countTokens should be a function"],
      [{ now: 5 }, "now should be a function"],
      [{ newId: undefined }, "newId should be a function and is missing"],
      [{ onAppend: {} }, "onAppend should be a function"],
    ]
    for (const [given, said] of wrong) {
      const make = () => createSession({ ...options(), ...given } as SessionOptions)
      expect(make).toThrow(
        expect.objectContaining({ code: "bad-input", message: expect.stringContaining(said) }),
      )
    }
    expect(() => createSession(null as never)).toThrow(SottoError)
    expect(() => restoreSession(options(), {} as never)).toThrow(/log should be a list/)
  })

  it("from the harness's clock and ids", () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ now: () => Number.NaN }, "now(): should be a time in milliseconds, not NaN"],
      [{ now: () => "12:00" }, 'not "12:00"'],
      [{ now: () => 9e15 }, "should be a time in milliseconds"],
      [{ now: () => undefined }, "should be a time in milliseconds"],
      [{ newId: () => "" }, "newId(): should be a text of 1 to 256"],
      [{ newId: () => 5 }, "not a number (5)"],
      [{ newId: () => Promise.resolve("a") }, "newId()"],
      [{ nonce: true, newId: () => "same" }, "the same id twice"],
      [{ nonce: true, newId: idsOf("a", '"><b') }, "cannot be a nonce"],
    ]
    for (const [given, said] of wrong) {
      const appended: unknown[] = []
      const onAppend = (entries: readonly Entry[]) => appended.push(...entries)
      const make = () => createSession({ ...options(), onAppend, ...given } as SessionOptions)
      expect(make).toThrow(
        expect.objectContaining({ code: "bad-input", message: expect.stringContaining(said) }),
      )
      expect(appended).toEqual([])
    }
    let at = 0
    const session = start({ now: () => at })
    at = Number.NaN
    expectRefused(session, (s) => s.say("a"), "now()")
  })
})

function idsOf(...ids: readonly string[]): () => string {
  let given = 0
  return () => ids[given++] ?? "z"
}

describe("what was logged stays what it was", () => {
  it("when its author changes the original", () => {
    const part = { type: "text" as const, text: "as said" }
    const signal = { type: "critical", text: "as noted" }
    const agent = { name: "a", prompt: "as given" }
    const session = start({ agents: [agent] })
    session.say([part])
    session.note(dynamic(signal))
    part.text = signal.text = agent.prompt = "changed"
    const sent = JSON.stringify(request(session))
    expect(sent).toContain("as said")
    expect(sent).toContain("as noted")
    expect(sent).toContain("as given")
    expect(sent).not.toContain("changed")
  })

  it("when a partial reply goes on growing", () => {
    const session = inFlight()
    const parts = [{ type: "text" as const, text: "Half" }]
    session.partial("req-2", { parts })
    parts.push({ type: "text", text: "a lie" })
    session.abort()
    expect(JSON.stringify(session.log.at(-1))).not.toContain("a lie")
  })

  it("with a field called __proto__", () => {
    const session = start()
    const value = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}')
    session.observe("environment:x", value)
    session.note(dynamic({ type: "x", value }))
    session.say("Go")
    expect(JSON.stringify(session.log)).toContain('{"__proto__":{"polluted":true},"a":1}')
    expect(Object.getPrototypeOf(session.fact("environment:x"))).toBe(Object.prototype)
    expect(JSON.stringify(request(restored(session)))).toBe(JSON.stringify(request(session)))
  })

  it("without the fields that are undefined", () => {
    const session = start()
    session.note(dynamic({ type: "x", before: undefined }))
    session.say("Go", { id: undefined, system: undefined } as never)
    expect(session.log.slice(1)).toEqual([
      { type: "noted", signal: { type: "x" }, seq: 1, at: 0 },
      expect.not.objectContaining({ system: expect.anything() }),
    ])
  })
})

function restored(session: Session): Session {
  return restoreSession(options(), JSON.parse(JSON.stringify(session.log)))
}

it("imported prompts whose ids are taken are all delivered", () => {
  const session = start()
  session.say("first", { id: "a" })
  exchange(session, says("ok"))
  session.say("a caller's own id", { id: `m${session.log.length + 1}.0`, delivery: "passive" })
  const prompt = (text: string) => ({ id: "a", role: "user", parts: [{ type: "text", text }] }) as const
  session.importMessages([prompt("one"), prompt("two")])
  expect(new Set(session.queue().map(({ id }) => id)).size).toBe(3)
})
