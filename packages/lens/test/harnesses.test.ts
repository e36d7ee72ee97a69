import { describe, expect, it } from "vitest"
import { check } from "../src/index.js"
import { callsOf } from "./support/history.js"

const words = (seed: number) =>
  Array.from({ length: 30 }, (_, i) => `w${(seed * 31 + i * 17) % 997}`).join(" ")
const part = (text: string) => ({ type: "text", text })
const user = (...texts: readonly string[]) => ({ role: "user", content: texts.map(part) })
const model = (text: string) => ({ role: "assistant", content: [part(text)] })
const body = (...messages: readonly unknown[]) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 100,
  system: "You are an agent.",
  messages,
})

const causes = (...bodies: readonly unknown[]) => {
  const { threads } = check(callsOf(bodies))
  return threads.map(({ breaks }) => breaks.map(({ call, cause, segment }) => [call, cause, segment]))
}

const PLAN = "<system-reminder>\nPlan mode ACTIVE. Look, and change nothing.\n</system-reminder>"
const BUILD = "<system-reminder>\nYour operational mode has changed from plan to build.\n</system-reminder>"

describe("what known harnesses do", () => {
  const [u1, a1, u2, a2, u3] = [words(1), words(2), words(3), words(4), words(5)]

  it("opencode: the plan's reminder stands on the newest message only, and moves with it", () => {
    expect(
      causes(
        body(user(u1, PLAN)),
        body(user(u1, PLAN), model(a1), user(words(9))),
        body(user(u1), model(a1), user(words(9)), model(a2), user(u2, PLAN)),
      ),
    ).toEqual([[[3, "reminder-moved", "messages.1.content.0"]]])
  })

  it("opencode: in the build mode the plan's reminder is gone and another one is there", () => {
    expect(
      causes(
        body(user(u1, PLAN)),
        body(user(u1), model(a1), user(u2, BUILD)),
        body(user(u1), model(a1), user(u2), model(a2), user(u3, BUILD)),
      ),
    ).toEqual([
      [
        [2, "reminder-removed", "messages.1.content.0"],
        [3, "reminder-moved", "messages.3.content.0"],
      ],
    ])
  })

  it("Claude Code: the marker's message is a list of blocks, and a string once the marker has moved on", () => {
    const marked = (text: string) => ({
      role: "user",
      content: [{ ...part(text), cache_control: { type: "ephemeral" } }],
    })
    const plain = (text: string) => ({ role: "user", content: text })
    expect(
      causes(
        body(marked(u1)),
        body(plain(u1), model(a1), marked(u2)),
        body(plain(u1), model(a1), plain(u2), model(a2), marked(u3)),
      ),
    ).toEqual([[]])
  })

  it("Cline: the details of the surroundings are told anew, and the old ones stay", () => {
    const details = (time: string) => `<environment_details>\n# Current Time\n${time}\n</environment_details>`
    expect(
      causes(
        body(user(u1, details("10:00"))),
        body(user(u1, details("10:00")), model(a1), user(u2, details("10:05"))),
      ),
    ).toEqual([[]])
    expect(
      causes(body(user(u1, details("10:00"))), body(user(u1, details("10:05")), model(a1), user(u2))),
    ).toEqual([[[2, "reminder-changed", "messages.0.content.1"]]])
  })

  it("a window that slides: the oldest messages are dropped without a summary", () => {
    const all = Array.from({ length: 12 }, (_, i) =>
      i % 2 === 0 ? user(words(20 + i)) : model(words(20 + i)),
    )
    expect(
      causes(body(...all, user("Go on.")), body(...all.slice(4), user("Go on."), model(a1), user(u1))),
    ).toEqual([[[2, "message-removed", "messages.0.content.0"]]])
  })

  it("several results are masked at once: one break, at the first of them", () => {
    const call = (id: string) => ({
      role: "assistant",
      content: [{ type: "tool_use", id, name: "read", input: {} }],
    })
    const result = (id: string, content: string) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content }],
    })
    const long = (seed: number) => words(seed).repeat(20)
    const history = (text: (seed: number) => string) => [
      user(u1),
      ...["a", "b", "c"].flatMap((id, i) => [call(id), result(id, text(i))]),
    ]
    const [breaks] = check(
      callsOf([
        body(...history(long)),
        body(...history(() => "[output cleared]"), call("d"), result("d", "ok")),
      ]),
    ).threads.map((thread) => thread.breaks)
    expect(breaks).toMatchObject([{ call: 2, cause: "result-masked", segment: "messages.2.content.0" }])
  })
})
