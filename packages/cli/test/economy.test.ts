import type { Json } from "@sotto/core"
import { type CostReport, NOTHING_SPENT } from "@sotto/core/economy"

import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { costPage } from "../src/output/cost.js"
import { bodiesOf, conversationOf, times } from "./support/bodies.js"
import { benchWith, finished, reaching, serverWith, sotto, type Variables } from "./support/sotto.js"

const MODEL = "anthropic/claude-sonnet-4-5"
const call = (name: string, input: Record<string, Json>): ScriptStep => ({ calls: [{ name, input }] })
const FILES = 24

const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, i) => [
    `src/${i}.txt`,
    `FILE-${i} begins\n${`a line of ${i}\n`.repeat(600)}`,
  ]),
)
const reads = Array.from({ length: FILES }, (_, i) => call("read", { path: `src/${i}.txt` }))

async function started(steps: readonly ScriptStep[], settings: object, env: Variables = {}) {
  const server = await serverWith({ counting: "requests", steps })
  const bench = benchWith({ "sotto.json": JSON.stringify(settings), ...files })
  const flags = ["run", "--input", "jsonl", "--output", "jsonl", "--model", MODEL, "--yes"]
  return { server, bench, run: sotto(bench, flags, { ...reaching(server.url), ...env }) }
}

describe.concurrent("the agent's economy", () => {
  it("drops old results, gives them again to a model that follows the stub, and lets it edit what it read", async () => {
    const { server, bench, run } = await started(
      [
        ...reads,
        call("read", { path: "src/0.txt" }),
        call("edit", { path: "src/1.txt", old: "FILE-1 begins", new: "FILE-1 edited" }),
        { text: "Done." },
      ],
      { economy: { keep: 3_000 } },
    )
    run.say("Read them all.")
    await run.wait({ type: "turn-end", reason: "done" })
    await run.end()
    const bodies = bodiesOf(server)
    expect(run.all({ type: "rebase", reason: "economy" }).length).toBeGreaterThan(0)
    for (const { problems, error } of server.requests) expect({ problems, error }).toEqual({ problems: [] })
    // The stub is what the model goes by, and what it gets is whole again.
    const before = conversationOf(bodies[FILES])
    expect(before).toContain("[read src/0.txt: about")
    expect(before).toContain("Call read again if you need them.")
    expect(before).not.toContain("FILE-0 begins")
    const after = conversationOf(bodies[FILES + 1])
    expect(times(after, "FILE-0 begins")).toBe(1)
    expect(after).not.toContain("FILE-1 begins")
    const results = run.all({ type: "tool-result" })
    expect(results.at(-1)).not.toHaveProperty("error")

    const [{ id }] = run.all({ type: "session" }) as unknown as [{ id: string }]
    const shown = await finished(bench, ["show", id])
    expect(shown.out).toContain("FILE-0 begins")
    const { out, code } = await finished(bench, ["show", id, "--cost"])
    expect(code).toBe(0)
    expect(out).toMatch(/\d+ requests cost [\d,]+ input-token equivalents, \$/)
    expect(out).toMatch(/dropped \d+ old tool results \([\d,]+ tokens\): re-reading them had cost as much/)
    expect(out).toMatch(/\| tool results \| [\d,]+ \| \d+% \|/)
  })

  it("that is off changes nothing, and its log says nothing of one", async () => {
    const { server, bench, run } = await started([...reads, { text: "Done." }], { economy: "off" })
    run.say("Read them all.")
    await run.wait({ type: "turn-end", reason: "done" })
    await run.end()
    expect(run.all({ type: "rebase" })).toEqual([])
    expect(conversationOf(bodiesOf(server).at(-1))).toContain("FILE-0 begins")
    const [{ id }] = run.all({ type: "session" }) as unknown as [{ id: string }]
    expect((await finished(bench, ["export", id])).out).not.toContain('"economy"')
  })

  it("makes the first request no larger", async () => {
    const sizes: number[] = []
    for (const economy of ["off", "break-even"]) {
      const { server, run } = await started([{ text: "Hello." }], { economy })
      run.say("Hello.")
      await run.wait({ type: "turn-end" })
      await run.end()
      sizes.push(JSON.stringify(bodiesOf(server)[0]).length)
    }
    expect(sizes[1]).toBe(sizes[0])
  })

  it("has the conversation summarised when that pays, and says so", async () => {
    const writer = await serverWith([{ text: "SUMMARY" }])
    const { server, bench, run } = await started(
      [...reads.slice(0, 12), { text: "Done." }],
      {
        economy: { keep: 3_000, summaryFrom: 5_000 },
        agents: { compaction: { model: "openai/gpt-5.6" } },
        // Reading costs nearly as much as writing here, so that a summary soon pays.
        models: { [MODEL]: { price: { input: 1, output: 0.1, cacheRead: 0.9, cacheWrite: 1 } } },
      },
      { OPENAI_BASE_URL: `${writer.url}/v1` },
    )
    run.say(`Read some. ${"WORDS that are long ".repeat(3_000)}`)
    await run.wait({ type: "rebase", reason: "compaction" })
    await run.wait({ type: "turn-end" })
    await run.end()
    expect(conversationOf(bodiesOf(server).at(-1))).toContain("SUMMARY")
    const [{ id }] = run.all({ type: "session" }) as unknown as [{ id: string }]
    const { out } = await finished(bench, ["show", id, "--cost"])
    expect(out).toMatch(
      /compacted: re-reading the conversation had cost as much as a summary \| [\d,]+ \| [\d,]+ \|/,
    )
  })

  it("that is misspelt is an error that names the field", async () => {
    const bench = benchWith({ "sotto.json": JSON.stringify({ economy: { keeps: 3 } }) })
    const { code, err } = await finished(bench, ["run", "Hello."], reaching("http://127.0.0.1:1"))
    expect(code).not.toBe(0)
    expect(err).toMatch(/sotto\.json:1.*economy.*keeps/s)
  })
})

describe("the page of a session's cost", () => {
  const nothing: CostReport = {
    sum: NOTHING_SPENT,
    spent: [],
    purposes: [],
    own: NOTHING_SPENT,
    subagents: [],
    sent: [],
    saved: 0,
    decisions: [],
    diagnoses: [],
  }
  const none = NOTHING_SPENT.tokens
  const sum = (requests: number, input: number, unpriced = 0) => ({
    ...{ requests, unpriced, uncounted: 0, assumed: {} },
    ...{
      tokens: { ...none, input },
      equivalents: { ...none, input },
      dollars: { ...none, input: input / 1e6 },
    },
  })

  it("says that nothing was spent before the first reply", () => {
    expect(costPage(nothing)).toContain("Nothing has been spent")
  })

  it("names every decision with its numbers", () => {
    const page = costPage({
      ...nothing,
      sum: sum(2, 1_234),
      sent: [{ what: "tool results", tokens: 10 }],
      saved: 5_000,
      decisions: [
        { turn: 1, step: 7, is: "dropped", because: "pause", results: 3, tokens: 900, paid: 40, price: 0 },
        { turn: 2, step: 1, is: "lifetime", seconds: 3_600 },
        { turn: 2, step: 2, is: "compacted", because: "window" },
      ],
    })
    expect(page).toContain("2 requests cost 1,234 input-token equivalents, $0.0012.")
    expect(page).toContain(
      "| 1, 7 | dropped 3 old tool results (900 tokens): the cache was gone after a pause | 40 | 0 |",
    )
    expect(page).toContain("the cache is kept for an hour from here on")
    expect(page).toContain("compacted: the context was nearly full")
    expect(page).toContain("saved about 5,000 input-token equivalents")
  })

  it("has a line for each purpose and each session of the tree, and says what is not known", () => {
    const page = costPage({
      ...nothing,
      sum: { ...sum(4, 30_000, 1), uncounted: 2 },
      purposes: [
        { purpose: "step", model: "anthropic/a", sum: sum(3, 20_000) },
        { purpose: "title", model: "home/b", sum: sum(1, 10_000, 1) },
      ],
      own: sum(1, 10_000),
      subagents: [{ name: "explore 1234", sum: sum(2, 10_000) }],
    })
    expect(page).toContain(
      "4 requests cost 30,000 input-token equivalents, over $0.0300. The price of 1 request is not known. The provider did not say what 2 requests used.",
    )
    expect(page).toContain("| step, anthropic/a | 3 | 20,000 | 20,000 | $0.0200 |")
    expect(page).toContain("| title, home/b | 1 | 10,000 | 10,000 | over $0.0100 |")
    expect(page).toContain("| this session | 1 | 10,000 | 10,000 | $0.0100 |")
    expect(page).toContain("| explore 1234 | 2 | 10,000 | 10,000 | $0.0100 |")
    expect(costPage({ ...nothing, sum: sum(1, 1) })).not.toContain("this session")
  })
})
