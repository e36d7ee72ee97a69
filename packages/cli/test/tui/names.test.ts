import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bodiesOf, conversationOf } from "../support/bodies.js"
import { addressesOf, benchWith, serverWith } from "../support/sotto.js"
import { KEYS, openTerminal, type Terminal, terminalWith } from "./support/terminal.js"

const answers = (...texts: readonly string[]) => ({
  counting: "requests" as const,
  steps: texts.map((text) => ({ text })),
})
const command = (terminal: Terminal, line: string) => terminal.type(`${line}${KEYS.enter}`)

async function answered(options = {}) {
  const server = await serverWith(answers("Answer one.", "Answer two.", "Answer three."))
  const bench = benchWith()
  const terminal = terminalWith(bench, server, options)
  await terminal.see("say what to do")
  command(terminal, "Tell me.")
  await terminal.see("Answer one.")
  await terminal.see("── 1 step")
  return { server, bench, terminal }
}

describe.concurrent("commands that people know from other agents", () => {
  it("/new begins a new session, /sessions lists them, and /exit leaves", async () => {
    const { terminal } = await answered()
    command(terminal, "/new")
    await terminal.see((text) => !text.includes("Answer one.") && text.includes("say what to do"))
    command(terminal, "/sessions")
    await terminal.see("Tell me.")
    terminal.type(KEYS.escape)
    await terminal.see("say what to do")
    command(terminal, "/exit")
    expect(await terminal.exited).toBe(0)
  })

  it("/status, /context, /config and /usage say what they say elsewhere", async () => {
    const { terminal, bench } = await answered({ columns: 110, rows: 40 })
    command(terminal, "/status")
    const status = await terminal.see("MCP servers")
    expect(status).toMatch(/session +│ +[0-9a-f]{8}-/)
    expect(status).toContain(bench.cwd)
    expect(status).toMatch(/agent +│ +build; asks before it acts/)
    expect(status).toMatch(/cost +│ +1 request, \$0\.\d+/)
    command(terminal, "/context")
    const context = await terminal.see(/free +│ +[\d,]+ +│ +9\d\.\d%/)
    expect(context).toMatch(/system prompt and tools +│ +[\d,]+/)
    expect(context).toMatch(/messages +│ +\d+/)
    command(terminal, "/config")
    await terminal.see(join(bench.home, "sotto.json"))
    await terminal.see(/titles +│ +false/)
    command(terminal, "/usage")
    await terminal.see("input-token equivalents")
  })

  it("/init has the agent write AGENTS.md, and shows what was typed", async () => {
    const server = await serverWith([
      { calls: [{ name: "write", input: { path: "AGENTS.md", content: "# Here\n" } }] },
      { text: "Written." },
    ])
    const bench = benchWith()
    const terminal = terminalWith(bench, server)
    await terminal.see("say what to do")
    command(terminal, "/init the tests")
    await terminal.see("▌ /init the tests")
    await terminal.see("↑↓ and Enter, or a number")
    terminal.type("1")
    await terminal.see("Written.")
    expect(readFileSync(bench.path("AGENTS.md"), "utf8")).toBe("# Here\n")
    const asked = conversationOf(bodiesOf(server)[0])
    expect(asked).toContain("write AGENTS.md in its root folder")
    expect(asked).toContain("What matters to me: the tests")
  })

  it("a wrong name is answered with what was meant, or where that is", async () => {
    const { terminal } = await answered()
    command(terminal, "/comqact")
    await terminal.see("There is no command /comqact. Did you mean /compact?")
    terminal.type(KEYS.ctrlC)
    command(terminal, "/doctor")
    await terminal.see("There is no /doctor here: `sotto doctor` in a shell.")
    terminal.type(KEYS.ctrlC)
    terminal.type("/exi")
    await terminal.see("the same as /quit")
  })

  it("/login takes a key without showing it, and the session goes on with it", async () => {
    const server = await serverWith(answers("Answer one."))
    const bench = benchWith()
    const terminal = openTerminal(bench, { args: [], env: addressesOf(server.url), columns: 100 })
    await terminal.see("say what to do")
    command(terminal, "/login anthropic")
    await terminal.see("it is not shown")
    terminal.type(`sk-ant-typed-secret${KEYS.enter}`)
    await terminal.see("the key is stored; /model lists what it reaches")
    expect(terminal.raw).not.toContain("typed-secret")
    command(terminal, "/model anthropic/claude-sonnet-4-5")
    command(terminal, "Hello?")
    await terminal.see("Answer one.")
    expect(server.requests.at(-1)?.headers["x-api-key"]).toBe("[redacted]")
  })
})

it.concurrent("? shows every key in a window of 80 × 24, and leaves nothing behind", async () => {
  const { terminal } = await answered({ columns: 80, rows: 24 })
  terminal.type("?")
  const keys = await terminal.see("Keys; /help has the commands too")
  for (const key of ["Enter", "Esc", "Tab", "Shift+Tab", "Ctrl+R", "Ctrl+T", "Ctrl+D", "this list"])
    expect(keys).toContain(key)
  expect(keys).not.toContain("…")
  expect(keys).not.toContain("of 2")
  terminal.type(KEYS.escape)
  const after = await terminal.see("say what to do")
  expect(after).toContain("Answer one.")
  expect(terminal.all()).not.toContain("this list")
})

describe.concurrent("sotto --plain", () => {
  const PLAIN = { args: ["--plain", "--model", "anthropic/claude-sonnet-4-5"], columns: 100, rows: 50 }
  const plain = async (...texts: readonly string[]) => {
    const server = await serverWith(answers(...texts))
    const bench = benchWith()
    const terminal = terminalWith(bench, server, PLAIN)
    await terminal.see("/help lists the commands")
    return { server, bench, terminal }
  }

  it("marks the end of a turn", async () => {
    const { terminal } = await plain("Answer one.")
    command(terminal, "Tell me.")
    await terminal.see(/Answer one\.\n── done after 1 step/)
  })

  it("has the commands that make sense there, and other names for them", async () => {
    const { terminal, bench } = await plain("Answer one. ".repeat(100), "The summary.", "Answer two.")
    command(terminal, "Tell me.")
    await terminal.see("── done")
    command(terminal, "/status")
    await terminal.see(/agent: build; asks before it acts/)
    command(terminal, "/context")
    await terminal.see(/system prompt and tools: [\d,]+, /)
    command(terminal, "/cost")
    await terminal.see("input-token equivalents")
    command(terminal, "/model")
    await terminal.seeAnywhere("* anthropic/claude-sonnet-4-5")
    command(terminal, "/agents")
    await terminal.see(/\* build: /)
    command(terminal, "/compact")
    await terminal.see(/compacted \(as you asked\)/)
    command(terminal, "/export log.jsonl")
    await terminal.see("written to")
    expect(existsSync(bench.path("log.jsonl"))).toBe(true)
    command(terminal, "/permisions")
    await terminal.see("There is no command /permisions. Did you mean /permissions?")
    command(terminal, "/exit")
    expect(await terminal.exited).toBe(0)
  })

  it("goes back, forks, begins anew and resumes", async () => {
    const { terminal, server } = await plain("Answer one.", "Answer two.", "Answer three.", "Answer four.")
    command(terminal, "First.")
    await terminal.see("── done")
    command(terminal, "/rewind")
    await terminal.see("1  First.")
    command(terminal, "/rewind 1")
    await terminal.see("This is before: First.")
    command(terminal, "Second.")
    await terminal.see("Answer two.")
    expect(conversationOf(bodiesOf(server)[1])).not.toContain("First.")
    command(terminal, "/new")
    const told = await terminal.see(/This is a new session: \S+/)
    const fresh = /new session: (\S+)/.exec(told)?.[1] ?? ""
    command(terminal, "Third.")
    await terminal.see("Answer three.")
    expect(conversationOf(bodiesOf(server)[2])).not.toContain("Second.")
    command(terminal, "/resume")
    const list = await terminal.see((text) => /\n[0-9a-f-]{36}/.test(text))
    const other = [...list.matchAll(/\n([0-9a-f-]{36})/g)].map(([, id]) => id).find((id) => id !== fresh)
    command(terminal, `/resume ${other?.slice(0, 10)}`)
    await terminal.see(`This is session ${other} now.`)
    command(terminal, "Fourth.")
    await terminal.see("Answer four.")
    expect(conversationOf(bodiesOf(server)[3])).toContain("Second.")
  })
})
