import type { AssistantPart, Origin, Session } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { calls, everything, exchange, request, says, start, told, work } from "./support/session.js"

/** A turn whose first step has made a call that is still open. */
function working(): Session {
  const session = start()
  session.say("Start")
  exchange(session, calls("c1"))
  return session
}

describe("the queue", () => {
  it("an edit changes the words and keeps the place", () => {
    const session = working()
    const { id, seq } = session.say("first draft")
    session.say("second message")
    expect(session.edit(id, { content: "first, better" })).toBe(true)
    expect(session.queue().map((queued) => [queued.id, queued.seq])[0]).toEqual([id, seq])
    session.result("c1", "done")
    const text = told(request(session))
    expect(text).not.toContain("first draft")
    expect(text.indexOf("first, better")).toBeLessThan(text.indexOf("second message"))
  })

  it("another mode keeps the sequence number", () => {
    const session = working()
    const { id, seq } = session.say("later", { delivery: "after-turn" })
    session.say("steer")
    session.edit(id, { delivery: "next-step" })
    expect(session.queue()[0]).toMatchObject({ id, seq, delivery: "next-step" })
    session.result("c1", "done")
    expect(told(request(session)).indexOf("later")).toBeLessThan(told(request(session)).indexOf("steer"))
  })

  it("re-moded to now, a message cuts the model call short", () => {
    const session = start()
    session.say("Start")
    const cut = request(session)
    const { id } = session.say("urgent after all", { delivery: "after-turn" })
    session.edit(id, { delivery: "now" })
    expect(request(session).id).not.toBe(cut.id)
    expect(told(request(session))).toContain("urgent after all")
  })

  it("a cancelled message never reaches the model, and can be cancelled only once", () => {
    const session = working()
    const { id } = session.say("never mind")
    expect([session.cancel(id), session.cancel(id), session.edit(id, { content: "again" })]).toEqual([
      true,
      false,
      false,
    ])
    session.result("c1", "done")
    expect(told(request(session))).not.toContain("never mind")
    expect(session.receipt(id)?.state).toBe("cancelled")
  })

  it("what was delivered can be neither edited nor cancelled", () => {
    const session = start()
    const { id } = session.say("Start")
    request(session)
    const length = session.log.length
    expect([session.edit(id, { content: "other" }), session.cancel(id)]).toEqual([false, false])
    expect(session.log).toHaveLength(length)
  })
})

describe("receipts", () => {
  it("go from queued to delivered at step n", () => {
    const session = working()
    const { id, seq, state } = session.say("steer")
    expect(state).toBe("queued")
    session.result("c1", "done")
    request(session)
    expect(session.receipt(id)).toEqual({ id, seq, state: "delivered", step: 2 })
  })

  it("the same id twice is the same message, whatever has become of it", () => {
    const session = working()
    const receipt = session.say("once", { id: "client-1" })
    expect(session.say("once", { id: "client-1" })).toEqual(receipt)
    session.result("c1", "done")
    expect(told(request(session)).match(/once/g)).toHaveLength(1)
    expect(session.say("once", { id: "client-1" }).state).toBe("delivered")
    expect(session.queue()).toEqual([])
  })

  it("an id that is taken is refused for other words, and for anybody else", () => {
    const session = working()
    const other = (words: string, origin: Origin) => () => session.say(words, { id: "one", origin })
    session.say("from the channel", { id: "one", origin: { kind: "channel", server: "chat" } })
    const before = session.log.length
    expect(other("from the channel", { kind: "human" })).toThrow(/"one"/)
    expect(other("other words", { kind: "channel", server: "chat" })).toThrow(/belongs to something else/)
    expect(other("from the channel", { kind: "channel", server: "mail" })).toThrow()
    try {
      session.say("My words.", { id: "one" })
    } catch (error) {
      expect(error).toMatchObject({ name: "SottoError", code: "id-taken" })
    }
    expect(session.log).toHaveLength(before)
    session.edit("one", { content: "edited" })
    expect(other("from the channel", { kind: "channel", server: "chat" })()).toMatchObject({
      state: "queued",
    })
    session.cancel("one")
    expect(other("from the channel", { kind: "channel", server: "chat" })()).toMatchObject({
      state: "cancelled",
    })
    expect(other("anything", { kind: "human" })).toThrow()
  })

  it("ids of the session's own cannot be a caller's, now or later", () => {
    const session = working()
    const { id } = session.say("steer")
    const ids = new Set(session.log.flatMap((entry) => (entry.type === "said" ? [entry.id] : [])))
    for (let n = 1; n <= 3; n++) expect(ids.has(`m${n}`)).toBe(false)
    for (const own of [
      id,
      `said-${session.log.length + 3}`,
      "req-2",
      `req-${session.log.length}`,
      "r5",
      "r5.0",
    ])
      expect(() => session.say("mine", { id: own }), own).toThrow(/belongs to something else/)
    for (const free of ["m1", "m2", "said", "request-1", "r", "user-7"]) session.say("mine", { id: free })
    expect(session.queue()).toHaveLength(7)
  })

  it("an id that looks like one of the session's own takes no other message's place", () => {
    const session = start()
    session.say("first", { id: "said-1" })
    session.say("second")
    expect(told(request(session))).toBe("first\nsecond")
  })
})

describe("abort", () => {
  const cutShort: readonly AssistantPart[] = [
    { type: "reasoning", text: "signed", signature: "sig" },
    { type: "reasoning", text: "unsigned" },
    { type: "text", text: "Half of it is done." },
    { type: "tool-call", id: "cut", name: "read", input: null, unfinished: true },
  ]

  it("keeps finished text and signed reasoning, and drops unsigned reasoning and unfinished calls", () => {
    const session = start()
    session.say("Start")
    session.partial(request(session).id, { parts: cutShort })
    session.abort()
    session.say("Go on")
    const reply = [...request(session).messages].find(({ role }) => role === "assistant")
    expect(reply?.content).toEqual([cutShort[0], cutShort[2]])
  })

  it("leaves a marker where nothing had been said, which the view does not show", () => {
    const session = start()
    session.say("Start")
    request(session)
    session.abort()
    session.say("Go on")
    const reply = [...request(session).messages][1]
    expect(reply).toMatchObject({
      role: "assistant",
      content: [{ text: expect.stringContaining("interrupted") }],
    })
    expect(session.view().map(({ role }) => role)).toEqual(["user", "user"])
  })

  it("answers open calls as stopped, and tells the model at the next prompt", () => {
    const session = working()
    session.abort()
    expect(session.next().is).toBe("idle")
    session.say("Go on")
    expect(everything(request(session))).toContain("Stopped by the user before it finished.")
    expect(told(request(session))).toContain("The previous turn was interrupted")
  })

  it("returns what is undelivered, and holds it until the next prompt", () => {
    const session = working()
    const { id } = session.say("still waiting")
    expect(session.abort().map((queued) => [queued.id, queued.held])).toEqual([[id, true]])
    expect([session.phase, session.next().is]).toEqual(["idle", "idle"])
    session.say("Go on")
    expect(told(request(session))).toContain("still waiting\nGo on")
  })

  it("what is held can be cancelled, and a channel that may not wake does not release it", () => {
    const session = working()
    const { id } = session.say("still waiting")
    session.abort()
    session.say("noise", { origin: { kind: "channel", server: "ci" } })
    expect(session.next().is).toBe("idle")
    expect(session.cancel(id)).toBe(true)
    session.say("Go on")
    expect(told(request(session))).not.toContain("still waiting")
  })

  it("when idle with nothing waiting changes nothing", () => {
    const session = start()
    expect(session.abort()).toEqual([])
    expect(session.log).toHaveLength(1)
  })
})

describe("the view", () => {
  it("shows a human's raw words, also those that were framed for the model", () => {
    const session = working()
    session.say("mind the tests")
    session.result("c1", "done")
    exchange(session, says("final"))
    const words = session.view().filter(({ role }) => role === "user")
    expect(words.map(({ parts }) => parts)).toEqual([
      [{ type: "text", text: "Start" }],
      [{ type: "text", text: "mind the tests" }],
    ])
  })

  it("shows neither hidden messages nor other origins, which the model sees", () => {
    const session = start()
    session.say("hidden words", { hidden: true })
    session.say("task words", { origin: { kind: "task-notification" } })
    const sent = work(session, "c1")
    expect(everything(sent)).toContain("hidden words")
    expect(everything(sent)).toContain("task words")
    expect(JSON.stringify(session.view())).not.toMatch(/hidden words|task words/)
  })
})
