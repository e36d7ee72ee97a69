import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectAccessible, openTab, type Tab } from "../inspector/browser.js"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const out = join(root, "dist/site")
// `npm run test:system` has installed the generator.
const site = spawn(process.execPath, ["site/dist/main.js", "--serve", "--port", "0"], {
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
}, 300_000)

afterAll(() => {
  site.kill()
})

const PHONE = { viewport: { width: 390, height: 844 } }

describe("the links", () => {
  const files = () =>
    readdirSync(out, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".html"))
  const read = (path: string) => readFileSync(join(out, path), "utf8")

  it("lead from every page to a page, picture or heading that was built", () => {
    expect(files().length).toBeGreaterThan(70)
    const dead = files().flatMap((file) =>
      [...read(file).matchAll(/(?:href|src)="([^"]+)"/g)]
        .map(([, href = ""]) => href)
        .filter((href) => !/^(?:https?|data|mailto):/.test(href) && !leads(file, href))
        .map((href) => `${file}: ${href}`),
    )
    expect(dead).toEqual([])
    // A browser takes a link within a link apart, and leaves an empty one.
    const nested = files().filter((file) => /<a [^>]*>(?:(?!<\/a>)[\s\S])*<a /.test(read(file)))
    expect(nested).toEqual([])
  })

  /** Reads what was written, with no part of the code that wrote it. */
  function leads(from: string, href: string): boolean {
    const { pathname, hash } = new URL(href.replaceAll("&amp;", "&"), `http://site/${from}`)
    const file = join(out, decodeURI(pathname).replace(/\/$/, "/index.html"))
    return (
      existsSync(file) &&
      (hash === "" || readFileSync(file, "utf8").includes(`id="${decodeURI(hash.slice(1))}"`))
    )
  }
})

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
    await page.getByRole("link", { name: "Architecture", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: /^Architecture/ }).waitFor()
  })

  it("fold the list of pages on a phone", async () => {
    const { page } = await openTab(`${url}agent.html`, PHONE)
    const glossary = page.locator(".VPSidebar").getByRole("link", { name: "Glossary", exact: true })
    expect(await glossary.isVisible()).toBe(false)
    await page.getByRole("button", { name: "Menu" }).click()
    await glossary.waitFor()
  })

  it("keep the colours that the reader chose", async () => {
    const { page } = await openTab(`${url}index.html`, { colorScheme: "light" })
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains("dark"))
    expect(await isDark()).toBe(false)
    await page.getByRole("switch").first().click()
    expect(await isDark()).toBe(true)
    await page.goto(`${url}agent.html`)
    expect(await isDark()).toBe(true)
  })

  it("are served on loopback, and nothing beside them", async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    for (const path of ["nothing.html", "..%2findex.html", "..%2f..%2fpackage.json", "..%5cindex.html"])
      expect((await fetch(`${url}${path}`)).status, path).toBe(404)
  })
})

describe("the search", () => {
  async function asked(path: string, words: string): Promise<Tab> {
    const tab = await openTab(`${url}${path}`)
    await tab.page.locator(".VPNavBarSearch").getByRole("button").first().waitFor()
    await tab.page.keyboard.press("/")
    await tab.page.getByRole("searchbox").fill(words)
    return tab
  }

  it("finds a passage, and opens it with the keyboard alone", async () => {
    const tab = await asked("api/core.html", "sandbox doctor")
    const { page } = tab
    const results = page.getByRole("dialog").getByRole("listitem")
    await results.filter({ hasText: "The sandbox" }).first().waitFor()
    await expectAccessible(tab)
    const names = await results.allTextContents()
    const at = names.findIndex((name) => name.includes("The sandbox"))
    for (let i = 0; i < at; i++) await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.waitForURL(/agent\.html#the-sandbox$/)
    expect(tab.troubles).toEqual([])
  })

  it("says where there is nothing", async () => {
    const { page } = await asked("index.html", "xyzzyplugh")
    await page.getByText(/No results for/).waitFor()
  })

  it("shows what was typed as text, whatever it is", async () => {
    const tab = await asked("index.html", '<img src=x onerror="window.hacked=1">(*[')
    await tab.page.getByText(/No results for/).waitFor()
    expect(await tab.page.evaluate(() => "hacked" in window)).toBe(false)
    expect(tab.troubles).toEqual([])
  })
})
