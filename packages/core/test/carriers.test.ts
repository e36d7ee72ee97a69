import { capabilitiesOf, type Session, type SessionOptions } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { exchange, MODELS, request, says, spoke, start, tail, textOf, told, work } from "./support/session.js"
import { problemsOf } from "./support/validate.js"

/** A turn at its second boundary, with one reminder to come. */
function reminded(model: string, options: Partial<SessionOptions> = {}): Session {
  const session = start({ model: { id: model }, ...options })
  session.say("Start")
  work(session, "c1", "RESULT")
  session.note({ type: "critical", text: "Keep it short." })
  return session
}

function carriersOf(session: Session) {
  return session.ledger(2).flatMap(({ outcome, carrier }) => (outcome === "spoke" ? [carrier] : []))
}

describe("a carrier of one's choice", () => {
  it("is used where the model allows it", () => {
    const settings = { critical_system_reminder: { carrier: "user-text" } } as const
    const session = start({ model: { id: MODELS.system }, reminders: settings })
    session.say("Start")
    session.note({ type: "critical", text: "Keep it short." })
    expect(tail(request(session)).map(({ role }) => role)).toEqual(["user"])
    expect(session.asides().map(({ carrier }) => carrier)).toEqual(["user-text"])
  })

  it("is passed over where it does not", () => {
    const settings = { critical_system_reminder: { carrier: "system-message" } } as const
    const session = reminded(MODELS.plain, { reminders: settings })
    expect(told(request(session))).toContain("<system-reminder>\nKeep it short.")
    expect(carriersOf(session)).toEqual(["user-text"])
  })

  it.each([
    ["claude-sonnet-4-5", ["user", "assistant"]],
    ["claude-sonnet-4-6", ["user"]],
  ])("assistant-text for max_steps on %s: only where prefill is accepted", (id, roles) => {
    const session = start({
      model: { id },
      agents: [{ name: "build", steps: 1 }],
      reminders: { max_steps: { carrier: "assistant-text" } },
    })
    session.say("Start")
    const sent = request(session)
    expect([...sent.messages].map(({ role }) => role)).toEqual(roles)
    expect(textOf([...sent.messages].at(-1)?.content.at(-1) ?? {})).toContain("last step of the turn")
  })

  it("assistant-text is never used unless asked for", () => {
    const session = start({ agents: [{ name: "build", steps: 1 }] })
    session.say("Start")
    expect(request(session).messages.at(-1)?.role).toBe("user")
  })
})

describe("a refused carrier", () => {
  function refused() {
    const session = reminded(MODELS.system)
    const before = request(session)
    session.refuseCarrier("system-message")
    return { session, before, after: request(session) }
  }

  it("keeps the turn: same step, same reminders, another request id, placed without it", () => {
    const { session, before, after } = refused()
    expect([after.turn, after.step]).toEqual([before.turn, before.step])
    expect(after.id).not.toBe(before.id)
    expect(tail(before).map(({ role }) => role)).toEqual(["user", "system"])
    expect(tail(after).map(({ role }) => role)).toEqual(["user"])
    expect(told(after)).toBe("RESULT\n<system-reminder>\nKeep it short.\n</system-reminder>")
    expect(spoke(session, 2)).toEqual(["critical_system_reminder"])
    expect(carriersOf(session)).toEqual(["tool-result"])
    expect(problemsOf(after)).toEqual([])
  })

  it("a reply to the request that was refused is late", () => {
    const { session, before, after } = refused()
    expect(session.reply(before.id, says("no"))).toEqual({ taken: false, why: "late" })
    session.reply(after.id, says("yes"))
    expect(session.phase).toBe("idle")
  })

  it("is not tried again on that model, even after switching away and back", () => {
    const { session, after } = refused()
    session.reply(after.id, says("done"))
    session.switchModel({ id: MODELS.developer })
    session.say("on another model")
    expect(exchange(session, says("ok")).pins.capabilities.systemMessages).toBe(true)
    session.switchModel({ id: MODELS.system })
    session.say("back")
    expect(request(session).pins.capabilities.systemMessages).toBe(false)
  })

  it("is the model's that the request was for, not the one chosen while it was out", () => {
    const session = start({ model: { id: MODELS.system } })
    session.say("Start")
    request(session)
    session.switchModel({ id: "claude-opus-4-8" })
    session.refuseCarrier("system-message")
    exchange(session, says("done"))
    session.say("on the other model")
    expect(request(session).pins).toMatchObject({
      model: "claude-opus-4-8",
      capabilities: { systemMessages: true },
    })
  })

  it("refusing what the model does not use anyway changes nothing", () => {
    const session = start()
    session.say("Start")
    const sent = request(session)
    session.refuseCarrier("system-message")
    expect(request(session)).toBe(sent)
  })
})

describe("capabilities by model id", () => {
  it.each([
    ["claude-sonnet-4-5", false, true, true],
    ["claude-sonnet-4-5-20250929", false, true, true],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", false, true, true],
    ["anthropic/claude-opus-5-5", true, true, false],
    ["claude-opus-4-20250514", false, true, true],
    ["claude-opus-4-7", false, true, false],
    ["claude-opus-4-8", true, true, false],
    ["Claude-Opus-4.8", true, true, false],
    ["claude-sonnet-5", false, true, false],
    ["claude-sonnet-5-5-20261001", true, true, false],
    ["claude-haiku-5-5", true, true, false],
    ["claude-fable-5", true, true, false],
    ["claude-3-5-sonnet-20241022", false, true, true],
    ["gpt-5.6", true, false, false],
    ["openai/gpt-5.6-2026-08-01", true, false, false],
    ["o3", true, false, false],
    ["gemini-3-pro", false, false, false],
    ["google/gemini-3-pro", false, false, false],
    ["some-local-model", false, false, false],
  ])(
    "%s: system messages %s, reminders in results %s, prefill %s",
    (id, systemMessages, toolResultReminders, prefill) => {
      expect(capabilitiesOf(id)).toMatchObject({ systemMessages, toolResultReminders, prefill })
    },
  )

  it.each([
    ["claude-opus-5-5", true],
    ["claude-opus-5", false],
    ["claude-sonnet-5-5", true],
    ["claude-fable-5", false],
    ["claude-fable-5-1", true],
    ["claude-mythos-5-2", true],
  ])("%s ties reasoning to the conversation: %s", (id, tied) => {
    expect(capabilitiesOf(id).tiedReasoning).toBe(tied)
  })

  it("the embedding program's word overrides the table", () => {
    const session = start({ model: { id: MODELS.system, capabilities: { systemMessages: false } } })
    session.say("Start")
    expect(request(session).pins.capabilities).toMatchObject({
      systemMessages: false,
      toolResultReminders: true,
    })
  })
})
