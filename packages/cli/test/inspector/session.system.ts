import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { expectAccessible, inspect } from "./browser.js"
import { kept } from "./pictures.js"
import { madeSession } from "./session.js"

const made = madeSession()

describe("the page of a session", () => {
  it("shows turns, steps, tools, and a message as it arrived and as it was delivered; zooms to one step", async () => {
    const { server, id } = await made
    const tab = await inspect(server, `/s/${id}`)
    const { page } = tab
    await page.getByText("8 steps").waitFor()
    const rows = page.getByRole("list", { name: "steps" }).getByRole("link")
    expect(await rows.count()).toBe(8)
    expect(await rows.nth(2).textContent()).toContain("Please look at notes.md as well.")
    expect(await rows.first().textContent()).toContain("read")
    const journeys = page.locator(".picture .journey")
    expect(await journeys.count()).toBe(4)
    // The message came while step 2 ran, and was delivered with step 3.
    const [arrived, delivered] = await journeys.nth(1).evaluate((one) => {
      const box = (name: string) => one.querySelector(name)?.getBoundingClientRect().x ?? 0
      return [box("circle"), box(".head")]
    })
    expect(arrived).toBeLessThan(delivered - 20)
    expect(await page.locator(".picture .turn-mark").count()).toBe(3)
    const totals = page.getByRole("region", { name: "Totals" })
    expect(await totals.textContent()).toMatch(
      /^steps8tokens in[\d.]+ktokens out\d+hit rate\d+%cost\$[\d.]+breaks0duration[\d.]+ /,
    )
    await kept(page, "inspector-timeline")
    await expectAccessible(tab)

    await page.keyboard.press("Home")
    await page.keyboard.press("j")
    for (let i = 0; i < 3; i++) await page.keyboard.press("+")
    await page.getByText("steps 2 to 2 of 8").waitFor()
    expect(page.url()).toContain("from=2&to=2")
    await page.keyboard.press("0")
    await page.getByText("8 steps").waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /^Step 2/ }).waitFor()
    expect(tab.troubles).toEqual([])
  })

  it("shows a step as it was sent, what is new, and proves that nothing else changed", async () => {
    const { server, id } = await made
    const tab = await inspect(server, `/s/${id}/step/3`)
    const { page } = tab
    const proof = page.locator(".proof")
    await proof.waitFor()
    expect(await proof.textContent()).toMatch(
      /append-only All \d+ segments of step 2 stand at the start of this one, byte for byte: [\d,]+ bytes.*digest [0-9a-f]{16} on both sides/,
    )
    expect(await page.locator(".cache-bar figcaption").textContent()).toMatch(/read from the cache/)
    const told = page.locator(".segment .told")
    expect(await told.count()).toBeGreaterThan(0)
    expect(await page.locator(".segment.new").count()).toBeGreaterThan(1)
    expect(await page.locator(".segment.again").count()).toBe(0)
    // Each reminder has its kind, carrier, tokens, rule and reason.
    const card = page.locator(".told-card", { hasText: "queued_command" })
    const facts = await card.textContent()
    for (const word of ["carrier", "tokens", "rule", "reason"]) expect(facts).toContain(word)
    expect(await page.locator(".told-card", { hasText: "instructions_change" }).count()).toBe(1)
    await kept(page, "inspector-step")
    await expectAccessible(tab)

    await page.getByRole("button", { name: /Show \d+ of the \d+ segments before/ }).click()
    await page.locator("#segment-tools\\.0").waitFor()
    expect(await page.locator(".segment.old").count()).toBeGreaterThan(5)
    expect(tab.troubles).toEqual([])
  })

  it("shows the view beside the wire: raw words for the person, the frame for the model", async () => {
    const { server, id } = await made
    const { page } = await inspect(server, `/s/${id}/step/3?tab=view`)
    const [view, wire] = [page.locator(".sides section").first(), page.locator(".sides section").last()]
    await view.getByText("Please look at notes.md as well.").waitFor()
    expect(await view.textContent()).not.toContain("system-reminder")
    expect(await view.textContent()).not.toContain("Use spaces, never tabs.")
    expect(await wire.textContent()).toContain("Use spaces, never tabs.")
  })

  it("shows the same step in every other dialect, side by side", async () => {
    const { server, id } = await made
    const tab = await inspect(server, `/s/${id}/step/3?tab=dialects`)
    const columns = tab.page.locator(".dialects section")
    await columns.nth(3).locator(".segment").first().waitFor()
    expect(await columns.locator("h2").allTextContents()).toEqual([
      "anthropic as sent",
      "openai ",
      "openai-chat ",
      "gemini ",
    ])
    for (let i = 0; i < 4; i++)
      expect(await columns.nth(i).textContent()).toContain("Please look at notes.md as well.")
    await kept(tab.page, "inspector-dialects")
    await expectAccessible(tab)
  })

  it("shows the ledger as a grid, a click away from the text, and switches a kind off", async () => {
    const { server, id } = await made
    const tab = await inspect(server, `/s/${id}/ledger`)
    const { page } = tab
    const grid = page.getByRole("grid")
    await grid.locator(".cell.spoke").first().waitFor()
    const row = grid.getByRole("row").filter({ hasText: "instructions_change" })
    await row.locator(".cell.spoke").click()
    const detail = page.getByRole("complementary", { name: "Selected cell" })
    await detail.getByText("Use spaces, never tabs.").waitFor()
    expect(await detail.textContent()).toMatch(/instructions_change at step 3.*spoke, \d+ tokens, as/)
    await kept(page, "inspector-ledger")
    await expectAccessible(tab)

    // With the keyboard: along the row and up and down.
    await grid.focus()
    await page.keyboard.press("ArrowRight")
    await page.getByRole("heading", { name: "instructions_change at step 4" }).waitFor()

    // What spoke stands first, the most tokens before the others; what was silent is folded away.
    const spoken = (await grid.locator(".group-spoke .grid-tokens").allTextContents()).map((text) =>
      Number(text.replace("k", "e3")),
    )
    expect(spoken.length).toBeGreaterThan(1)
    expect(spoken).toEqual(spoken.toSorted((one, other) => other - one))
    expect(await grid.locator(".group-silent").count()).toBe(0)
    await page.getByRole("button", { name: /Show \d+ rules without anything to say/ }).click()
    expect(await grid.locator(".group-silent").count()).toBeGreaterThan(5)
    await expectAccessible(tab)
    await page.getByRole("checkbox", { name: "todo_reminder is on" }).uncheck()
    const isOff = async () => {
      const { json } = await server.user.get(`/sessions/${id}/ledger`)
      return (json as unknown as { kinds: { kind: string; on: boolean }[] }).kinds.find(
        ({ kind }) => kind === "todo_reminder",
      )?.on
    }
    await expect.poll(isOff, { timeout: 20_000 }).toBe(false)
    expect(tab.troubles).toEqual([])
  })

  it("draws charts with tables to copy and pictures to save", async () => {
    const { server, id } = await made
    const tab = await inspect(server, `/s/${id}/charts`, {
      permissions: ["clipboard-read", "clipboard-write"],
      acceptDownloads: true,
    })
    const { page } = tab
    const chart = page.getByRole("region", { name: "Context by kind" })
    await chart.waitFor()
    expect(await page.locator(".chart h2").allTextContents()).toEqual(
      expect.arrayContaining(["Context by kind", "Cache read and written", "Step time"]),
    )
    await kept(page, "inspector-charts")
    await chart.getByRole("button", { name: "Table" }).click()
    expect(await chart.getByRole("row").count()).toBe(9)
    await expectAccessible(tab)
    await chart.getByRole("button", { name: "Copy" }).click()
    await chart.getByRole("button", { name: "Copied" }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied.split("\n")[0]).toMatch(/^step\ttools\tsystem\tuser/)
    expect(copied.split("\n")).toHaveLength(9)

    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        chart.getByRole("button", { name }).click(),
      ])
      return readFileSync(await download.path())
    }
    const svg = (await saved("SVG")).toString("utf8")
    expect(svg).toMatch(/^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    expect(svg).toContain('fill="rgb(')
    expect((await saved("PNG")).subarray(1, 4).toString()).toBe("PNG")
    expect(tab.troubles).toEqual([])
  })

  it("finds a text and leads to the segment that brought it", async () => {
    const { server, id } = await made
    const tab = await inspect(server, `/s/${id}`)
    const { page } = tab
    await page.getByText("8 steps").waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("never tabs")
    await page.keyboard.press("Enter")
    await page.locator(".hits mark", { hasText: "never tabs" }).first().waitFor()
    await expectAccessible(tab)
    await page.locator(".hits a").first().click()
    await page.locator(".segment", { hasText: "never tabs" }).first().waitFor()
    expect(page.url()).toMatch(/step\/3\?segment=messages/)
  })

  it("saves everything as one file that needs no server", async () => {
    const { server, id } = await made
    const { page } = await inspect(server, `/s/${id}`, { acceptDownloads: true })
    await page.getByText("8 steps").waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as HTML" }).click(),
    ])
    const path = await download.path()
    const html = readFileSync(path, "utf8")
    expect(html).not.toMatch(/(src|href)="(?!#)/)
    await page.context().setOffline(true)
    const copy = await page.context().newPage()
    const troubles: string[] = []
    copy.on("pageerror", ({ message }) => troubles.push(message))
    copy.on("console", (message) => message.type() === "error" && troubles.push(message.text()))
    await copy.goto("about:blank")
    await copy.setContent(html)
    await copy.getByText("8 steps").waitFor()
    await copy.getByRole("link", { name: "Step", exact: true }).click()
    await copy.locator(".proof.holds").waitFor()
    await copy.getByRole("link", { name: "Ledger", exact: true }).click()
    await copy.locator(".cell.spoke").first().waitFor()
    expect(troubles).toEqual([])
  })

  it("is usable in the dark, on 360 pixels, and with keys alone", async () => {
    const { server, id } = await made
    const dark = await inspect(server, `/s/${id}/step/3`, { colorScheme: "dark" })
    await dark.page.locator(".proof").waitFor()
    await kept(dark.page, "inspector-dark")
    await expectAccessible(dark)
    for (const view of ["timeline", "ledger", "breaks", "charts"]) {
      await dark.go(`#/s/${id}/${view}`)
      await dark.page.locator("main h1").waitFor()
      await expectAccessible(dark)
    }

    const narrow = await inspect(server, `/s/${id}`, { viewport: { width: 360, height: 740 } })
    for (const view of ["timeline", "step/3", "step/3?tab=view", "ledger", "breaks", "charts"]) {
      await narrow.go(`#/s/${id}/${view}`)
      await narrow.page.locator("main h1").waitFor()
      const width = await narrow.page.evaluate(() => document.documentElement.scrollWidth)
      expect([view, width]).toEqual([view, 360])
      await expectAccessible(narrow)
      if (view === "step/3") await kept(narrow.page, "inspector-narrow")
    }

    const { page } = await inspect(server, `/s/${id}`)
    await page.getByText("8 steps").waitFor()
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    await page.keyboard.press("Escape")
    for (const [key, heading] of [
      ["3", "Ledger"],
      ["4", "Breaks"],
      ["5", "Charts"],
      ["1", "Timeline"],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole("heading", { level: 1, name: heading }).waitFor()
    }
    await page.keyboard.press("t")
    await page.getByRole("button", { name: "Theme: light" }).waitFor()
  })

  it("compares two steps of one session, and two sessions, by a link that can be kept", async () => {
    const { server, id, bench } = await made
    const tab = await inspect(server, `/s/${id}/step/3`, {
      permissions: ["clipboard-read", "clipboard-write"],
    })
    const { page } = tab
    await page.getByRole("link", { name: "Compare", exact: true }).click()
    const differences = page.getByRole("region", { name: "What differs" })
    await differences.waitFor()
    expect(page.url()).toContain(`#/compare?a=s%2F${id}%2F2&b=s%2F${id}%2F3`)
    // Step 3 only adds to step 2: nothing of step 2 is missing from it.
    expect(await differences.textContent()).toMatch(
      /The first \d+ segments \([\d,]+ tokens\) of both are the same\. Only A has 0 tokens, only B has \d+/,
    )
    expect(await differences.locator(".badge").allTextContents()).not.toContain("only in A")
    const table = page.getByRole("table", { name: "The two requests" })
    expect(await table.getByRole("row", { name: /tokens sent/ }).textContent()).toMatch(/\+[\d,]+$/)
    await expectAccessible(tab)

    // The copied address shows the same in another tab of this browser, without a code.
    await page.getByRole("button", { name: "Copy link" }).click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toBe(page.url())
    const other = await page.context().newPage()
    await other.goto(link)
    await other.getByRole("region", { name: "What differs" }).waitFor()
    await other.close()

    const second = await server.user.open(bench.cwd, { model: "anthropic/claude-haiku-4-5" })
    const events = server.user.events(`/sessions/${second}/events?from=0`)
    await server.user.post(`/sessions/${second}/say`, { text: "Another question." })
    // It follows the same script, up to the tool that waits.
    await events.until((all) => all.all("tool-call").some(({ name }) => name === "bash"))
    await server.user.post(`/sessions/${second}/abort`)
    await events.wait("interrupted")
    await events.close()
    await tab.go("#/")
    await page.getByRole("checkbox", { name: /^Compare Read the parser/ }).check()
    await page.getByRole("checkbox", { name: /^Compare Another question/ }).check()
    await page.getByRole("link", { name: "Compare 2 of 2" }).click()
    const whole = page.getByRole("table", { name: "As a whole" })
    await whole.waitFor()
    expect(await whole.getByRole("row", { name: /^name/ }).textContent()).toContain("Another question.")
    expect(await whole.getByRole("row", { name: /^requests 8/ }).textContent()).toMatch(/−\d+$/)
    await differences.getByText("changed").first().waitFor()
    await kept(page, "inspector-compare")
    await expectAccessible(tab)
    // With the keyboard: another request of the first session.
    await page.getByRole("spinbutton", { name: "request" }).first().fill("1")
    await page.keyboard.press("Tab")
    await page.getByRole("link", { name: "A: request 1", exact: true }).waitFor()
    for (const options of [{ colorScheme: "dark" }, { viewport: { width: 360, height: 740 } }] as const) {
      const view = await inspect(server, `/compare?a=s/${id}/2&b=s/${id}/3`, options)
      await view.page.getByRole("region", { name: "What differs" }).waitFor()
      await expectAccessible(view)
      const beyond = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
      expect(await view.page.evaluate(beyond)).toBe(0)
    }
    expect(tab.troubles).toEqual([])
  })

  it("keeps the word of the link out of the address, and lets nobody in without one", async () => {
    const { server, id } = await made
    const tab = await inspect(server, `/s/${id}`)
    await tab.page.getByText("8 steps").waitFor()
    expect(tab.page.url()).toBe(`${server.url}/#/s/${id}`)
    for (const address of tab.asked.slice(1)) expect(address).not.toContain("once=")
    const stranger = await inspect(server, `/s/${id}`)
    await stranger.page.getByText("8 steps").waitFor()
    await stranger.page.context().clearCookies()
    await stranger.page.reload()
    await stranger.page.getByText("This page is not signed in.").first().waitFor()
  })
})
