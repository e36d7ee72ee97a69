import type { AssistantPart, Message, Session } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { calls, everything, exchange, reopen, request, start, told } from "./support/session.js"
import { problemsOf } from "./support/validate.js"

describe("an imported transcript", () => {
  const text = (value: string, flags = {}) => ({ type: "text", text: value, ...flags }) as const
  const call = { type: "tool-call", id: "x", name: "read", input: {} } as const

  function adopted(...messages: readonly Message[]): Session {
    const session = start()
    session.importMessages(messages)
    return session
  }

  it("is what the model sees before the first prompt, and what the view shows", () => {
    const session = adopted(
      { id: "1", role: "user", parts: [text("their question")] },
      { id: "2", role: "assistant", parts: [text("their answer")], agent: "plan" },
    )
    session.say("mine")
    const sent = request(session)
    expect(everything(sent)).toMatch(/their question\ntheir answer\nmine/)
    expect(told(sent)).toContain("The mode changed from plan to build.")
    expect(session.view().map(({ role }) => role)).toEqual(["user", "assistant", "user"])
  })

  it("missing results are supplied, orphans become quoted text, and the request is valid", () => {
    const orphan: Message["parts"][number] = { type: "tool-result", callId: "y", output: [text("an orphan")] }
    const session = adopted(
      { id: "1", role: "user", parts: [text("q")] },
      { id: "2", role: "assistant", parts: [call] },
      { id: "3", role: "tool", parts: [orphan] },
      { id: "4", role: "assistant", parts: [text("a")] },
    )
    session.say("mine")
    expect(problemsOf(request(session))).toEqual([])
    expect(everything(request(session))).toContain("No result was recorded.")
    expect(everything(request(session))).toContain("not in the transcript (y):\nan orphan")
  })

  it("messages at its end that nobody answered wait as prompts", () => {
    const session = adopted({ id: "1", role: "user", parts: [text("unanswered")] })
    expect(session.queue().map(({ id }) => id)).toEqual(["1"])
    expect(told(request(session))).toBe("unanswered")
  })

  it("synthetic parts are sent and not shown", () => {
    const session = adopted(
      { id: "1", role: "user", parts: [text("shown"), text("synthetic", { synthetic: true })] },
      { id: "2", role: "assistant", parts: [text("a")] },
    )
    session.say("mine")
    expect(everything(request(session))).toContain("synthetic")
    expect(JSON.stringify(session.view())).not.toContain("synthetic")
  })
})

describe("recovery after a crash", () => {
  it("answers calls that may have run as unknown, and leaves those that are safe to repeat", () => {
    const session = start()
    session.say("Start")
    const bash: AssistantPart = { type: "tool-call", id: "b1", name: "bash", input: {} }
    exchange(session, { parts: [...calls("c1").parts, bash] })
    const restored = reopen(session)
    expect(restored.next()).toMatchObject({ is: "waiting", calls: [{ id: "c1" }, { id: "b1" }] })
    restored.recover()
    expect(restored.next()).toMatchObject({ is: "waiting", calls: [{ id: "c1" }] })
    restored.result("c1", "read again")
    expect(told(request(restored))).toMatch(/read again\nInterrupted, outcome unknown/)
  })

  it("sends a request without a reply again, to the byte", () => {
    const session = start()
    session.say("Start")
    const sent = request(session)
    const restored = reopen(session)
    restored.recover()
    expect(JSON.stringify(request(restored))).toBe(JSON.stringify(sent))
  })
})
