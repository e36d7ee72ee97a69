import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { addedBy, bodiesOf, conversationOf } from "../support/bodies.js"
import { type Bench, benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const SERVER = fileURLToPath(new URL("../../../harness/test/mcp-server.mjs", import.meta.url))
const OAUTH = fileURLToPath(new URL("../../../harness/test/oauth-server.mjs", import.meta.url))
const READY = "say what to do"

function benchFor(mcp: object): Bench {
  const bench = benchWith()
  mkdirSync(bench.home, { recursive: true })
  const config = { titles: false, mcp, permission: { mcp: "allow" }, collectTimeout: 30_000 }
  writeFileSync(join(bench.home, "sotto.json"), JSON.stringify(config))
  return bench
}

const hub = (habits: object) => ({
  hub: { command: process.execPath, args: [SERVER, JSON.stringify(habits)] },
})

const started: ChildProcess[] = []
afterAll(() => {
  for (const child of started) child.kill("SIGKILL")
})

describe.concurrent("MCP in the terminal", () => {
  it("shows what a tool answered, folded where it is long, and all of it when asked", async () => {
    const server = await serverWith([
      {
        text: "I call.",
        calls: [
          { name: "mcp__hub__media", input: {} },
          { name: "mcp__hub__structured", input: {} },
        ],
      },
      { text: "Done." },
    ])
    const bench = benchFor(hub({ names: ["media", "structured"] }))
    const terminal = terminalWith(bench, server, { columns: 100, rows: 40 })
    await terminal.see(READY)
    terminal.type(`Begin.${KEYS.enter}`)
    await terminal.see("Done.")
    const shown = await terminal.see("── 2 steps")
    expect(shown).toMatch(/✓ mcp__hub__media.*\n {4}a picture\n {4}\[image\/png\]\n/)
    expect(shown).toMatch(/✓ mcp__hub__structured.*\n {4}\{"degrees":21\}\n/)
    expect(shown).toMatch(
      /… \d+ more lines · Ctrl\+O shows all|\[a resource that can be read: the link, memo:\/\/link\]/,
    )
    terminal.type(KEYS.ctrlO)
    await terminal.see("[a resource that can be read: the link, memo://link]")
  })

  it("offers the prompts of servers as commands, with their arguments, also those that come later", async () => {
    const server = await serverWith([{ text: "One." }, { text: "Two." }])
    const bench = benchFor(hub({ prompts: ["review", "more"] }))
    const terminal = terminalWith(bench, server, { columns: 110, rows: 40 })
    await terminal.see(READY)
    terminal.type(`/mcp${KEYS.enter}`)
    await terminal.see(/hub {2}connected, 2 tools, 2 prompts/)
    terminal.type(`${KEYS.enter}`)
    await terminal.see(/2 prompts\n {2}\/hub:review\n {4}Reviews a file\./)
    terminal.type(`${KEYS.escape}`)
    await terminal.see("MCP servers:")
    terminal.type(`${KEYS.escape}`)
    await terminal.see(READY)
    terminal.type("/hub:rev")
    await terminal.see(/❯ hub:review +FILE \[FOCUS\] {2}Reviews a file\. \(MCP prompt\)/)
    terminal.type(KEYS.enter)
    await terminal.see(/▌ \/hub:review\s*$/m)
    terminal.type(KEYS.enter)
    await terminal.see("/hub:review needs FILE too. Type /hub:review FILE [FOCUS]")
    expect(server.requests).toEqual([])
    terminal.type(`/hub:review "a file.ts" dead code${KEYS.enter}`)
    await terminal.see("One.")
    expect(await terminal.see(READY)).toContain('▌ /hub:review "a file.ts" dead code')
    expect(conversationOf(bodiesOf(server)[0])).toContain("Review a file.ts for dead code.")
    terminal.type(`/hub:more${KEYS.enter}`)
    await terminal.see("Two.")
    expect(addedBy(server, 1)).toContain("There is more.")
    // What is offered is what is known when a key is pressed.
    terminal.type(`/mcp${KEYS.enter}`)
    await terminal.see(/hub {2}connected, 2 tools, 3 prompts/)
    terminal.type(KEYS.escape)
    await terminal.see(READY)
    terminal.type("/hub:la")
    await terminal.see(/❯ hub:late +Came later\. \(MCP prompt\)/)
    terminal.type(`${KEYS.escape}${KEYS.backspace.repeat(7)}/help${KEYS.enter}`)
    await terminal.seeAnywhere(/\/hub:review FILE \[FOCUS\] Reviews a file\./)
  })

  it("says that a server wants a login, and logs in from the list of servers", async () => {
    const child = spawn(process.execPath, [OAUTH, "{}"], { stdio: ["ignore", "pipe", "inherit"] })
    started.push(child)
    const [line] = await once(createInterface(child.stdout), "line")
    const { url } = JSON.parse(String(line))
    const server = await serverWith([
      { text: "Without." },
      { text: "I ask.", calls: [{ name: "mcp", input: { server: "guarded", tool: "secret", input: {} } }] },
      { text: "Now I know." },
    ])
    const terminal = terminalWith(benchFor({ guarded: { url } }), server, { columns: 700, rows: 30 })
    await terminal.see(READY)
    terminal.type(`Begin.${KEYS.enter}`)
    const begun = await terminal.see("── 1 step")
    expect(begun).toContain("· The MCP server guarded needs you to log in: sotto mcp login guarded")
    expect(begun).not.toContain("✗")
    terminal.type(`/mcp${KEYS.enter}`)
    await terminal.see(/! guarded {2}it needs you to log in: sotto mcp login guarded/)
    await terminal.see("l log in")
    terminal.type("l")
    const told = await terminal.see(/Log in at this address: (http:\S+)/)
    await fetch(/Log in at this address: (http:\S+)/.exec(told)?.[1] ?? "")
    await terminal.see("logged in at guarded")
    terminal.type(`/mcp${KEYS.enter}`)
    await terminal.see(/✓ guarded {2}connected, 1 tool/)
    terminal.type(KEYS.escape)
    await terminal.see(READY)
    terminal.type(`Ask.${KEYS.enter}`)
    await terminal.see("Now I know.")
    await terminal.see("the cake is a lie")
    terminal.type(`/mcp login nobody${KEYS.enter}`)
    await terminal.see("nobody: there is no MCP server of that name here")
  })

  it("takes prompts a line at a time too", async () => {
    const server = await serverWith([{ text: "One." }])
    const bench = benchFor(hub({ prompts: ["review"] }))
    const terminal = terminalWith(bench, server, {
      args: ["--plain", "--model", "anthropic/claude-sonnet-4-5"],
      columns: 110,
      rows: 40,
    })
    await terminal.see("Ctrl+C interrupts")
    terminal.type("/hub:review\n")
    await terminal.see("/hub:review needs FILE too.")
    terminal.type("/hub:review a.ts\n")
    await terminal.see("One.")
    expect(conversationOf(bodiesOf(server)[0])).toContain("Review a.ts for everything.")
  })
})
