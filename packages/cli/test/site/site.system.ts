import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectAccessible, openTab } from "../inspector/browser.js"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const site = spawn(process.execPath, ["site/dist/main.js", "--serve"], {
  cwd: root,
  stdio: ["ignore", "pipe", "inherit"],
})
let url = ""

beforeAll(async () => {
  for await (const line of createInterface({ input: site.stdout })) {
    url = /^listening on (\S+)$/.exec(line)?.[1] ?? ""
    if (url !== "") return
  }
  throw new Error("The site was not built.")
})

afterAll(() => {
  site.kill()
})

const PHONE = { viewport: { width: 390, height: 844 } }

describe("the pages", () => {
  it.each([
    "index.html",
    "agent.html",
    "glossary.html",
    "concepts/caches-break.html",
    "reference/configuration.html",
    "reference/reminders.html",
    "api/core.html",
    "decisions/index.html",
    "contents.html",
    "repository/examples/loop/loop.ts.html",
  ])("%s is accessible in light and dark, wide and narrow, and asks for nothing outside", async (path) => {
    for (const options of [{}, { colorScheme: "dark" as const }, PHONE]) {
      const tab = await openTab(`${url}${path}`, options)
      await expectAccessible(tab)
      const isWider = await tab.page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      expect(isWider, "the page scrolls sideways").toBe(false)
      expect(tab.asked.filter((asked) => !asked.startsWith(url) && !asked.startsWith("data:"))).toEqual([])
      expect(tab.troubles).toEqual([])
      await tab.page.context().close()
    }
  })

  it("can be read and gone through without scripts", async () => {
    const { page } = await openTab(`${url}terminal.html`, { javaScriptEnabled: false })
    await page.locator("nav.pages summary", { hasText: "Concepts" }).click()
    await page.getByRole("link", { name: "Architecture", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Architecture" }).waitFor()
    await page.goto(`${url}search.html?q=carrier`)
    await page.getByText("The search needs JavaScript.").waitFor()
  })

  it("fold the list of pages on a phone", async () => {
    const { page } = await openTab(`${url}agent.html`, PHONE)
    const concepts = page.locator("nav.pages summary", { hasText: "Concepts" })
    expect(await concepts.isVisible()).toBe(false)
    await page.locator("summary", { hasText: /^Pages$/ }).click()
    await concepts.waitFor()
  })

  it("keep the colours that somebody chose", async () => {
    const { page } = await openTab(`${url}index.html`, { colorScheme: "light" })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(await ground()).toBe("rgb(255, 255, 255)")
    await page.getByRole("button", { name: "Colours: auto. Change" }).click()
    await page.getByRole("button", { name: "Colours: light. Change" }).click()
    expect(await ground()).toBe("rgb(18, 24, 28)")
    await page.goto(`${url}agent.html`)
    expect(await ground()).toBe("rgb(18, 24, 28)")
  })
})

describe("the search", () => {
  it("finds a passage, and opens it with the keyboard alone", async () => {
    const tab = await openTab(`${url}api/core.html`)
    const { page } = tab
    await page.keyboard.press("/")
    await page.keyboard.type("ripgrep")
    await page.getByRole("option").first().waitFor()
    await page.keyboard.press("Escape")
    expect(await page.getByRole("listbox").isVisible()).toBe(false)
    await page.getByRole("combobox").fill("sandbox doctor")
    await page.getByRole("option", { name: /^The sandbox/ }).waitFor()
    await expectAccessible(tab)
    const names = await page.getByRole("option").allTextContents()
    const at = names.findIndex((name) => name.startsWith("The sandbox"))
    for (let i = 0; i <= at; i++) await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.waitForURL(/agent\.html#the-sandbox$/)
    expect(tab.troubles).toEqual([])
  })

  it("has a page of all that was found, and says where there is nothing", async () => {
    const tab = await openTab(`${url}index.html`)
    const { page } = tab
    await page.getByRole("combobox").fill("carrier")
    await page.keyboard.press("Enter")
    await page.waitForURL(/search\.html\?q=carrier$/)
    await page.getByText(/^\d+ found for “carrier”\.$/).waitFor()
    await expectAccessible(tab)
    await page.goto(`${url}search.html?q=xyzzyplugh`)
    await page.getByText("Nothing found for “xyzzyplugh”.").waitFor()
  })

  it("shows what was typed as text, whatever it is", async () => {
    const tab = await openTab(
      `${url}search.html?q=${encodeURIComponent('<img src=x onerror="window.hacked=1">(*[')}`,
    )
    await tab.page.getByText(/found for “<img/).waitFor()
    expect(await tab.page.evaluate(() => "hacked" in window)).toBe(false)
    expect(tab.troubles).toEqual([])
  })

  it("works from the disk, without a server", async () => {
    const file = pathToFileURL(`${root}dist/site/sources/mcp.html`)
    const { page } = await openTab(String(file))
    await page.getByRole("combobox").fill("epoch")
    await page.getByRole("option").first().waitFor()
  })
})
