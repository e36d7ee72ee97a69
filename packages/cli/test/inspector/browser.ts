import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, expect } from "vitest"
import type { Serving } from "../support/server.js"

/** Debian's, or whichever the variable names. */
const CHROMIUM = process.env.SOTTO_CHROMIUM ?? "/usr/bin/chromium"
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

let started: Promise<Browser> | undefined
afterAll(async () => (await started)?.close())

/** A browser of its own, with what went wrong in it. */
export interface Tab {
  readonly page: Page
  /** Errors of scripts, and what the policy refused. */
  readonly troubles: readonly string[]
  /** Addresses of everything that it asked for. */
  readonly asked: readonly string[]
  go(hash: string): Promise<void>
}

export async function openTab(url: string, options: BrowserContextOptions = {}): Promise<Tab> {
  started ??= chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  const context = await (await started).newContext({ viewport: { width: 1280, height: 860 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const troubles: string[] = []
  const asked: string[] = []
  page.on("pageerror", ({ message }) => troubles.push(message))
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()))
  page.on("request", (request) => asked.push(request.url()))
  await page.goto(url)
  const go = async (hash: string) => {
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
  }
  return { page, troubles, asked, go }
}

/** The page of a server, signed in with a link that opens it once. */
export async function inspect(
  { url, user }: Serving,
  to: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const { json } = await user.post("/links")
  return openTab(`${url}/#once=${String(json.once)}&to=${encodeURIComponent(to)}`, options)
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Fails if axe finds anything in the page as it is. */
export async function expectAccessible({ page }: Tab): Promise<void> {
  // Evaluated by the debugger, so that the page's policy stays as it is.
  await page.evaluate(AXE)
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const { violations } = await axe.run()
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html, failureSummary }) => `${html}\n  ${failureSummary}`)
          .slice(0, 3)
          .join("\n")}`,
    )
  })
  expect(found).toEqual([])
}
