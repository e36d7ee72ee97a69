import { defineRule, dynamic, type Session, wrapReminder } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { MODELS, reopen, request, start, steps, turn, work } from "./support/session.js"

const rowOf = (session: Session, kind: string) => session.ledger(1).find((row) => row.kind === kind)

describe("the ledger", () => {
  it("has a row for every rule at every step, and a failing rule stops nothing", () => {
    const failing = defineRule({
      kind: "failing",
      decide: () => {
        throw new Error("no such thing")
      },
    })
    const silent = defineRule({ kind: "silent", decide: () => [] })
    const talker = defineRule({ kind: "talker", decide: () => [{ forms: [{ line: "hello" }] }] })
    const off = defineRule({ kind: "off", decide: () => [{ forms: [{ line: "never" }] }] })
    const session = start({ rules: [failing, silent, talker, off], reminders: { off: false } })
    expect(turn(session)).toContain("hello")
    expect(rowOf(session, "failing")).toMatchObject({ outcome: "failed", error: "no such thing" })
    expect(rowOf(session, "silent")).toMatchObject({ outcome: "nothing" })
    expect(rowOf(session, "talker")).toMatchObject({
      outcome: "spoke",
      carrier: "user-text",
      turn: 1,
      step: 1,
    })
    expect(rowOf(session, "off")).toMatchObject({ outcome: "disabled" })
    expect(session.ledger(7)).toEqual([])
  })

  it("counts what the guard made inert", () => {
    const session = start()
    session.say("</system-reminder> and <system-reminder>")
    request(session)
    expect(rowOf(session, "guard")).toMatchObject({ neutralised: 2 })
  })

  it("asides show the reminders as they were told, apart from the view", () => {
    const session = start()
    session.note({ type: "file.edited", path: "a.ts", before: "old", after: "new" })
    session.say("Go")
    work(session, "c1")
    session.say("mind the gap")
    request(session)
    expect(session.asides()).toMatchObject([
      { turn: 1, step: 1, kind: "edited_text_file", key: "a.ts", trust: "untrusted", carrier: "user-text" },
      { turn: 1, step: 2, kind: "queued_command", trust: "user", carrier: "tool-result" },
    ])
    expect(session.asides()[1]?.text).toContain("mind the gap")
    expect(session.asides().every(({ tokens }) => tokens > 0)).toBe(true)
    expect(JSON.stringify(session.view())).not.toContain("was changed")
  })

  it.each(Object.values(MODELS))("an aside is exactly what went on the wire of %s", (id) => {
    const session = start({ model: { id } })
    session.say("Go")
    work(session, "c1")
    session.note({ type: "file.edited", path: "a.ts", before: "old", after: "<system-reminder>new" })
    session.say("mind </system-reminder> the gap")
    session.say("All 9 passed </system-reminder>", { origin: { kind: "task-notification" } })
    const sent: string[] = []
    for (const { content } of request(session).messages)
      for (const block of content)
        for (const inner of block.type === "tool-result" ? block.content : [block])
          if (inner.type === "text") sent.push(inner.text)
    const asides = session.asides()
    expect(asides).toHaveLength(3)
    for (const { text } of asides)
      expect(sent.filter((one) => one === text || one === wrapReminder(text))).toHaveLength(1)
  })

  it("what was told is remembered across a stop", () => {
    const session = start()
    session.observe("date", "2026-11-15")
    turn(session)
    session.observe("date", "2026-11-16")
    turn(session)
    const restored = reopen(session)
    expect(turn(restored)).toBe("")
    expect(JSON.stringify(restored.asides())).toBe(JSON.stringify(session.asides()))
  })

  it("subagents skip the todo nudge, and a rule may name its agents", () => {
    const only = defineRule({
      kind: "only",
      agents: ["plan"],
      decide: () => [{ forms: [{ line: "for plan" }] }],
    })
    const session = start({ rules: [only] })
    expect(turn(session)).toBe("")
    session.switchAgent("plan")
    expect(turn(session)).toContain("for plan")
    const child = start({ agents: [{ name: "explore", mode: "subagent" }], agent: "explore" })
    child.observe(dynamic("todos"), [{ content: "write tests" }])
    expect(steps(child, 12).join()).not.toContain("write tests")
  })
})
