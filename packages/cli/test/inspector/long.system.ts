import { describe, expect, it } from "vitest"
import { serving } from "../support/server.js"
import { benchWith } from "../support/sotto.js"
import { inspect } from "./browser.js"
import { storeLongSession } from "./long.js"

describe("a long session", () => {
  it("of 1,000 steps opens, and only what is visible is in the document", async () => {
    const bench = benchWith()
    const id = storeLongSession(bench, 1_000)
    const server = await serving(bench)
    const tab = await inspect(server, "/")
    const { page } = tab
    await page.getByRole("link", { name: /1000 steps/ }).waitFor()
    const began = performance.now()
    await page.getByRole("link", { name: /1000 steps/ }).click()
    await page.locator(".row", { hasText: "That is all." }).first().waitFor()
    const took = performance.now() - began
    console.log(`1,000 steps are there after ${Math.round(took)} ms.`)
    await page.getByText("1,000 steps", { exact: true }).waitFor()
    expect(await page.locator(".row").count()).toBeLessThan(60)
    expect(await page.locator("*").count()).toBeLessThan(6_000)
    await tab.go(`#/s/${id}/step/999`)
    await page.locator(".proof.holds").waitFor()
    await tab.go(`#/s/${id}/ledger`)
    await page.getByRole("grid").waitFor()
    expect(tab.troubles).toEqual([])
  })

  it("of 10,000 steps remains usable: the end, the middle, a step, the ledger and a chart", async () => {
    const bench = benchWith()
    const id = storeLongSession(bench, 10_000)
    const server = await serving(bench)
    const began = performance.now()
    const tab = await inspect(server, `/s/${id}`)
    const { page } = tab
    await page.locator(".row").first().waitFor({ timeout: 240_000 })
    console.log(`The first of 10,000 steps are there after ${Math.round(performance.now() - began)} ms.`)
    await page.getByText("10,000 steps", { exact: true }).waitFor({ timeout: 240_000 })
    console.log(`All 10,000 are there after ${Math.round(performance.now() - began)} ms.`)
    const act = async (name: string, what: () => Promise<unknown>) => {
      const start = performance.now()
      await what()
      console.log(`${name}: ${Math.round(performance.now() - start)} ms`)
    }
    await page.locator("main").click({ position: { x: 5, y: 5 } })
    await act("to the first step", async () => {
      await page.keyboard.press("Home")
      await page.locator(".row[aria-current]", { hasText: "Part 1:" }).waitFor()
    })
    await act("zoom", async () => {
      for (let i = 0; i < 6; i++) await page.keyboard.press("+")
      await page.getByText(/steps 1 to \d+ of 10,000/).waitFor()
    })
    await act("step 5,000", async () => {
      await tab.go(`#/s/${id}/step/5000`)
      await page.locator(".proof.holds").waitFor()
    })
    await act("ledger", async () => {
      await tab.go(`#/s/${id}/ledger/9000`)
      await page.getByRole("heading", { name: /at step 9,000/ }).waitFor()
    })
    await act("charts", async () => {
      await tab.go(`#/s/${id}/charts`)
      await page.getByRole("region", { name: "Context by kind" }).waitFor()
    })
    expect(await page.locator("*").count()).toBeLessThan(6_000)
    expect(tab.troubles).toEqual([])
  })
})
