import { describe, expect, it } from "vitest"
import { serving } from "../support/server.js"
import { benchWith, reaching, serverWith, talk } from "../support/sotto.js"
import { expectAccessible, inspect } from "./browser.js"
import { kept } from "./pictures.js"
import { MODEL } from "./session.js"

const wait = { name: "bash", input: { command: "cat gate" } }

describe("the page of a session that runs", () => {
  it("prompts, steers, queues, cancels, answers and interrupts, without a reload, and two browsers agree", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    bench.gate("never")
    const model = await serverWith([
      { text: "May I?", calls: [{ name: "bash", input: { command: "python3 -c 1" } }] },
      { text: "I wait.", calls: [wait] },
      { text: "I heard you." },
      { text: "And that is after the turn." },
      { text: "I wait forever.", calls: [{ name: "bash", input: { command: "cat never" } }] },
      { text: "Never said." },
    ])
    const server = await serving(bench, reaching(model.url))
    const id = await server.user.open(bench.cwd, { model: MODEL })
    const [one, two] = [await inspect(server, `/s/${id}`), await inspect(server, `/s/${id}`)]
    const field = (tab: typeof one) => tab.page.getByRole("textbox", { name: "Message to the session" })

    // Prompted from the first browser; the permission is answered in the second.
    await one.page.locator(".dock").waitFor()
    await one.page.keyboard.press("i")
    await one.page.keyboard.type("Begin.")
    await one.page.keyboard.press("Enter")
    for (const tab of [one, two]) await tab.page.getByRole("group", { name: "Permission" }).waitFor()
    expect(await two.page.getByRole("group", { name: "Permission" }).textContent()).toContain("python3 -c 1")
    await kept(two.page, "inspector-live")
    await expectAccessible(two)
    await two.page.getByRole("button", { name: "Allow once" }).click()
    for (const tab of [one, two])
      await tab.page.getByRole("group", { name: "Permission" }).waitFor({ state: "detached" })

    // While a tool runs: steered from one, queued from the other, and taken back.
    for (const tab of [one, two]) {
      await tab.page.locator(".live-text", { hasText: "I wait." }).waitFor()
      await tab.page.locator(".dock-head .tool", { hasText: "bash" }).waitFor()
    }
    await field(one).fill("Steered from the page.")
    await one.page.getByRole("button", { name: "Send" }).click()
    await field(two).fill("After the turn.")
    await two.page.getByRole("combobox", { name: "Delivery" }).selectOption("after-turn")
    await two.page.getByRole("button", { name: "Send" }).click()
    await field(two).fill("Never mind.")
    await two.page.getByRole("button", { name: "Send" }).click()
    for (const tab of [one, two])
      await expect.poll(() => tab.page.locator(".queue li").count(), { timeout: 20_000 }).toBe(3)
    await one.page
      .locator(".queue li", { hasText: "Never mind." })
      .getByRole("button", { name: "Cancel" })
      .click()
    for (const tab of [one, two])
      await tab.page.locator(".queue li", { hasText: "Never mind." }).waitFor({ state: "detached" })
    await gate.open()
    for (const tab of [one, two]) {
      await tab.page.getByText("4 steps").waitFor()
      expect(await tab.page.locator(".row").nth(2).textContent()).toContain("Steered from the page.")
      expect(await tab.page.locator(".row").nth(3).textContent()).toContain("After the turn.")
    }
    const rows = (tab: typeof one) => tab.page.locator(".row-main").allTextContents()
    expect(await rows(one)).toEqual(await rows(two))

    // Interrupted from the second browser.
    await field(one).fill("Wait again.")
    await one.page.keyboard.press("Enter")
    await two.page.getByRole("button", { name: "Interrupt" }).click()
    for (const tab of [one, two]) await tab.page.locator(".dock-head .badge", { hasText: "idle" }).waitFor()
    for (const tab of [one, two]) expect(tab.troubles).toEqual([])
  })

  it("shows and steers a session that a terminal runs", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const model = await serverWith([{ text: "I wait.", calls: [wait] }, { text: "Heard from both." }])
    const terminal = talk(bench, model, "--model", MODEL, "Begin.")
    const { id } = await terminal.wait({ type: "session" })
    const server = await serving(bench, reaching(model.url))
    const { page } = await inspect(server, `/s/${id}`)
    await terminal.wait({ type: "tool-call" })
    const field = page.getByRole("textbox", { name: "Message to the session" })
    await field.fill("From the page.")
    await page.keyboard.press("Enter")
    await terminal.wait({ type: "queued" }, 2)
    terminal.say("From the terminal.", { id: "t1" })
    await terminal.wait({ type: "queued", id: "t1" })
    await page.locator(".queue li", { hasText: "From the terminal." }).waitFor()
    await gate.open()
    await terminal.wait({ type: "turn-end" })
    await page.getByText("2 steps").waitFor()
    const row = page.locator(".row").nth(1)
    await row.getByText("Heard from both.").waitFor()
    expect(await row.textContent()).toMatch(/From the page\..*From the terminal\./)
    await terminal.end()
  })

  it("goes on where it was after the connection is lost", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const model = await serverWith([{ text: "I wait.", calls: [wait] }, { text: "All of it." }])
    const server = await serving(bench, reaching(model.url))
    const id = await server.user.open(bench.cwd, { model: MODEL })
    const { page } = await inspect(server, `/s/${id}`)
    await page.locator(".dock").waitFor()
    await server.user.post(`/sessions/${id}/say`, { text: "Begin." })
    await page.locator(".dock-head .tool", { hasText: "bash" }).waitFor()
    await page.context().setOffline(true)
    await page.evaluate(() => undefined)
    await gate.open()
    const events = server.user.events(`/sessions/${id}/events?from=0`)
    await events.wait("turn-end")
    await events.close()
    await page.context().setOffline(false)
    await page.getByText("2 steps").waitFor()
    await page.locator(".row", { hasText: "All of it." }).waitFor()
    await page.locator(".dock-head .badge", { hasText: "idle" }).waitFor()
  })
})
