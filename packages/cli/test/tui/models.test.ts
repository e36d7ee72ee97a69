import { describe, expect, it } from "vitest"
import { addressesOf, benchWith, serverWith } from "../support/sotto.js"
import { KEYS, openTerminal, terminalWith } from "./support/terminal.js"

const status = (screen: string) => screen.trimEnd().split("\n").at(-1) ?? ""

describe.concurrent("/model", () => {
  it("lists the models with their windows, prices and what they can do, and narrows as one types", async () => {
    const server = await serverWith([{ text: "One." }])
    const terminal = terminalWith(benchWith(), server, { columns: 120, rows: 30 })
    await terminal.see("say what to do")
    terminal.type(`/model${KEYS.enter}`)
    const list = await terminal.see("┃ Model")
    expect(list).toMatch(/❯ anthropic\/claude-sonnet-4-5 +200k · \$3 in, \$15 out · thinks, images, PDFs/)
    terminal.type("google 3-p")
    const narrowed = await terminal.see(/❯ google\/gemini-3-pro +1M · \$2 in, \$12 out/)
    expect(narrowed).not.toContain("claude-opus")
    terminal.type(KEYS.enter)
    await terminal.see("model: google/gemini-3-pro")
    await terminal.see((screen) => status(screen).includes("gemini-3-pro"))
  })

  it("takes windows and prices from sotto.json where that says so, also of models that nobody knows", async () => {
    const server = await serverWith([{ text: "One." }])
    const bench = benchWith({
      "sotto.json": JSON.stringify({
        models: {
          "anthropic/claude-sonnet-4-5": { price: { input: 7, output: 9 } },
          "openai-chat/local-llama": { contextWindow: 32000 },
        },
      }),
    })
    const terminal = terminalWith(bench, server, { columns: 120, rows: 30 })
    await terminal.see("say what to do")
    terminal.type(`/model${KEYS.enter}`)
    const list = await terminal.see("┃ Model")
    expect(list).toMatch(/anthropic\/claude-sonnet-4-5 +200k · \$7 in, \$9 out/)
    expect(list).toMatch(/openai-chat\/local-llama +32k · price unknown/)
  })

  it("says of models without a key how to get one in, and offers them last", async () => {
    const server = await serverWith([{ text: "One." }])
    const { ANTHROPIC_BASE_URL = "" } = addressesOf(server.url)
    const terminal = openTerminal(benchWith(), {
      args: ["--model", "anthropic/claude-sonnet-4-5"],
      env: { ANTHROPIC_BASE_URL },
      columns: 120,
      rows: 30,
    })
    await terminal.see("say what to do")
    terminal.type(`/model${KEYS.enter}`)
    await terminal.see("┃ Model")
    terminal.type("gpt-5.6-l")
    await terminal.see(/openai\/gpt-5\.6-luna +no key: sotto login openai · 400k/)
    terminal.type(KEYS.enter)
    await terminal.see(/✗ There is no key for openai\/gpt-5\.6-luna\. Set OPENAI_API_KEY, run `sotto login`/)
  })
})

it("the status line has the cost, by the table of prices, and by sotto.json where that says so", async () => {
  for (const [config, cost] of [
    ["{}", /\$0\.0\d\d/],
    ['{"models":{"anthropic/claude-sonnet-4-5":{"price":{"input":3000,"output":15000}}}}', /\$\d+\.\d\d/],
  ] as const) {
    const server = await serverWith([{ text: "One." }])
    const terminal = terminalWith(benchWith({ "sotto.json": config }), server, { columns: 120 })
    await terminal.see("say what to do")
    terminal.type(`Go.${KEYS.enter}`)
    await terminal.see("One.")
    await terminal.see((screen) => cost.test(status(screen)))
  }
})
