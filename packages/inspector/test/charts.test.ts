import { describe, expect, it } from "vitest"
import { chartsOf, layersOf, tableOf, thinned, ticks } from "../src/page/charts/series.js"
import type { AnyRow } from "../src/page/data/shapes.js"

const rows: readonly AnyRow[] = Array.from({ length: 5_000 }, (_, i) => ({
  n: i + 1,
  thread: "1",
  call: i + 1,
  dialect: "anthropic",
  model: "m",
  tokens: { sent: 100, read: 60, written: 30, missed: 0, reported: true },
  kinds: { system: 40, user: i === 1_234 ? 999 : 20 },
  reminders: [],
  tools: [],
  ms: 10,
}))

describe("charts", () => {
  const [context, cache, time] = chartsOf(rows)

  it("show context by kind, the cache, and time; a chart of what is not known is left out", () => {
    expect(chartsOf(rows).map(({ id }) => id)).toEqual(["context", "cache", "time"])
    expect(context?.series.map(({ name }) => name)).toEqual(["system", "user"])
    expect(cache?.series.map(({ name, values }) => [name, values[0]])).toEqual([
      ["read", 60],
      ["written", 30],
      ["not cached", 10],
    ])
    expect(time?.unit).toBe("ms")
  })

  it("draw fewer points than there are steps, and keep the largest", () => {
    if (context === undefined) throw new Error("There is no chart of the context.")
    const few = thinned(context)
    expect(few.steps.length).toBeLessThanOrEqual(1_200)
    expect(few.steps).toContain(1_235)
    expect(thinned(context, 10_000)).toBe(context)
  })

  it("stack layers on one another", () => {
    if (context === undefined) throw new Error("There is no chart of the context.")
    const short = {
      ...context,
      steps: [1],
      series: context.series.map((one) => ({ ...one, values: one.values.slice(0, 1) })),
    }
    expect(layersOf(short, 100, 100, 100).map(({ path }) => path)).toEqual([
      "M0,60H100L100,100H0Z",
      "M0,40H100L100,60H0Z",
    ])
  })

  it("have round figures on the axis, up to at least the largest value", () => {
    expect(ticks(26_900)).toEqual([0, 10_000, 20_000, 30_000])
    expect(ticks(0.13).at(-1)).toBeGreaterThanOrEqual(0.13)
    expect(ticks(0)).toEqual([0])
  })

  it("give every value as a table that a spreadsheet takes", () => {
    if (context === undefined) throw new Error("There is no chart of the context.")
    const lines = tableOf(context, "step").split("\n")
    expect(lines).toHaveLength(5_001)
    expect(lines.slice(0, 2)).toEqual(["step\tsystem\tuser", "1\t40\t20"])
  })
})
