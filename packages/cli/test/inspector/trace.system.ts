import { appendFileSync, readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { serving } from "../support/server.js"
import { benchWith, finished } from "../support/sotto.js"
import { expectAccessible, inspect, openTab } from "./browser.js"
import { kept } from "./pictures.js"
import { recordingOf } from "./recording.js"

/** Text that would act if it were not only text. */
const HOSTILE = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"></textarea></script><style>*{display:none}</style> javascript:window.hacked=3 \u202Eevil\u202C \u0007 \u200Bgone {{constructor.constructor('window.hacked=4')()}}`

const quoted = (text: string) => JSON.stringify(text).slice(1, -1)

async function traced(recording: string) {
  const bench = benchWith({ "rec.jsonl": recording })
  const server = await serving(bench)
  const { json } = await server.user.post("/traces", { path: bench.path("rec.jsonl") })
  return { bench, server, id: String(json.id) }
}

describe("the page of a recording", () => {
  it("shows each break with both texts, the changed bytes marked, the cause, the cost and the remedy", async () => {
    const { server, id } = await traced(recordingOf({ calls: 24, breakAt: 12 }))
    const tab = await inspect(server, `/t/${id}`)
    const { page } = tab
    await page.getByText("24 calls").waitFor()
    expect(await page.locator(".picture .break-mark").count()).toBe(1)
    await page.keyboard.press("n")
    await page.getByRole("heading", { name: /^Call 12/ }).waitFor()
    expect(await page.locator(".proof.broken").textContent()).toMatch(/Only the first 3 of \d+ segments/)
    expect(await page.locator(".segment.again").count()).toBeGreaterThan(10)
    await page.keyboard.press("4")
    const found = page.locator("#break-12")
    await found.waitFor()
    const words = await found.textContent()
    expect(words).toContain("system-changed")
    expect(words).toMatch(/[\d,]+ tokens, \$\d/)
    expect(words).toContain("Keep the system prompt fixed")
    expect(await found.locator(".before mark").allTextContents()).toEqual(["6"])
    expect(await found.locator(".after mark").allTextContents()).toEqual(["7"])
    await kept(page, "inspector-break", 360)
    await expectAccessible(tab)
    await tab.go(`#/t/${id}/findings`)
    await page.getByText("Keep the system prompt fixed").waitFor()
    await expectAccessible(tab)
    expect(tab.troubles).toEqual([])
  })

  it("shows what was withheld from a mended call, and what was told instead", async () => {
    const { server, id } = await traced(recordingOf({ calls: 6, mendAt: 4 }))
    const { page } = await inspect(server, `/t/${id}/breaks`)
    await page.getByRole("link", { name: "call 4", exact: true }).click()
    const [held, told] = [page.locator(".mend").first(), page.locator(".mend").last()]
    await held.waitFor()
    expect(await held.locator(".before").textContent()).toContain("Today is the 17th")
    expect(await held.locator(".after").textContent()).toContain("Today is the 16th")
    expect(await told.locator(".after").textContent()).toContain("Today is the 17th of November.")
    expect(await page.locator(".proof.holds").count()).toBe(1)
  })

  it("shows hostile text in every field, and lets none of it act", async () => {
    const recording = recordingOf({ calls: 4, prompt: HOSTILE, breakAt: 3 })
      // A body is JSON in a string of JSON.
      .replaceAll("The tool read.", () => quoted(quoted(HOSTILE)))
      .replaceAll("claude-opus-4-5", "claude-<b>opus</b>")
      .replaceAll("I read file 3.", "<img src=x onerror='window.hacked = 5'>")
    const { server, id, bench } = await traced(recording)
    const tab = await inspect(server, `/t/${id}`)
    const { page } = tab
    await page.getByText("4 calls").waitFor()
    for (const view of [
      "timeline",
      "step/1",
      "step/3",
      "step/4?tab=reply",
      "breaks",
      "charts",
      "findings",
      "search?q=hacked",
    ]) {
      await tab.go(`#/t/${id}/${view}`)
      await page.locator("main h1").waitFor()
      expect(await page.evaluate(() => "hacked" in window)).toBe(false)
      expect(await page.locator("main img, main script, main style").count()).toBe(0)
    }
    await tab.go(`#/t/${id}/step/1?segment=messages.0.content.0`)
    const segment = page.locator("#segment-messages\\.0\\.content\\.0")
    await segment.waitFor()
    expect(await segment.textContent()).toContain("<script>window.hacked = 1</script>")
    const named = await segment.locator(".hidden-character").allTextContents()
    expect(named).toEqual(["U+202E", "U+202C", "U+0007", "U+200B"])
    // Nothing was refused by the policy, because nothing tried; and a script from elsewhere would be.
    expect(tab.troubles).toEqual([])
    const { headers } = await server.user.get("/")
    expect(headers["content-security-policy"]).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self'/,
    )

    await finished(bench, ["check", "rec.jsonl", "--html", "page.html"])
    const copy = await openTab(pathToFileURL(bench.path("page.html")).href)
    await copy.page.getByRole("heading", { level: 1, name: "Findings" }).waitFor()
    for (const view of ["timeline", "step/1", "step/4?tab=reply", "breaks"]) {
      await copy.go(`#/t/report/${view}`)
      await copy.page.locator("main h1").waitFor()
      expect(await copy.page.evaluate(() => "hacked" in window)).toBe(false)
    }
    expect(copy.troubles).toEqual([])
    expect(copy.asked.filter((address) => !/^(file|data|blob):/.test(address))).toEqual([])
  })

  it("is in the file that `check --html` writes, with every request in it", async () => {
    const bench = benchWith({ "rec.jsonl": recordingOf({ calls: 12, breakAt: 6 }) })
    await finished(bench, ["check", "rec.jsonl", "--html", "page.html"])
    const tab = await openTab(pathToFileURL(bench.path("page.html")).href)
    const { page } = tab
    await page.getByText("system-changed").first().waitFor()
    await expectAccessible(tab)
    await tab.go("#/t/report/step/9")
    await page.getByRole("button", { name: /Show \d+ of the \d+ segments before/ }).click()
    await page.locator("#segment-tools\\.0").waitFor()
    // The requests before it are where the earlier segments come from: none is missing or twice.
    const paths = await page.locator(".segment").evaluateAll((all) => all.map(({ id }) => id))
    expect(new Set(paths).size).toBe(paths.length)
    expect(paths).toHaveLength(3 + 1 + 17 + 8 + 1)
    expect(tab.troubles).toEqual([])
    expect(readFileSync(bench.path("page.html"), "utf8")).toContain("Content-Security-Policy")
  })

  it("shows what is added to a recording while the page is open", async () => {
    const { server, id, bench } = await traced(recordingOf({ calls: 3 }))
    const { page } = await inspect(server, `/t/${id}`)
    await page.getByText("3 calls").waitFor()
    const more = recordingOf({ calls: 5 }).split("\n").slice(3)
    appendFileSync(bench.path("rec.jsonl"), more.join("\n"))
    await page.getByText("5 calls").waitFor()
    expect(await page.locator(".row").count()).toBe(5)
  })
})
