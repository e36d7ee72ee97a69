import { writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { type Embedded, pageWith } from "@sotto/inspector"
import { describe, expect, it } from "vitest"
import { longSession } from "../support/long-session.js"
import { serving } from "../support/server.js"
import { benchWith } from "../support/sotto.js"
import { inspect, openTab } from "./browser.js"

/** The data of a trace of so many calls, as the server would send it. */
function traceOf(calls: number): Embedded {
  const rows = Array.from({ length: calls }, (_, i) => ({
    n: i + 1,
    thread: "1",
    call: i + 1,
    at: 1_790_000_000_000 + i * 7_000,
    ms: 1_000 + ((i * 733) % 4_000),
    dialect: "anthropic" as const,
    model: "claude-opus-4-5",
    tokens: { sent: 2_000 + i * 20, read: 1_900 + i * 20, written: 100, missed: 0, reported: true },
    kinds: { system: 1_500, user: 20, assistant: 200 + i * 5, results: 280 + i * 15 },
    reminders: i % 7 === 0 ? [{ kind: "todo_reminder", tokens: 40 }] : [],
    tools: [{ id: `call-${i}`, name: "read", about: `src/${i}.ts` }],
    said: `I read file ${i + 1}.`,
  }))
  const trace = { id: "long", name: "long", kind: "recording", calls, updatedAt: 0, seq: calls } as const
  const report = { version: 1, sources: [], threads: [], findings: [] } as const
  return {
    version: 1,
    subject: { type: "trace", id: "long" },
    trace: { ...trace, report, totals: { tokens: { sent: 0, read: 0 }, breaks: 0 } },
    rows,
    breaks: [],
    pages: [],
  }
}

describe("a long trace", () => {
  it.each([1_000, 10_000])(
    "of %i calls is usable, and only what is visible is in the document",
    async (calls) => {
      const bench = benchWith()
      writeFileSync(bench.path("long.html"), pageWith(traceOf(calls), "long"))
      const tab = await openTab(`${pathToFileURL(bench.path("long.html")).href}#/t/long/timeline`)
      const { page } = tab
      const count = new Intl.NumberFormat("en-US").format(calls)
      await page.getByText(`${count} calls`, { exact: true }).waitFor()
      await page.locator(".row", { hasText: "I read file 1." }).waitFor()
      expect(await page.locator(".row").count()).toBeLessThan(60)
      expect(await page.locator("*").count()).toBeLessThan(6_000)
      await page.keyboard.press("End")
      await page.locator(".row[aria-current]", { hasText: `I read file ${calls}.` }).waitFor()
      for (let i = 0; i < 6; i++) await page.keyboard.press("+")
      await page.getByText(new RegExp(`calls .* to ${count} of ${count}`)).waitFor()
      await tab.go("#/t/long/charts")
      await page.getByRole("region", { name: "Context by kind" }).waitFor()
      expect(await page.locator("*").count()).toBeLessThan(6_000)
      expect(tab.troubles).toEqual([])
    },
  )
})

describe("a session of 10,000 steps", () => {
  it("shows its last step at once with End, and fetches only what is in view for it", async () => {
    const bench = benchWith()
    const id = await longSession(bench.home, 10_000)
    const server = await serving(bench)
    // The server has read the session: what is measured is the page.
    await server.user.get(`/sessions/${id}`)
    const tab = await inspect(server, `/s/${id}`)
    const { page } = tab
    const rowsAsked = () => tab.asked.filter((address) => address.includes("/steps?")).length
    // The newest step is selected, and comes before those in between.
    await page.locator(".row[aria-current]", { hasText: "Read." }).waitFor()
    // Of the twenty parts, few came before it.
    expect(rowsAsked()).toBeLessThan(12)
    await page.reload()
    const before = rowsAsked()
    await page.locator(".row").first().waitFor()
    await page.keyboard.press("Home")
    await page.locator(".row[aria-current]", { hasText: "Read all of it." }).waitFor()
    await page.keyboard.press("End")
    await page.locator(".row[aria-current]", { hasText: "1.10000" }).waitFor()
    expect(rowsAsked() - before).toBeLessThan(15)
    expect(tab.troubles).toEqual([])
  })
})
