import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cacheParts } from "../src/page/cache/parts.js"
import type { AnyRow } from "../src/page/data/shapes.js"
import { overviewOf } from "../src/page/timeline/layout.js"
import { including, shifted, wholeOf, zoomed } from "../src/page/timeline/window.js"

function row(n: number, more: Partial<AnyRow> = {}): AnyRow {
  return {
    n,
    thread: "1",
    call: n,
    at: n * 1_000,
    dialect: "anthropic",
    model: "m",
    tokens: { sent: 100 * n, read: 80 * n, written: 20 * n, missed: 0, reported: true },
    kinds: {},
    reminders: [],
    tools: [],
    ...more,
  }
}

const rows = (count: number) => Array.from({ length: count }, (_, i) => row(i + 1))

describe("the window of a timeline", () => {
  const total = 1_000
  it("zooms from the whole to one step around a place, and back", () => {
    let window = wholeOf(total)
    for (let i = 0; i < 12; i++) window = zoomed(window, 0.5, 700, total)
    expect(window).toEqual({ from: 700, to: 700 })
    for (let i = 0; i < 12; i++) window = zoomed(window, 2, 700, total)
    expect(window).toEqual(wholeOf(total))
  })

  it("stays within the session and contains what is zoomed at, whatever is done", () => {
    const deeds = fc.array(
      fc.tuple(
        fc.constantFrom("zoom", "shift", "include"),
        fc.double({ min: 0.1, max: 5, noNaN: true }),
        fc.integer({ min: 1, max: total }),
      ),
    )
    fc.assert(
      fc.property(deeds, (all) => {
        let window = wholeOf(total)
        for (const [what, factor, n] of all) {
          const around = Math.min(window.to, Math.max(window.from, n))
          if (what === "zoom") window = zoomed(window, factor, around, total)
          else if (what === "shift") window = shifted(window, n - 500, total)
          else window = including(window, n, total)
          expect(window.from).toBeGreaterThanOrEqual(1)
          expect(window.to).toBeLessThanOrEqual(total)
          expect(window.from).toBeLessThanOrEqual(window.to)
          if (what === "zoom") expect(around >= window.from && around <= window.to).toBe(true)
          if (what === "include") expect(n >= window.from && n <= window.to).toBe(true)
        }
      }),
    )
  })
})

describe("the overview", () => {
  it("draws a bar for each step, or one for several where there is no room, and loses none", () => {
    for (const count of [1, 10, 500, 10_000]) {
      const { bars } = overviewOf(rows(count), wholeOf(count), 900)
      expect(bars.length).toBeLessThanOrEqual(300 > count ? count : 450)
      expect(bars[0]?.from).toBe(1)
      expect(bars.at(-1)?.to).toBe(count)
      for (const [i, bar] of bars.entries()) if (i > 0) expect(bar.from).toBe((bars[i - 1]?.to ?? 0) + 1)
      const last = bars.at(-1)
      expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo(900)
    }
  })

  it("keeps the mark of a break that shares its bar with others", () => {
    const all = rows(10_000)
    all[7_777] = row(7_778, { break: { cause: "system-changed", lostTokens: 5 } })
    const { bars } = overviewOf(all, wholeOf(10_000), 900)
    expect(bars.filter(({ breaks }) => breaks > 0)).toHaveLength(1)
  })

  it("draws a message from the moment it arrived to the step that delivered it", () => {
    const message = {
      id: "m",
      origin: { kind: "human" },
      delivery: "next-step",
      arrivedAt: 2_500,
      text: "Hey",
    } as const
    const all = [...rows(3), row(4, { messages: [message] })]
    const [journey] = overviewOf(all, wholeOf(4), 400).journeys
    expect(journey).toMatchObject({ arrived: 150, delivered: 300, n: 4 })
  })

  it("bears rows that have not come yet", () => {
    expect(overviewOf([undefined, row(2), undefined], wholeOf(3), 300).bars.map(({ sent }) => sent)).toEqual([
      0, 200, 0,
    ])
  })
})

describe("the bar of a request", () => {
  it("counts every token once, in order, whatever is reported", () => {
    const count = fc.nat({ max: 100_000 })
    fc.assert(
      fc.property(count, count, count, count, (sent, read, written, missed) => {
        const parts = cacheParts({ sent, read, written, missed, reported: true })
        expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(sent)
        for (const [i, part] of parts.entries()) {
          expect(part.tokens).toBeGreaterThan(0)
          expect(part.from).toBeCloseTo(i === 0 ? 0 : (parts[i - 1]?.to ?? 0))
        }
      }),
    )
  })

  it("shows what was missed between what was read and what is new", () => {
    const parts = cacheParts({ sent: 100, read: 20, written: 70, missed: 50, reported: true })
    expect(parts.map(({ part, tokens }) => [part, tokens])).toEqual([
      ["read", 20],
      ["missed", 50],
      ["written", 20],
      ["rest", 10],
    ])
  })
})
