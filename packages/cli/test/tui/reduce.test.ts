import type { HarnessEvent } from "@sotto/harness"
import { describe, expect, it } from "vitest"
import { emptyScreen, reduce } from "../../src/tui/state/reduce.js"
import type { Screen, ScreenEvent } from "../../src/tui/state/screen.js"
import { costIn } from "../../src/tui/state/tally.js"

const START = emptyScreen("s", "build", "anthropic/claude-sonnet-4-5")

/** What the screen is after these events, one a second. */
function after(events: readonly (HarnessEvent | ScreenEvent)[], from: Screen = START): Screen {
  return events.reduce((screen, event, i) => reduce(screen, event, i * 1000), from)
}

const waiting = (id: string, text: string) =>
  ({ type: "waiting", waiting: [{ id, text, delivery: "next-step", held: false }] }) as const
const step = (n: number) => ({ type: "step", n }) as const
const text = (words: string) => ({ type: "text", text: words }) as const
const call = (id: string, name = "bash") =>
  ({ type: "tool-call", id, name, input: { command: "ls" } }) as const
const result = (id: string) => ({ type: "tool-result", id, output: "out" }) as const
const END = { type: "turn-end", reason: "done", steps: 1 } as const
const told = (kind: string) =>
  ({ type: "reminder", kind, step: 1, carrier: "user-text", tokens: 5, text: "…" }) as const

describe("the screen", () => {
  it("prints a block when the next has begun, and the last at the end", () => {
    const streaming = after([step(1), text("One.\n\nTw"), text("o.\n\nThree"), text(".\n\nFo")])
    expect(streaming.items).toMatchObject([
      { is: "text", text: "One.\n\n", first: true },
      { is: "text", text: "Two.\n\n", first: false },
      { is: "text", text: "Three.\n\n", first: false },
    ])
    expect(streaming.text).toBe("Fo")
    const over = after([END], streaming)
    expect(over.items.at(-2)).toMatchObject({ is: "text", text: "Fo" })
    expect(over).toMatchObject({ text: "", turn: undefined })
  })

  it.each([
    ["- a\n- b", "- a\n", "- b"],
    ["3. a\n4. b\n5. c", "3. a\n4. b\n", "5. c"],
    // The numbers that are written are not those that are shown: they could not go on.
    ["1. a\n1. b", "", "1. a\n1. b"],
    ["- a\n  - b\n  - c", "", "- a\n  - b\n  - c"],
  ])("prints the items of a list when the next has begun: %j", (list, done, rest) => {
    const { items, text: growing, goesOn } = after([step(1), text("x"), text(`\n\n${list}`)])
    expect(items.at(-1)).toMatchObject({ is: "text", text: `x\n\n${done}` })
    expect(growing).toBe(rest)
    const over = after([END], { ...after([step(1), text("x"), text(`\n\n${list}`)]) })
    expect(goesOn === "joined").toBe(done !== "")
    expect(over.items.at(-2)).toMatchObject({ text: rest, ...(done !== "" && { joined: true }) })
  })

  it("puts what was said before the calls that follow it", () => {
    const screen = after([step(1), text("I look."), call("a"), call("b"), result("b"), result("a"), END])
    expect(screen.items.map((item) => (item.is === "call" ? item.call.id : item.is))).toEqual([
      "text",
      "b",
      "a",
      "turn",
    ])
  })

  it("shows a queued message until it is delivered, then in its place", () => {
    const queued = after([step(1), call("a"), waiting("m1", "Mind this.")])
    expect(queued.waiting).toHaveLength(1)
    const delivered = after([result("a"), step(2), { type: "delivered", id: "m1", step: 2 }], queued)
    expect(delivered.waiting).toEqual([])
    expect(delivered.items.at(-1)).toEqual({ is: "user", id: "m1", text: "Mind this.", step: 2 })
  })

  it("does not say of a prompt that opens a turn where it came in", () => {
    const screen = after([waiting("m1", "Begin."), step(1), { type: "delivered", id: "m1", step: 1 }])
    expect(screen.items.at(-1)).toEqual({ is: "user", id: "m1", text: "Begin." })
  })

  it("holds what is queued after an interruption, and says which calls it cut short", () => {
    const events: readonly (HarnessEvent | ScreenEvent)[] = [
      ...[step(1), text("Half"), call("a"), waiting("m1", "Later.")],
      ...[{ type: "interrupted" } as const, { ...END, reason: "interrupted" } as const],
    ]
    const screen = after(events)
    expect(screen.waiting).toMatchObject([{ held: true }])
    expect(screen.items).toMatchObject([
      { is: "text", text: "Half" },
      { is: "call", call: { id: "a", error: true, output: "interrupted" } },
      { is: "turn", reason: "interrupted" },
    ])
    expect(screen.calls).toEqual([])
  })

  it("begins an answer again that broke off", () => {
    const screen = after([
      step(1),
      text("One.\n\nTwo"),
      { type: "retry", attempt: 1, reason: "overloaded", seconds: 2 },
      text("One."),
    ])
    expect(screen.text).toBe("One.")
    expect(screen.items.at(-1)).toMatchObject({ is: "notice", text: "the answer broke off and begins again" })
    expect(screen.turn?.retry).toBeUndefined()
  })

  it("keeps asides in their place among what was said", () => {
    const screen = after([
      step(1),
      told("plan_mode"),
      text("x"),
      step(2),
      told("date_change"),
      text("y"),
      END,
    ])
    expect(screen.items.map((item) => (item.is === "aside" ? item.told.kind : item.is))).toEqual([
      "plan_mode",
      "text",
      "date_change",
      "text",
      "turn",
    ])
  })

  it("does not count what a call waited for its permission", () => {
    const asked = { type: "asked", call: "a" } as const
    const answered = { type: "answered", call: "a" } as const
    // Called at 1, asked at 2, answered at 5, over at 6: it ran for two seconds.
    const events = [step(1), call("a"), asked, text(""), text(""), answered, result("a")]
    const [over] = after(events).items
    expect(over).toMatchObject({ is: "call", call: { seconds: 2 } })
  })

  it("tells of a call that the model is still writing, until it is called", () => {
    const coming = { type: "tool-input", id: "a", name: "write", size: 400, about: "a.ts" } as const
    const writing = after([step(1), { ...coming, size: 0 }, coming])
    expect(writing.incoming).toEqual([{ id: "a", name: "write", size: 400, about: "a.ts" }])
    expect(after([call("a")], writing).incoming).toEqual([])
    expect(after([END], writing).incoming).toEqual([])
  })

  it("says how full the context is by the newest step, and what the session and its subagents have cost", () => {
    const spent = { requests: 1, input: 1_000, output: 100, cacheRead: 9_000, cacheWrite: 0 }
    const usage = { type: "usage", purpose: "step", ...spent, account: { ...spent, cost: 0.0072 } } as const
    const beside = { ...usage, input: 5, cacheRead: 0, account: { ...spent, cost: 0.03 } }
    const model = { type: "model-is", model: "m", window: 100_000 } as const
    const events = [model, step(1), usage, { ...beside, purpose: "title" }, { ...beside, session: "child" }]
    const { tally } = after(events)
    expect(tally).toMatchObject({ context: 10_100, window: 100_000, cacheRead: 9_000 })
    expect(tally.account?.cost).toBe(0.03)
    const ended = { ...END, account: { ...spent, cost: 0.04 } }
    expect(after([...events, ended]).tally.account?.cost).toBe(0.04)
    expect(after([{ type: "account-is", account: spent }]).tally.account).toEqual(spent)
  })

  it("says so if the price of a request is assumed, or not known", () => {
    const spent = { requests: 1, input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 }
    expect(costIn({ ...spent, cost: 0.0312 })).toBe("$0.031")
    expect(costIn({ ...spent, cost: 0.5, assumed: { "claude-opus-6": "claude-opus-5-5" } })).toBe(
      "about $0.50",
    )
    expect(costIn({ ...spent, unpriced: 1, costAtLeast: 0.5 })).toBe("over $0.50")
    expect(costIn({ ...spent, unpriced: 1, costAtLeast: 0 })).toBe("cost unknown")
    expect(costIn({ ...spent, requests: 0, cost: 0 })).toBeUndefined()
  })

  it("takes the todo list from a call that succeeded", () => {
    const todos = [{ content: "One", status: "pending" }]
    const write = { type: "tool-call", id: "t", name: "todo_write", input: { todos } } as const
    expect(after([step(1), write]).todos).toEqual([])
    expect(after([step(1), write, result("t")]).todos).toEqual(todos)
    expect(after([step(1), write, { ...result("t"), error: true }]).todos).toEqual([])
  })

  it("keeps the newest of what a call tells while it runs", () => {
    const lines = Array.from(
      { length: 9 },
      (_, i) => ({ type: "progress", id: "a", line: `line ${i}` }) as const,
    )
    expect(after([step(1), call("a"), ...lines]).calls[0]?.progress).toEqual([
      "line 5",
      "line 6",
      "line 7",
      "line 8",
    ])
  })
})
