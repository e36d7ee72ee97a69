import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { ScriptStep } from "@sotto/rehearsal"
import { afterAll, describe, expect, it } from "vitest"
import { benchWith, finished, reaching, serverWith } from "../support/sotto.js"
import { KEYS, openTerminal, terminalWith } from "./support/terminal.js"

const flat = (screen: string) => screen.replaceAll(/\s+/g, " ")

async function after(step: ScriptStep, files = {}, env = {}) {
  const server = await serverWith([step, { text: "Next." }])
  const terminal = terminalWith(benchWith(files), server, { env })
  await terminal.see("say what to do")
  terminal.type(`Begin.${KEYS.enter}`)
  return { terminal, server }
}

const servers: { close(): unknown }[] = []
afterAll(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A Chat Completions server whose filter ends every answer. */
async function filteringServer(): Promise<string> {
  const chunk = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({
      ...{ id: "c", object: "chat.completion.chunk", created: 0, model: "some-model" },
      choices: [{ index: 0, delta, finish_reason: reason }],
    })}\n\n`
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(chunk({ role: "assistant", content: "Half an answer" }, null))
    response.end(`${chunk({}, "content_filter")}data: [DONE]\n\n`)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

describe.concurrent("an answer that is not whole", () => {
  const cases: readonly (readonly [string, ScriptStep, string, string])[] = [
    ["is cut off", { text: "Half", stop: "length" }, "it reached the model's limit on output", "say “go on”"],
    ["is refused", { text: "No.", stop: "refusal" }, "the model refused to go on", "/rewind"],
  ]
  for (const [name, step, reason, remedy] of cases)
    it(`that ${name} says why, and what can be done`, async () => {
      const { terminal } = await after(step)
      const screen = flat(await terminal.see(/tokens written/))
      expect(screen).toContain(reason)
      expect(screen).toContain(remedy)
    })

  it("that the provider's filter cut off says so, and what can be done", async () => {
    const url = await filteringServer()
    const terminal = openTerminal(benchWith(), {
      args: ["--model", "openai-chat/some-model"],
      env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: "no-real-key" },
    })
    await terminal.see("say what to do")
    terminal.type(`Begin.${KEYS.enter}`)
    const screen = flat(await terminal.see(/── /))
    expect(screen).toContain("Half an answer")
    expect(screen).toContain(
      "the provider's filter withheld the answer; say it in other words, go back with /rewind",
    )
  })

  it("that finds the conversation too long for the model says so, and what can be done", async () => {
    const tooLong = { status: 400, message: "prompt is too long: 300000 tokens > 200000 maximum" }
    const { terminal } = await after({ text: "x", fail: Array.from({ length: 8 }, () => tooLong) })
    const screen = flat(await terminal.see(/── /))
    expect(screen).toContain("the conversation is longer than the model takes")
    expect(screen).toMatch(/\/compact summarises it, \/rewind goes back, \/clear begins anew/)
  })

  it("that ends at the most steps says so, and how to allow more", async () => {
    const look: ScriptStep = { calls: [{ name: "glob", input: { pattern: "*" } }] }
    const server = await serverWith([look, { ...look, disobey: true }, { text: "Next." }])
    const terminal = terminalWith(benchWith({ "sotto.json": '{"maxSteps": 1}' }), server)
    await terminal.see("say what to do")
    terminal.type(`Begin.${KEYS.enter}`)
    const screen = flat(await terminal.see(/── /))
    expect(screen).toMatch(/stopped after 1 step, the most this agent may take; say more to go on/)
  })
})

describe.concurrent("a request that fails", () => {
  it("says which key, which address and which model it was about", async () => {
    const { terminal, server } = await after({
      text: "x",
      fail: [{ status: 401, message: "invalid x-api-key" }],
    })
    const screen = flat(await terminal.see("stopped by an error"))
    expect(screen).toContain("✗ The provider answered 401: invalid x-api-key")
    expect(screen).toContain(`anthropic/claude-sonnet-4-5 at ${server.url}`)
    expect(screen).toContain("Check the key in ANTHROPIC_API_KEY.")
  })

  it("says the same without a terminal", async () => {
    const server = await serverWith([{ text: "x", fail: [{ status: 404, message: "no such model" }] }])
    const args = ["run", "--model", "anthropic/claude-none", "Hello."]
    const { out, err, code } = await finished(benchWith(), args, reaching(server.url))
    const said = flat(out + err)
    expect(code).toBe(1)
    expect(said).toContain(`(anthropic/claude-none at ${server.url}).`)
    expect(said).toContain('Check the name of the model, "claude-none"')
    expect(said).toContain("ANTHROPIC_BASE_URL")
  })

  it("counts down to the next attempt first, however long the reason is", async () => {
    const long = "The service is overloaded, and says so at great length. ".repeat(6)
    const { terminal } = await after({
      text: "At last.",
      fail: [{ status: 529, message: long, retryAfter: 4 }],
    })
    const first = await terminal.see(/trying again in 4 s · Esc interrupts · attempt 2 · The provider/)
    expect(first.split("\n").every((row) => row.length <= 80)).toBe(true)
    await terminal.see(/trying again in [12] s · Esc interrupts/)
    terminal.type(KEYS.escape)
    await terminal.see("interrupted; say something to go on")
  })
})
