import {
  defineRule,
  dynamic,
  onCadence,
  onChange,
  onSignal,
  type Rule,
  removed,
  type Session,
  type SessionOptions,
} from "@sotto/core"
import { describe, expect, it } from "vitest"
import { calls, reopen, request, spoke, start, steps, told, turn } from "./support/session.js"

const edit = (session: Session, before: string, after: string, path = "a.ts", actor?: string) =>
  session.note({ type: "file.edited", path, before, after, ...(actor !== undefined && { actor }) })

const alone = (rule: Rule, options: Partial<SessionOptions> = {}) => start({ rules: [rule], ...options })
const rowOf = (session: Session, kind: string, step = 1) =>
  session.ledger(step).find((row) => row.kind === kind)

describe("on change of a fact", () => {
  const weather = onChange({
    kind: "weather",
    fact: dynamic("weather"),
    first: (key, value) => [{ line: `${key} is ${value}` }],
    changed: (key, before, after) => [{ line: `${key}: ${before} to ${after}` }],
    gone: (key, before) => [{ line: `${key} gone, was ${before}` }],
  })

  it("says the first value, then only what differs from what was told, then that it is gone, once", () => {
    const session = alone(weather)
    session.observe(dynamic("weather:here"), "sun")
    expect(turn(session)).toContain("weather:here is sun")
    expect(turn(session)).toBe("")
    session.observe(dynamic("weather:here"), "rain")
    session.observe(dynamic("weather:here"), "snow")
    expect(turn(session)).toContain("weather:here: sun to snow")
    session.observe(dynamic("weather:here"), removed())
    expect(turn(session)).toContain("weather:here gone, was snow")
    expect(turn(session)).toBe("")
  })

  it("a value that came back to what was told is no change", () => {
    const session = alone(weather)
    session.observe(dynamic("weather"), "sun")
    turn(session)
    session.observe(dynamic("weather"), "rain")
    session.observe(dynamic("weather"), "sun")
    expect(turn(session)).toBe("")
  })

  it("instructions travel as a diff where that is shorter", () => {
    const session = start()
    const lines = Array.from({ length: 40 }, (_, i) => `Rule ${i} of the house.`)
    session.observe("instructions:AGENTS.md", lines.join("\n"))
    turn(session)
    session.observe("instructions:AGENTS.md", lines.with(20, "Another rule.").join("\n"))
    const text = turn(session)
    expect(text).toContain("-Rule 20 of the house.\n+Another rule.")
    expect(text).not.toContain("Rule 3 of the house.")
  })

  it("skills are told by what was added and removed", () => {
    const session = start()
    const skill = (name: string) => ({ name, description: "d" })
    session.observe("skills", [skill("pdf"), skill("svg")])
    turn(session)
    session.observe("skills", [skill("pdf"), skill("csv")])
    const text = turn(session)
    expect(text).toContain("+ - csv: d\n- - svg: d")
    expect(text).not.toContain("pdf")
  })
})

describe("on signal", () => {
  it("five edits of a file between two boundaries are one reminder with the net diff", () => {
    const session = start()
    for (let i = 0; i < 5; i++) edit(session, `v${i}`, `v${i + 1}`, "a.ts", i % 2 === 0 ? "ann" : "bob")
    const text = turn(session)
    expect(text).toContain("a.ts was changed by ann and bob")
    expect(text).toContain("-v0\n+v5")
    expect(spoke(session, 1)).toEqual(["edited_text_file"])
  })

  it("an edit and its undoing say nothing", () => {
    const session = start()
    edit(session, "old", "new")
    edit(session, "new", "old")
    expect(turn(session)).toBe("")
  })

  it("files are told apart, and each only once", () => {
    const session = start()
    edit(session, "1", "2", "a.ts")
    edit(session, "1", "2", "b.ts")
    expect(turn(session).match(/was changed/g)).toHaveLength(2)
    expect(turn(session)).toBe("")
  })

  it("what came while the request was out is told at the next boundary", () => {
    const session = start()
    session.say("Go")
    const sent = request(session)
    edit(session, "old", "new")
    session.reply(sent.id, calls("c1"))
    session.result("c1", "done")
    expect(told(request(session))).toContain("a.ts was changed by someone else")
  })
})

describe("on cadence", () => {
  const nudge = onCadence({
    kind: "nudge",
    every: { steps: 2 },
    since: dynamic("used"),
    say: (_, short) => [{ line: short ? "short nudge" : "full nudge" }],
  })

  it("speaks when so much has passed, in a short form after the first", () => {
    const texts = steps(alone(nudge), 6).map((text) => /\w+ nudge/.exec(text)?.[0])
    expect(texts).toEqual([undefined, "full nudge", undefined, "short nudge", undefined, "short nudge"])
  })

  it("the signal starts the count anew", () => {
    const session = alone(nudge)
    steps(session, 1)
    session.note(dynamic({ type: "used" }))
    expect(steps(session, 2).map((text) => text.includes("nudge"))).toEqual([false, true])
  })

  it("an empty todo list is no reason to speak; one with something in it is, every ten steps", () => {
    const idle = start()
    idle.observe("todos", [])
    expect(steps(idle, 25).join()).not.toContain("todo")
    const busy = start()
    busy.observe("todos", [{ content: "write tests", status: "pending" }])
    const told = steps(busy, 25).map((text, i) => (text.includes("- [pending] write tests") ? i + 1 : 0))
    expect(told.filter((step) => step > 0)).toEqual([10, 20])
  })
})

describe("after a compaction", () => {
  const once = (afterCompaction: "keep" | "forget") =>
    defineRule({
      kind: "once",
      afterCompaction,
      decide: ({ memo }) => (memo() === true ? [] : [{ memo: true, forms: [{ line: "said once" }] }]),
    })

  it.each(["keep", "forget"] as const)("a rule that is to %s what it told does so", (afterCompaction) => {
    const session = alone(once(afterCompaction))
    expect([turn(session), turn(session)].map((text) => text.includes("said once"))).toEqual([true, false])
    session.compact("We talked.")
    expect(turn(session).includes("said once")).toBe(afterCompaction === "forget")
    expect(turn(session)).toBe("")
  })

  it("a cadence begins again with its full form", () => {
    const say = (_: unknown, short: boolean) => [{ line: short ? "short nudge" : "full nudge" }]
    const session = alone(onCadence({ kind: "nudge", every: { turns: 1 }, say }))
    const nudge = () => /\w+ nudge/.exec(turn(session))?.[0]
    expect([nudge(), nudge()]).toEqual(["full nudge", "short nudge"])
    session.compact("We talked.")
    expect([nudge(), nudge()]).toEqual(["full nudge", "short nudge"])
  })
})

describe("throttle", () => {
  const chatty = (throttle: Rule["throttle"]) =>
    defineRule({
      kind: "chatty",
      ...(throttle && { throttle }),
      decide: () => [{ forms: [{ line: "chatter" }] }],
    })

  it("keeps so many steps between, and the ledger says until when", () => {
    const session = alone(chatty({ steps: 3 }))
    expect(steps(session, 5).map((text) => text.includes("chatter"))).toEqual([
      true,
      false,
      false,
      true,
      false,
    ])
    expect(rowOf(session, "chatty", 2)).toMatchObject({ outcome: "throttled", until: "in 2 steps" })
    expect(rowOf(session, "chatty", 3)).toMatchObject({ until: "in 1 step" })
  })

  it("keeps so many human turns between", () => {
    const session = alone(chatty({ turns: 2 }))
    expect([turn(session), turn(session), turn(session)].map((text) => text !== "")).toEqual([
      true,
      false,
      true,
    ])
  })

  it("speaks at most so many times in a session, restored or not", () => {
    const session = alone(chatty({ limit: 2 }))
    steps(session, 3)
    expect(rowOf(session, "chatty", 3)).toMatchObject({ outcome: "throttled", until: "the session ends" })
    const restored = reopen(session, { rules: [chatty({ limit: 2 })] })
    expect(steps(restored, 1).join()).not.toContain("chatter")
  })

  it("a throttled signal waits, and is told when its time has come", () => {
    const rule = onSignal({
      kind: "ping",
      signal: dynamic("ping"),
      throttle: { steps: 2 },
      say: (all) => [{ line: `${all.length} pings` }],
    })
    const session = alone(rule)
    session.note(dynamic({ type: "ping" }))
    steps(session, 1)
    session.note(dynamic({ type: "ping" }))
    expect(steps(session, 2).map((text) => /\d pings/.exec(text)?.[0])).toEqual([undefined, "1 pings"])
  })
})

describe("nested instructions", () => {
  it("are told from the outermost folder inwards, whatever the folders are called", () => {
    const session = start()
    session.observe("nested:a/B/AGENTS.md", "inner")
    session.observe("nested:a/CLAUDE.md", "outer")
    const text = turn(session)
    expect(text.indexOf("outer")).toBeGreaterThan(-1)
    expect(text.indexOf("outer")).toBeLessThan(text.indexOf("inner"))
  })
})

describe("the answers of one hook", () => {
  it("are told apart when nobody waited for some of them", () => {
    const session = start()
    session.note({ type: "hook.answered", hook: "lint", message: "at once" })
    session.note({ type: "hook.answered", hook: "lint", message: "in the end", late: true })
    const text = turn(session)
    expect(text).toContain("The hook lint answered:\nat once")
    expect(text).toContain("The hook lint, which runs beside the turn, answered:\nin the end")
  })
})
