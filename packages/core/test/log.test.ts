import { describe, expect, it } from "vitest"
import { createSession, type Entry, findDamage, restoreSession, type SessionOptions } from "../src/index.js"

function options(overrides: Partial<SessionOptions> = {}): SessionOptions {
  return {
    agents: [{ name: "build" }, { name: "plan" }],
    model: { id: "anthropic/claude-opus-5-5" },
    now: () => 0,
    newId: () => "s",
    ...overrides,
  }
}

function aLog(): readonly Entry[] {
  const session = createSession(options())
  session.say("Begin.")
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  session.reply(next.request.id, { parts: [{ type: "text", text: "Done." }], stop: "end" })
  return session.log
}

/** The log with other fields in one entry. */
function spoiled(type: Entry["type"], fields: object): readonly Entry[] {
  return aLog().map((entry) => (entry.type === type ? ({ ...entry, ...fields } as Entry) : entry))
}

describe("a log", () => {
  it("that a session wrote has no damage", () => {
    expect(findDamage(aLog())).toBeUndefined()
    expect(findDamage([])).toBeUndefined()
  })

  it.each([
    [spoiled("opened", { agent: true }), 0, "agent should be a text, not true"],
    [spoiled("opened", { model: { id: "m", capabilities: { images: 1 } } }), 0, "model.capabilities.images"],
    [
      spoiled("said", { at: 9e15 }),
      1,
      "at should be a time in milliseconds, not a number (9000000000000000)",
    ],
    [spoiled("said", { at: Number.NaN }), 1, "at should be a time in milliseconds, not NaN"],
    [spoiled("said", { content: [{ type: "text" }] }), 1, "content.0.text should be a text and is missing"],
    [spoiled("said", { origin: { kind: "channel" } }), 1, "origin.server"],
    [spoiled("step", { outcomes: undefined }), 2, "outcomes should be a list and is missing"],
    [spoiled("step", { memos: [["a", "b"]] }), 2, "memos.0 should be a list of 3"],
    [spoiled("step", { epoch: undefined }), 2, "epoch is missing in the first step"],
    [spoiled("step", { turn: -1 }), 2, "turn should be a whole number"],
    [spoiled("replied", { reply: { parts: [{ type: "song" }] } }), 3, "reply.parts.0.type"],
  ])("is refused with the entry and the field (%#)", (log, entry, why) => {
    expect(findDamage(log)).toMatchObject({ entry, why: expect.stringContaining(why), newer: false })
    expect(() => restoreSession(options(), log)).toThrow(
      expect.objectContaining({ code: "damaged-log", message: expect.stringContaining(why) }),
    )
  })

  it("with an entry of an unknown type asks for the Sotto that wrote it", () => {
    const log = spoiled("said", { type: "dreamt" })
    expect(() => restoreSession(options(), log)).toThrow(
      expect.objectContaining({
        code: "newer-log",
        message: expect.stringMatching(/"dreamt".*the version of Sotto/),
      }),
    )
  })

  it("says the same message only once", () => {
    const [opened, said] = aLog()
    const twice = [opened, said, { ...said, seq: 2 }]
    expect(findDamage(twice)).toMatchObject({ entry: 2, why: expect.stringContaining("earlier message") })
  })

  it("may hold data that is nested as deeply as a model likes", () => {
    const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`)
    const log = [...aLog(), { type: "noted", signal: { type: "x", deep }, seq: 4, at: 0 }]
    expect(findDamage(log)).toBeUndefined()
  })
})

describe("commands that are run together", () => {
  it("reach onAppend at once, and none of them happened if it throws", () => {
    const appended: (readonly string[])[] = []
    let isFull = false
    const session = createSession(
      options({
        onAppend: (entries) => {
          if (isFull) throw new Error("the disk is full")
          appended.push(entries.map(({ type }) => type))
        },
      }),
    )
    session.say("Begin.", { id: "m" })
    const first = session.next()
    const switchBoth = () =>
      session.together(() => {
        session.switchAgent("plan")
        session.switchModel({ id: "openai/gpt-5.6" })
      })
    isFull = true
    expect(switchBoth).toThrow("the disk is full")
    expect([session.agent, session.model]).toEqual(["build", "anthropic/claude-opus-5-5"])
    expect(session.log.map(({ type }) => type)).toEqual(["opened", "said", "step"])
    const again = session.next()
    expect(again).toMatchObject({
      is: "request",
      request: { id: first.is === "request" ? first.request.id : "" },
    })
    isFull = false
    switchBoth()
    expect(appended.at(-1)).toEqual(["agent", "model"])
    expect([session.agent, session.model]).toEqual(["plan", "openai/gpt-5.6"])
  })

  it("are taken back if one of them is refused", () => {
    const session = createSession(options())
    const attempt = () =>
      session.together(() => {
        session.say("Begin.")
        session.switchAgent("nobody")
      })
    expect(attempt).toThrow("nobody")
    expect(session.queue()).toEqual([])
    expect(session.log).toHaveLength(1)
  })
})
