import { expectAppendOnly, validateAnthropic } from "@sotto/core/testing"
import { describe, expect, it } from "vitest"
import { createMender } from "../src/index.js"
import type { Body } from "./support/history.js"
import {
  assistant,
  calling,
  claude,
  reminder,
  request,
  result,
  send,
  sendAll,
  user,
  words,
} from "./support/mending.js"

const TODO = (n: number) => reminder(`The TodoWrite tool has not been used: ${n} are open.`)
const STYLE = reminder(`Output style is active: ${words(5)}`)
const [u1, u2] = [words(1), words(2)]

/** A tool loop in which each result brings a reminder along, and keeps it. */
function loop(steps: number, say: (n: number) => string): Body {
  const turns = Array.from({ length: steps }, (_, n) => [
    calling(`c${n}`),
    result(`c${n}`, words(20 + n), say(n)),
  ])
  return claude([user(u1), ...turns.flat()])
}

const count = (body: string, text: string) => body.split(JSON.stringify(text).slice(1, -1)).length - 1

describe("mute", () => {
  it("leaves out a kind of reminder, and nothing else, in this and all later requests", () => {
    const bodies = Array.from({ length: 5 }, (_, n) => loop(n, TODO))
    const all = sendAll(bodies, { mute: ["todo_reminder"] })
    expectAppendOnly(all.map(({ json }) => json))
    for (const [n, { body, json, mends }] of all.entries()) {
      expect(body).not.toContain("TodoWrite")
      for (let i = 0; i < n; i++) expect(body).toContain(words(20 + i))
      expect(validateAnthropic(json)).toEqual([])
      expect(mends.filter(({ policy }) => policy === "mute").length).toBeGreaterThanOrEqual(n === 0 ? 0 : 1)
    }
  })

  it("takes a reminder out of the text that it stands in", () => {
    const [sent] = sendAll([claude([user(`${u1}\n\n${TODO(1)}`, STYLE)])], { mute: ["todo_reminder"] })
    const messages = sent?.json.messages as { content: { text: string }[] }[]
    expect(messages[0]?.content.map(({ text }) => text.trim())).toEqual([u1, STYLE])
  })

  it("never removes what was already sent", () => {
    const before = loop(3, TODO)
    const [sent] = sendAll([before], { mute: ["todo_reminder"] })
    // The last result is new; what stands before the last reply was sent by somebody, if not through this mender.
    expect(count(sent?.body ?? "", TODO(0))).toBe(1)
    expect(count(sent?.body ?? "", TODO(1))).toBe(1)
    expect(count(sent?.body ?? "", TODO(2))).toBe(0)
  })

  it("keeps a reminder that is all the user's side says", () => {
    const only = claude([user(u1), assistant("Yes."), user(TODO(1))])
    expect(sendAll([only], { mute: ["todo_reminder"] })[0]?.body).toBe(JSON.stringify(only))
  })

  it("is never announced or withdrawn when it is held", () => {
    const all = sendAll(
      [
        claude([user(u1, TODO(1))]),
        claude([user(u1, TODO(2)), assistant("a"), user(u2)]),
        claude([user(u1), assistant("a"), user(u2), assistant("b"), user("c")]),
      ],
      { hold: true, mute: ["todo_reminder"] },
    )
    expectAppendOnly(all.map(({ json }) => json))
    for (const { body } of all) expect(body).not.toMatch(/TodoWrite|withdrawn|reminder above/)
  })
})

describe("throttle", () => {
  it.each([false, true])("sends a kind at most once in so many requests (hold: %s)", (hold) => {
    const all = sendAll(
      Array.from({ length: 9 }, (_, n) => loop(n, TODO)),
      { hold, throttle: { todo_reminder: 3 } },
    )
    expectAppendOnly(all.map(({ json }) => json))
    const last = all.at(-1)?.body ?? ""
    expect(Array.from({ length: 8 }, (_, n) => count(last, TODO(n)))).toEqual([1, 0, 0, 1, 0, 0, 1, 0])
  })

  it("counts the requests of the conversation also for a question beside it", () => {
    const mender = createMender({ throttle: { todo_reminder: 3 } })
    for (let n = 0; n < 4; n++) send(mender, loop(n, TODO))
    const question = "Summarize the conversation so far in a detailed summary."
    const asked = (n: number) => {
      const { messages, ...more } = loop(n, TODO)
      return { ...more, messages: [...(messages as unknown[]), assistant("Done."), user(question, TODO(9))] }
    }
    expect(count(send(mender, asked(3)).body, TODO(9))).toBe(1)
    send(mender, loop(4, TODO))
    expect(count(send(mender, asked(4)).body, TODO(9))).toBe(0)
  })
})

describe("breakpoints", () => {
  const markers = ({ json }: { readonly json: Body }) => {
    const places: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (value === null || typeof value !== "object") return
      if ("cache_control" in value) places.push(path)
      for (const [name, inner] of Object.entries(value)) visit(inner, path === "" ? name : `${path}.${name}`)
    }
    visit(json, "")
    return places
  }

  it("marks the end of the system prompt and the newest user content where the harness marks nothing", () => {
    const [first, second] = sendAll([loop(1, () => "x"), loop(2, () => "x")], { breakpoints: true })
    expect(markers(first as { json: Body }).sort()).toEqual(["messages.2.content.1", "system.0"])
    expect(markers(second as { json: Body }).sort()).toEqual(["messages.4.content.1", "system.0"])
    expect(first?.mends.map(({ policy }) => policy)).toEqual(["breakpoints", "breakpoints"])
  })

  it("adds one where the last request ended if that is out of reach, and never more than four", () => {
    const wide = (n: number) =>
      claude([
        user(u1),
        ...Array.from({ length: n }, (_, i) => [
          assistant(`${i}`),
          user(...Array.from({ length: 30 }, (_, j) => words(i * 30 + j, 3))),
        ]).flat(),
      ])
    for (const sent of sendAll([wide(0), wide(1), wide(2), wide(3)], { breakpoints: true })) {
      expect(markers(sent).length).toBeLessThanOrEqual(4)
      expect(validateAnthropic(sent.json)).toEqual([])
    }
    const [, , third] = sendAll([wide(0), wide(1), wide(2)], { breakpoints: true })
    expect(markers(third as { json: Body })).toContain("messages.2.content.29")
    expect(markers(third as { json: Body })).toContain("messages.4.content.29")
  })

  it("leaves a harness alone that marks what is needed", () => {
    const marked = { type: "text", text: "x", cache_control: { type: "ephemeral" } }
    const body = claude([{ role: "user", content: [marked] }], { system: [marked] })
    expect(sendAll([body], { breakpoints: true })[0]).toMatchObject({ body: JSON.stringify(body), mends: [] })
  })

  it("keeps long-lived markers before short-lived ones, and marks no system message", () => {
    const long = { type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }
    const body = claude(
      [
        { role: "user", content: [long] },
        assistant("a"),
        user(u1),
        { role: "system", content: [{ type: "text", text: "Now." }] },
      ],
      { model: "claude-opus-5", system: "You are an agent." },
    )
    const [sent] = sendAll([body], { breakpoints: true })
    expect(validateAnthropic(sent?.json)).toEqual([])
    expect(JSON.stringify(sent?.json.system)).toContain('"ttl":"1h"')
    const messages = sent?.json.messages as unknown[]
    expect(JSON.stringify(messages.at(-1))).not.toContain("cache_control")
  })
})

describe("what survives a restart", () => {
  const bodies = Array.from({ length: 6 }, (_, n) => ({
    ...loop(n, (i) => (i === n - 1 ? reminder(`Plan mode is active. ${words(9, 90)}`) : TODO(i))),
    system: `You are an agent.\nToday's date: 2026-11-1${n}`,
  }))

  it("is all that matters: every later request has the bytes of a mender that never stopped", () => {
    const policy = {
      hold: true,
      mute: ["todo_reminder"],
      throttle: { plan_mode: 2 },
      breakpoints: true,
    } as const
    const whole = createMender(policy)
    let stopped = createMender(policy)
    for (const body of bodies) {
      const expected = send(whole, body)
      expect(send(stopped, body).body).toBe(expected.body)
      stopped = createMender(policy, { saved: stopped.save() })
      expect(send(stopped, body).body).toBe(expected.body)
    }
  })

  it("is bounded: old threads are dropped", () => {
    const mender = createMender({ hold: true })
    for (let i = 0; i < 100; i++)
      send(mender, claude([user(`${i} ${words(i)}`)], { system: `You are agent ${words(i, 50)}.` }))
    const saved = JSON.parse(mender.save())
    expect(saved.version).toBe(1)
    expect(saved.threads).toHaveLength(32)
    expect(saved.threads[0].body).toContain("99 ")
  })

  it.each([
    "",
    "{",
    "null",
    '{"version":1}',
    '{"version":99,"threads":[]}',
    '{"version":1,"threads":[{"dialect":"anthropic","body":"{}"},7,null]}',
  ])("is nothing if the text is damaged: %s", (saved) => {
    const mender = createMender({ hold: true }, { saved })
    expect(send(mender, bodies[0]).mends).toEqual([])
  })

  it("is nothing of a thread whose part of the text is damaged", () => {
    const mender = createMender({ hold: true })
    send(mender, bodies[0])
    send(mender, bodies[1])
    const saved = JSON.parse(mender.save())
    for (const damage of [
      { sent: [{}] },
      { sent: [{ from: -1 }] },
      { sent: [{ from: 0, frozen: "{" }] },
      { head: [7] },
      { body: "{" },
    ]) {
      const text = JSON.stringify({ ...saved, threads: [{ ...saved.threads[0], ...damage }] })
      const next = createMender({ hold: true }, { saved: text }).mend(request(bodies[2]))
      expect(next.body).toBe(JSON.stringify(bodies[2]))
    }
  })
})
