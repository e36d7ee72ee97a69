import { describe, expect, it } from "vitest"
import { costAtOnePrice, costAtOwnPrice } from "../src/cost/price.js"
import { type CostReport, type Outcome, pageReport, textReport } from "../src/cost/report.js"

const LONG = "word".repeat(4_000)
const said = (words: readonly string[], ttl?: string) => ({
  model: "claude-sonnet-4-5",
  messages: words.map((text, i) => ({
    role: "user",
    content: [
      {
        type: "text",
        text,
        ...(i === words.length - 1 && { cache_control: { type: "ephemeral", ...(ttl && { ttl }) } }),
      },
    ],
  })),
})

describe("what requests cost at one price", () => {
  const first = { body: said([LONG]), minute: 0 }
  const second = (minute: number, ttl?: string) => ({ body: said([LONG, "more"], ttl), minute })

  it("is a tenth for what an earlier request began with", () => {
    const alone = costAtOnePrice([first]).tokens
    const both = costAtOnePrice([first, second(1)]).tokens
    expect(both - alone).toBeLessThan(alone * 0.11)
  })

  it("is the whole price again after a pause that the cache does not outlive", () => {
    const alone = costAtOnePrice([first]).tokens
    expect(costAtOnePrice([first, second(10)]).tokens).toBeGreaterThan(alone * 1.9)
  })

  it("takes a cache that was asked for for an hour as kept, and as dearer to write", () => {
    const hour = { body: said([LONG], "1h"), minute: 0 }
    const alone = costAtOnePrice([hour]).tokens
    expect(alone).toBeGreaterThan(costAtOnePrice([first]).tokens * 1.5)
    expect(costAtOnePrice([hour, second(30, "1h")]).tokens).toBeLessThan(alone * 1.11)
  })

  it("is in dollars too by a provider's own price", () => {
    const { tokens, dollars } = costAtOwnPrice([first, second(1)], "anthropic", "claude-sonnet-4-5")
    expect(dollars).toBeCloseTo((tokens * 3) / 1e6)
  })
})

describe("the report", () => {
  const cost = (tokens: number): Outcome => ({ one: { tokens }, own: { tokens, dollars: tokens / 1e6 } })
  const report: CostReport = {
    about: ["Measured."],
    agents: [
      { name: "sotto", version: "1", released: "this tree", line: "l", model: "m" },
      { name: "pi", version: "2", released: "2026-01-01", line: "l", model: "m" },
    ],
    outcomes: new Map([
      [
        "20 steps",
        new Map([
          ["sotto", cost(105)],
          ["pi", cost(100)],
        ]),
      ],
      [
        "25 × 33 kB",
        new Map([
          ["sotto", cost(95)],
          ["pi", cost(100)],
        ]),
      ],
      [
        "300 × 8 kB",
        new Map<string, Outcome>([
          ["sotto", cost(10)],
          ["pi", { failed: "it stood still" }],
        ]),
      ],
    ]),
  }

  it("judges each goal by the peer that it names, and says what was not measured", () => {
    const lines = textReport(report).split("\n")
    const line = (words: string) => lines.find((one) => one.includes(words)) ?? ""
    expect(line("20 steps, beside pi's")).toMatch(/1\.05 ×\s+reached/)
    expect(line("25 × 33 kB, beside pi's")).toMatch(/0\.95 ×\s+not reached/)
    expect(line("300 × 8 kB, beside pi's")).toContain("cannot be judged")
    expect(lines).toContain("pi, 300 × 8 kB: not measured, because it stood still")
    expect(pageReport(report)).toContain(
      "![25 × 33 kB: input-token equivalents at one price](cost-large.svg)",
    )
  })
})
