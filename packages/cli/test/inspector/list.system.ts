import { describe, expect, it } from "vitest"
import { serving } from "../support/server.js"
import { benchWith, reaching, serverWith } from "../support/sotto.js"
import { expectAccessible, inspect } from "./browser.js"
import { kept } from "./pictures.js"
import { MODEL } from "./session.js"

const ask = { name: "bash", input: { command: "python3 -c 1" } }

/** A server with three sessions: one that is done, one that asks, and one that nobody has talked to. */
async function threeSessions() {
  const bench = benchWith({ "a/.keep": "", "b/.keep": "" })
  const model = await serverWith([{ text: "May I?", calls: [ask] }, { text: "Done." }])
  const server = await serving(bench, reaching(model.url))
  const empty = await server.user.open(bench.path("b"), { model: MODEL })
  const done = await server.user.open(bench.path("a"), { model: MODEL })
  const events = server.user.events(`/sessions/${done}/events?from=0`)
  await server.user.post(`/sessions/${done}/say`, { text: "Explain the parser to me." })
  const { id } = await events.wait("ask")
  await server.user.post(`/sessions/${done}/answer`, { id, answer: "allow" })
  await events.wait("turn-end")
  await events.close()
  const asking = await server.user.open(bench.path("a"), { model: MODEL })
  const asked = server.user.events(`/sessions/${asking}/events?from=0`)
  await server.user.post(`/sessions/${asking}/say`, { text: "Ask me first." })
  await asked.wait("ask")
  await asked.close()
  return { bench, server, empty, done, asking }
}

describe("the list of sessions", () => {
  it("names each by how it began, with state, cost and cache, finds words, and filters by state in the address", async () => {
    const { server, empty, bench } = await threeSessions()
    const tab = await inspect(server, "/")
    const { page } = tab
    const cards = page.getByRole("list", { name: "Sessions" }).getByRole("link")
    await cards.nth(2).waitFor()
    const done = cards.filter({ hasText: "Explain the parser to me." })
    expect(await done.textContent()).toMatch(/idle2 steps\d+% cached\$0\.\d+/)
    expect(await done.textContent()).toContain(bench.path("a"))
    expect(await cards.filter({ hasText: "Ask me first." }).textContent()).toMatch(/asks/)
    expect(await cards.filter({ hasText: "Nothing said yet" }).textContent()).toContain(empty.slice(0, 8))
    await kept(page, "inspector-list", 450)
    await expectAccessible(tab)

    await page.keyboard.press("/")
    await page.keyboard.type("parser explain")
    await expect.poll(() => cards.count()).toBe(1)
    expect(page.url()).toContain("q=parser+explain")
    await page.getByRole("searchbox", { name: "Search sessions" }).fill(bench.path("a"))
    await expect.poll(() => cards.count()).toBe(2)
    await page.getByRole("combobox", { name: "State" }).selectOption("asking")
    await expect.poll(() => cards.allTextContents()).toMatchObject([expect.stringContaining("Ask me first.")])
    // The address has the filter: another tab of the browser shows the same.
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole("link", { name: /Ask me first/ }).waitFor()
    expect(await other.getByRole("list", { name: "Sessions" }).getByRole("link").count()).toBe(1)
    await page.getByRole("searchbox", { name: "Search sessions" }).fill("no such words")
    await page.getByText("No session has these words and this state.").waitFor()
    await page.getByRole("searchbox", { name: "Search sessions" }).fill(empty)
    await page.getByRole("combobox", { name: "State" }).selectOption("")
    await cards.filter({ hasText: "Nothing said yet" }).waitFor()
    expect(tab.troubles).toEqual([])
  })

  it("starts a session in a folder with a prompt, and opens it", async () => {
    const bench = benchWith()
    const model = await serverWith([{ text: "Hello from the new one." }])
    const server = await serving(bench, reaching(model.url))
    const tab = await inspect(server, "/")
    const { page } = tab
    await page.getByRole("link", { name: "New session" }).click()
    await page.getByRole("heading", { name: "New session" }).waitFor()
    await expectAccessible(tab)
    await page.getByLabel("Folder").fill("/nowhere/at/all")
    await page.getByLabel("Model").fill(MODEL)
    await page.getByLabel("First prompt").fill("Say hello.")
    await page.getByRole("button", { name: "Start" }).click()
    await page.getByRole("alert").waitFor()
    await page.getByLabel("Folder").fill(bench.cwd)
    await page.getByRole("button", { name: "Start" }).click()
    await page.locator(".row", { hasText: "Hello from the new one." }).waitFor()
    expect(page.url()).toMatch(/#\/s\/[0-9a-f-]+\/timeline$/)
    expect(await page.locator(".row").textContent()).toContain("Say hello.")
    const { json } = await server.user.get("/sessions")
    expect(json.sessions).toHaveLength(1)
  })

  it("says that an address is unknown, and leads to the list", async () => {
    const bench = benchWith()
    const server = await serving(bench)
    const tab = await inspect(server, "/somewhere/else")
    const { page } = tab
    await page.getByText("This page has nothing at #/somewhere/else.").waitFor()
    await expectAccessible(tab)
    await tab.go("#/s/no-such-session/timeline")
    await page.getByRole("heading", { name: "Not found" }).waitFor()
    expect(await page.locator("main").textContent()).toContain("no-such-session")
    await expectAccessible(tab)
    await page.getByRole("link", { name: "All sessions and recordings" }).click()
    await page.getByRole("heading", { name: "What the model saw" }).waitFor()
  })

  it.each([{ colorScheme: "dark" }, { viewport: { width: 360, height: 740 } }] as const)(
    "is accessible with %o, as is the form of a new session",
    async (options) => {
      const { server } = await threeSessions()
      const tab = await inspect(server, "/", options)
      await tab.page.getByRole("link", { name: /Explain the parser/ }).waitFor()
      await expectAccessible(tab)
      const width = () =>
        tab.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      expect(await width()).toBe(0)
      await tab.go("#/new")
      await tab.page.getByLabel("Folder").waitFor()
      await expectAccessible(tab)
      expect(await width()).toBe(0)
    },
  )
})
