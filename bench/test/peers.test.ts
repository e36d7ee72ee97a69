import { describe, expect, it } from "vitest"
import { barChart } from "../src/peers/chart.js"
import { goalsOf } from "../src/peers/goals.js"
import { type Figures, netTimes } from "../src/peers/measure.js"
import { replaced } from "../src/peers/page.js"
import type { Peer } from "../src/peers/peer.js"
import { pi } from "../src/peers/pi.js"
import { rowsOf } from "../src/peers/rows.js"
import { sotto } from "../src/peers/sotto.js"

const cpu = { sotto: [1.8, 2, 2.4], bare: [1, 1, 1.1] }

function figures(peer: Peer, own: Partial<Figures> = {}): Figures {
  return {
    peer,
    step: [2, 1, 3],
    gap: [3, 2, 4],
    stepLong: [2],
    gapLong: [3],
    growth: [1.05],
    start: [200, 210],
    cold: [90e6],
    long: [110e6],
    firstRequest: { bytes: 5_000, tools: 11 },
    turn: { changed: 0, after: 1 },
    modes: { changed: 0 },
    rules: { changed: 0, after: 1 },
    results: { changed: 0, sent: 900_000 },
    ...own,
  }
}

const reachedIn = (own: Figures, peers: readonly Figures[]) =>
  Object.fromEntries(goalsOf(own, peers, cpu).map(({ what, reached }) => [what, reached]))

describe("a step's time", () => {
  it("is from the end of a reply to the arrival of the next request, less the tool where its time is known", () => {
    const exchanges = [
      { arrived: 0, answered: 10, body: Buffer.alloc(0) },
      { arrived: 17, answered: 20, body: Buffer.alloc(0) },
      { arrived: 25, answered: 30, body: Buffer.alloc(0) },
    ]
    expect(netTimes({ exchanges, toolTimes: [4] })).toEqual([3, 5])
  })
})

describe("the table", () => {
  const slow = figures(pi, {
    step: [8, 6, 10],
    long: [],
    turn: { changed: 0, after: "takes none" },
    rules: { changed: 0 },
  })
  const rows = rowsOf(figures(sotto), [slow])
  const row = (label: string) => rows.find(([first]) => first === label)?.slice(1)

  it("has the median, the least and the most of the runs, and for a peer how many times Sotto's it is", () => {
    expect(row("harness time per step, 20 steps")).toEqual([
      "2.00 ms (1.00–3.00 ms)",
      "8.00 ms (6.00–10 ms), 4.00 ×",
    ])
  })

  it("says what was not measured, what a peer has none of, and what it never noticed", () => {
    expect(row("peak memory after 300 steps")?.[1]).toBe("not measured")
    expect(row("bytes sent that changed: a message at step 8")?.[1]).toBe("0 B, takes none")
    expect(row("… mode switches")?.[1]).toBe("no modes")
    expect(row("… rules file rewritten mid-turn")).toEqual([
      "0 B, noticed at the next request",
      "0 B, never noticed",
    ])
  })
})

describe("the goals", () => {
  it("are judged by the peers of the same run", () => {
    const goal = "harness time per step, 20 steps"
    expect(reachedIn(figures(sotto), [figures(pi, { step: [4] })])[goal]).toBe(true)
    expect(reachedIn(figures(sotto), [figures(pi, { step: [3.9] })])[goal]).toBe(false)
  })

  it("that need a peer which could not be run cannot be judged", () => {
    const reached = reachedIn(figures(sotto), [figures(pi, { step: [] })])
    expect(reached["harness time per step, 20 steps"]).toBeUndefined()
    expect(reached["process start to first request"]).toBeUndefined()
    expect(reached["first request"]).toBe(true)
  })

  it("are not reached by a scenario that failed, nor by news that came late", () => {
    const goal = "bytes already sent that changed, in all scenarios"
    expect(reachedIn(figures(sotto), [])[goal]).toBe(true)
    expect(reachedIn(figures(sotto, { modes: undefined }), [])[goal]).toBe(false)
    expect(reachedIn(figures(sotto, { rules: { changed: 0, after: 2 } }), [])[goal]).toBe(false)
    expect(reachedIn(figures(sotto, { results: { changed: 1, sent: 9 } }), [])[goal]).toBe(false)
  })
})

describe("a chart", () => {
  const bars = [
    { label: "sotto", value: 2, text: "2 ms" },
    { label: "a < b", value: 8, text: "8 ms" },
  ]

  it("has bars as long as their values, and signs of XML escaped", () => {
    const svg = barChart("Time", bars)
    const widths = [...svg.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, width]) => Number(width))
    expect(widths).toEqual([130, 520])
    expect(svg).toContain("a &#60; b")
  })
})

describe("the page", () => {
  const page =
    "# Speed\n<!-- measured: npm run bench -- peers --write -->\nold\n<!-- end of what is measured -->\nWhy.\n"

  it("gets new figures and keeps what was written around them", () => {
    const once = replaced(page, "new")
    expect(once).toMatch(/^# Speed\n.*\nnew\n.*\nWhy\.\n$/s)
    expect(once).not.toContain("old")
    expect(replaced(once, "new")).toBe(once)
  })

  it("without a place for figures is left alone, and it is said what to do", () => {
    expect(() => replaced("# Speed\n", "new")).toThrow(/Put back the lines/)
  })
})
