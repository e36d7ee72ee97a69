import { describe, expect, it } from "vitest"
import { check } from "../src/index.js"
import { type LensMatchers, lensMatchers } from "../src/test-kit/index.js"
import { type Body, bodiesOf, callsOf, ordinary } from "./support/history.js"

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: vitest declares it so.
  interface Assertion<T = any> extends LensMatchers<T> {}
}

expect.extend(lensMatchers)

const bodies = bodiesOf(ordinary("anthropic", "claude-opus-5-5"))
const faulty: readonly Body[] = bodies.map((body, i) =>
  i < 3 ? body : JSON.parse(JSON.stringify(body).replace("2026-11-16", "2026-11-17")),
)

describe("the matchers", () => {
  it("accept traffic that is only added to: bodies, calls, and a report", () => {
    expect(bodies).toBeAppendOnly()
    expect(callsOf(bodies)).toBeAppendOnly()
    expect(check(callsOf(bodies))).toBeAppendOnly()
    expect(faulty).not.toBeAppendOnly()
  })

  it("say which call broke, where and why", () => {
    expect(() => expect(faulty).toBeAppendOnly()).toThrow(
      /thread 1, call 4 at system\.0: system-changed \(a date or time changed in the system prompt\)\n\s+was: [\s\S]*2026-11-16[\s\S]*\n\s+is: {2}[\s\S]*2026-11-17/,
    )
  })

  it("compare the share of reminders with a limit", () => {
    expect(bodies).toKeepRemindersUnder(0.1)
    expect(() => expect(bodies).toKeepRemindersUnder(0.001)).toThrow(
      /under 0\.1% of what is sent:\n {2}thread 1: \d/,
    )
  })

  it("name what they take", () => {
    expect(() => expect(7).toBeAppendOnly()).toThrow("toBeAppendOnly takes a list of calls")
  })

  it("have the form that jest wants: a verdict with a message", () => {
    const verdict = lensMatchers.toBeAppendOnly(bodies)
    expect(verdict).toMatchObject({ pass: true })
    expect(verdict.message()).toContain("Expected a break")
  })
})
