import { standardRules } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { measure, unthrottled } from "../src/catalogue.js"

describe("a coding session of 200 steps on default settings", () => {
  const quiet = measure(standardRules())

  it("has reminders for at most 2% of its tokens, and says nothing twice", () => {
    expect(quiet.asides.length).toBeGreaterThan(40)
    expect(quiet.share).toBeLessThanOrEqual(0.02)
    expect(quiet.repeated).toEqual([])
  })

  it("is the same every time", () => expect(measure(standardRules())).toEqual(quiet))

  it("would be quite another without throttle and memory", () => {
    const noisy = measure(standardRules().map(unthrottled))
    expect(noisy.share).toBeGreaterThan(10 * quiet.share)
    expect(noisy.repeated.length).toBeGreaterThan(1_000)
  })
})
