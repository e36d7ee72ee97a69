import { describe, expect, it } from "vitest"
import { serving } from "../support/server.js"
import { benchWith, reaching, serverWith, talk } from "../support/sotto.js"
import { expectAccessible, inspect } from "./browser.js"
import { kept } from "./pictures.js"
import { MODEL } from "./session.js"

const wait = { name: "bash", input: { command: "cat gate" } }

const FIRST_PLAN = `# First plan

The parser reports **all** errors at once.

- Collect errors in a list instead of throwing.
- Go on at the next line after \`parseLine\` fails.

| file | change |
| --- | --- |
| src/parser.ts | a list of errors |
| test/parser.test.ts | two errors in one text |
`

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

  it("shows what tools were given, what they changed and what came of them, beside the list", async () => {
    const bench = benchWith({
      "long.txt": "a line of a long file\n".repeat(300),
      "notes.md": "One error.\nTwo errors.\n",
    })
    const model = await serverWith([
      {
        text: "I read.",
        calls: [
          { name: "read", input: { path: "long.txt" } },
          { name: "read", input: { path: "notes.md" } },
        ],
      },
      { text: "I edit.", calls: [{ name: "edit", input: { path: "notes.md", old: "One", new: "No" } }] },
      { text: "I write.", calls: [{ name: "write", input: { path: "new.md", content: "# New file" } }] },
      { text: "Done." },
    ])
    const server = await serving(bench, reaching(model.url))
    const id = await server.user.open(bench.cwd, { model: MODEL })
    const tab = await inspect(server, `/s/${id}`)
    const { page } = tab
    await page.locator(".dock").waitFor()
    await server.user.post(`/sessions/${id}/say`, { text: "Begin." })
    for (const file of ["notes.md", "new.md"])
      await page
        .getByRole("group", { name: "Permission" })
        .filter({ hasText: file })
        .getByRole("button", { name: "Allow once" })
        .click()
    await page.getByText("4 steps").waitFor()
    const totals = page.getByRole("region", { name: "Totals" })
    await totals.getByText("4", { exact: true }).waitFor()

    await page.keyboard.press("Home")
    await page.keyboard.press("o")
    const panel = page.getByRole("complementary", { name: /^Tools of step/ })
    await panel.getByText('"path": "long.txt"').waitFor()
    const [length, isAsked] = [(await panel.textContent())?.length ?? 0, () => tab.asked.join(" ")]
    expect(length).toBeLessThan(6_000)
    expect(isAsked()).not.toContain("whole=")
    await panel.getByRole("button", { name: "Show all of it" }).click()
    await expect.poll(async () => (await panel.textContent())?.length).toBeGreaterThan(length + 3_000)
    await expectAccessible(tab)
    await page.keyboard.press("j")
    const change = panel.getByRole("region", { name: "Change of notes.md" })
    await change.waitFor()
    expect(await change.locator("mark").allTextContents()).toEqual(["One", "No"])
    expect(page.url()).toContain("open=2")
    await kept(page, "inspector-tools")
    await page.keyboard.press("j")
    await panel.getByRole("region", { name: "Change of new.md" }).getByText("# New file").waitFor()
    await page.keyboard.press("o")
    await panel.waitFor({ state: "detached" })
    for (const options of [{ colorScheme: "dark" }, { viewport: { width: 360, height: 740 } }] as const) {
      const view = await inspect(server, `/s/${id}/timeline?open=2`, options)
      await view.page.getByRole("region", { name: "Change of notes.md" }).waitFor()
      await expectAccessible(view)
      const beyond = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
      expect(await view.page.evaluate(beyond)).toBe(0)
    }
    expect(tab.troubles).toEqual([])
  })

  it("shows a plan as Markdown, rejects it, and approves it with words", async () => {
    const plan = ".sotto/plans/plan.md"
    const write = (text: string) => ({ calls: [{ name: "write", input: { path: plan, content: text } }] })
    const exit = { calls: [{ name: "plan_exit", input: {} }] }
    const bench = benchWith()
    const model = await serverWith([
      write(FIRST_PLAN),
      exit,
      write("# Second plan\n\n1. <img src=x onerror=alert(1)>\n2. [here](http://example.com)\n"),
      exit,
      { text: "I carry it out." },
    ])
    const server = await serving(bench, reaching(model.url))
    const id = await server.user.open(bench.cwd, { model: MODEL, agent: "plan" })
    const tab = await inspect(server, `/s/${id}`)
    const { page } = tab
    await page.locator(".dock").waitFor()
    await server.user.post(`/sessions/${id}/say`, { text: "Plan it." })
    const question = page.getByRole("group", { name: "Plan" })
    await question.getByRole("heading", { name: "First plan" }).waitFor()
    expect(await question.locator("strong").textContent()).toBe("all")
    expect(await question.locator("table td").allTextContents()).toContain("src/parser.ts")
    await kept(page, "inspector-plan")
    await expectAccessible(tab)
    await question.getByRole("textbox", { name: "Words to the model" }).fill("mention the tests")
    await question.getByRole("button", { name: "Reject" }).click()
    await question.getByRole("heading", { name: "Second plan" }).waitFor()
    expect(await question.locator("img, a").count()).toBe(0)
    expect(await question.locator("li").allTextContents()).toEqual([
      "<img src=x onerror=alert(1)>",
      "here (http://example.com)",
    ])
    await question.getByRole("textbox", { name: "Words to the model" }).fill("Begin with the tests.")
    await question.getByRole("button", { name: "Approve with these words" }).click()
    const row = page.locator(".row", { hasText: "I carry it out." })
    await row.waitFor()
    expect(await row.textContent()).toContain("Begin with the tests.")
    const { json } = await server.user.get(`/sessions/${id}/log`)
    const log = JSON.stringify(json)
    expect(log).toContain("The user did not approve the plan yet: no: mention the tests")
    expect(log).toContain("The user approved the plan.")
    expect(tab.troubles).toEqual([])
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
    // What is tried meanwhile fails, in red.
    const field = page.getByRole("textbox", { name: "Message to the session" })
    await field.fill("Lost on the way.")
    await page.keyboard.press("Enter")
    await page.getByRole("alert").filter({ hasText: "The server does not answer." }).waitFor()
    await page.getByRole("link", { name: "Step", exact: true }).click()
    await expect.poll(() => page.getByRole("alert").count()).toBe(2)
    await gate.open()
    const events = server.user.events(`/sessions/${id}/events?from=0`)
    await events.wait("turn-end")
    await events.close()
    await page.context().setOffline(false)
    await page.getByRole("heading", { name: /^Step 1/ }).waitFor()
    await expect.poll(() => page.getByRole("alert").count(), { timeout: 20_000 }).toBe(0)
    expect(await field.inputValue()).toBe("Lost on the way.")
    await page.getByRole("link", { name: "Timeline" }).click()
    await page.getByText("2 steps").waitFor()
    await page.locator(".row", { hasText: "All of it." }).waitFor()
    await page.locator(".dock-head .badge", { hasText: "idle" }).waitFor()
  })
})
