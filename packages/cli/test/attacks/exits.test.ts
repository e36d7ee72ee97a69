import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { type Bench, benchWith, finished, reaching, serverWith, talk } from "../support/sotto.js"
import { KEYS, openTerminal, terminalWith } from "../tui/support/terminal.js"
import { HOSTILE, HOSTILE_NAME, hiddenIn } from "./sequences.js"

// Every field of every entrance is hostile, and every exit is looked at byte by byte.

const SECRET = "sk-test-0123456789abcdefghij"
const named = (what: string) => `${what}${HOSTILE_NAME}`

const STEPS: readonly ScriptStep[] = [
  {
    reasoning: named("thought"),
    text: `text ${HOSTILE}\n`,
    calls: [{ name: "read", input: { path: named("file") } }],
  },
  {
    calls: [
      { name: named("tool"), input: { [named("field")]: named("value") } },
      { name: "bash", input: { command: `cat '${named("file")}'; echo '${HOSTILE}'` } },
      { name: "todo_write", input: { todos: [{ id: "1", content: named("todo"), status: "in_progress" }] } },
      { name: "task", input: { agent: named("agent"), prompt: named("prompt") } },
      { name: "skill", input: { name: named("skill") } },
      { name: "question", input: { question: named("question"), options: [named("option"), "b"] } },
    ],
  },
  { text: `last ${HOSTILE}` },
]

/** A project in which everything has a hostile name. */
function hostileBench(): Bench {
  const bench = benchWith({
    [named("file")]: `content ${HOSTILE}\n`,
    ".sotto/reminders/tea.md": `---\nevery: 1 step\n---\nTea ${HOSTILE}\n`,
    "AGENTS.md": `Be ${HOSTILE}\n`,
  })
  mkdirSync(bench.home, { recursive: true })
  const config = {
    titles: false,
    agents: { [named("agent")]: { description: named("description"), prompt: "Be.", mode: "primary" } },
    mcp: { [named("mcp")]: { command: named("missing") } },
  }
  writeFileSync(join(bench.home, "sotto.json"), JSON.stringify(config))
  return bench
}

async function session(bench: Bench): Promise<string> {
  const server = await serverWith(STEPS)
  const run = talk(bench, server, "--yes", "--model", "anthropic/claude-sonnet-4-5", `Go. ${HOSTILE}`)
  const { id } = await run.wait({ type: "ask", kind: "question" })
  run.send({ type: "answer", id, answer: named("answer") })
  await run.wait({ type: "turn-end" })
  await run.end()
  return (await run.wait({ type: "session" })).id
}

describe.concurrent("whatever anything is called or says", () => {
  it("sotto run and its errors are inert", async () => {
    const server = await serverWith(STEPS)
    const args = ["run", `Go. ${HOSTILE}`, "--yes", "--model", "anthropic/claude-sonnet-4-5"]
    const { code, out, err } = await finished(hostileBench(), args, reaching(server.url))
    expect({ code, hidden: hiddenIn(out + err) }).toEqual({ code: 0, hidden: [] })
    for (const what of ["text ow", "tool", "field", "last ow"]) expect(out + err).toContain(what)
  })

  it("what is stored is inert when it is listed, shown and explained, also after an import", async () => {
    const bench = hostileBench()
    const id = await session(bench)
    const { out: log } = await finished(bench, ["export", id])
    expect(log).toContain("\u202e")
    const other = benchWith()
    const [header = "", ...entries] = log.split("\n")
    const renamed = { ...JSON.parse(header), title: named("title"), cwd: named("/cwd") }
    writeFileSync(other.path("log.jsonl"), [JSON.stringify(renamed), ...entries].join("\n"))
    expect((await finished(other, ["import", "log.jsonl"])).code).toBe(0)
    for (const [at, args] of [
      ...[["sessions"], ["show", id], ["show", id, "--ids"], ["asides", id]].map(
        (one) => [other, one] as const,
      ),
      ...[["rules"], ["doctor"]].map((one) => [bench, one] as const),
    ]) {
      const { out, err } = await finished(at, args)
      expect({ args, hidden: hiddenIn(out + err) }).toEqual({ args, hidden: [] })
      expect(out.length).toBeGreaterThan(20)
    }
  })

  it("an export is inert on a terminal, and exact anywhere else", async () => {
    const bench = hostileBench()
    const id = await session(bench)
    const terminal = openTerminal(bench, { args: ["export", id] })
    expect(await terminal.exited).toBe(0)
    expect(terminal.raw).toContain("\\u009b31337m")
    expect(hiddenIn(terminal.raw, /[\n\r]/)).toEqual([])
    expect((await finished(bench, ["export", id])).out).toContain("\u009b31337m")
  })

  it.each([
    ["a command", [named("command")]],
    ["an option", ["run", "x", `--${named("option")}`]],
    ["a model", ["run", "x", "--model", named("model")]],
    ["a model of a provider", ["run", "x", "--model", named("anthropic/")]],
    ["an agent", ["run", "x", "--agent", named("agent-")]],
    ["a folder", ["run", "x", "--cwd", named("/folder")]],
    ["a session", ["show", named("session")]],
    ["a file", ["import", named("file")]],
  ])("an error about %s is inert", async (_, args) => {
    const { code, out, err } = await finished(benchWith(), args, { SOTTO_DEBUG: "1" })
    expect(code).not.toBe(0)
    expect(err).toContain("ow")
    expect(hiddenIn(out + err)).toEqual([])
  })

  it.each([
    ["a field", JSON.stringify({ [named("field")]: 1 })],
    ["a value", JSON.stringify({ maxSteps: named("value") })],
    ["an agent", JSON.stringify({ agents: { [named("agent")]: { mode: named("mode") } } })],
    ["no JSON", `{ ${named("junk")}`],
  ])("an error of configuration is inert: %s", async (_, config) => {
    const bench = benchWith({ [`${named("folder")}/sotto.json`]: config })
    const at = { ...bench, cwd: bench.path(named("folder")) }
    for (const args of [["run", "x"], ["doctor"], ["rules"]]) {
      const { code, out, err } = await finished(at, args)
      expect(code).not.toBe(0)
      expect(out + err).toContain("folderow")
      expect(hiddenIn(out + err)).toEqual([])
    }
  })

  it("an error of the provider is inert, and has no key in it", async () => {
    const message = `Incorrect key ${SECRET} ${HOSTILE}`
    const server = await serverWith([{ fail: [{ status: 400, message }] }])
    const env = { ...reaching(server.url), ANTHROPIC_API_KEY: SECRET }
    for (const more of [[], ["--output", "jsonl"]]) {
      const args = ["run", "x", "--model", "anthropic/claude-sonnet-4-5", ...more]
      const { code, out, err } = await finished(benchWith(), args, env)
      expect(code).not.toBe(0)
      expect(out + err).not.toContain(SECRET)
      expect(out + err).toContain("[redacted]")
      if (more.length === 0) expect(hiddenIn(out + err)).toEqual([])
    }
  })

  it("an address with a password is not shown", async () => {
    const env = { ANTHROPIC_API_KEY: SECRET, ANTHROPIC_BASE_URL: "ftp://user:hunter2@host/" }
    for (const args of [["run", "x", "--model", "anthropic/x"], ["doctor"]]) {
      const { out, err } = await finished(benchWith(), args, { ...env, SOTTO_DEBUG: "1" })
      expect(out + err).not.toContain("hunter2")
      expect(out + err).not.toContain(SECRET)
    }
  })

  it("the terminal UI draws nothing but its own codes", async () => {
    const server = await serverWith([...STEPS, { text: "Over." }])
    const bench = hostileBench()
    const terminal = terminalWith(bench, server, {
      args: ["--yes", "--agent", named("agent"), "--model", "anthropic/claude-sonnet-4-5"],
      rows: 50,
    })
    await terminal.see("say what to do")
    terminal.type(`Go.${KEYS.enter}`)
    await terminal.see("1 optionow")
    terminal.type(KEYS.ctrlR)
    terminal.type(KEYS.tab)
    terminal.type("2")
    await terminal.seeAnywhere("── 3 steps")
    terminal.type(KEYS.ctrlO)
    await terminal.see("calls are shown in full")
    terminal.type(`/asides${KEYS.enter}`)
    await terminal.see("Asides")
    expect(hiddenIn(withoutCodes(terminal.raw), /[\n\r]/)).toEqual([])
    expect(terminal.raw).not.toContain("[31337m\u009b")
  })

  it("what is told to the terminal itself holds nothing from outside that it would obey", async () => {
    const server = await serverWith([...STEPS, { text: "Over." }])
    const whole = hostileBench()
    const cwd = join(whole.cwd, named("folder"))
    mkdirSync(cwd)
    writeFileSync(join(cwd, named("file")), `content ${HOSTILE}\n`)
    for (const name of ["ghostty", "xterm-kitty", "foot"]) {
      const terminal = terminalWith({ ...whole, cwd }, server, {
        args: ["--yes", "--model", "anthropic/claude-sonnet-4-5"],
        env: { TERM: name },
        rows: 50,
      })
      await terminal.see("say what to do")
      // Looked away: it calls when it has a question, and when it has finished.
      terminal.type("\u001b[O")
      terminal.type(`Go.${KEYS.enter}`)
      await terminal.see("❯ 1 optionow")
      terminal.type("2")
      await terminal.seeAnywhere("── 3 steps")
      terminal.type(`/copy${KEYS.enter}`)
      await terminal.see("given to the terminal's clipboard")
      expect(terminal.clipboard).toBe(`last ${HOSTILE}`.replaceAll("\r", ""))
      for (const page of ["transcript", "diff", "subagents", "mcp", "resume"]) {
        terminal.type(`/${page}${KEYS.enter}`)
        await terminal.see("Esc back")
        terminal.type(KEYS.enter)
        terminal.type("\u001b[27u\u001b[27u\u001b[27u")
        await terminal.see("say what to do")
      }
      const calls = ["9", "99", "777"].filter((code) => terminal.raw.includes(`\u001b]${code};`))
      expect(calls).toHaveLength(1)
      expect(hiddenIn(withoutCodes(terminal.raw), /[\n\r]/)).toEqual([])
      terminal.kill()
    }
  })
})

/** What Sotto itself sends: colours, the cursor, modes, and the few strings for the terminal. None has the hostile number. */
function withoutCodes(raw: string): string {
  const ESC = "\u001b"
  const words = "[^\\p{Cc}\\p{Cf};]*"
  const strings = [
    "11;\\?",
    "52;c;[A-Za-z0-9+/=]*",
    `2;${words}`,
    "8;;(?:file:///[!-~]*)?",
    `9;${words}`,
    `777;notify;sotto;${words}`,
    `99;i=sotto:d=1:p=title;${words}`,
  ]
  return raw
    .replaceAll(new RegExp(`${ESC}\\](?:${strings.join("|")})${ESC}\\\\\u0007?`, "gu"), "")
    .replaceAll(new RegExp(`${ESC}\\[(?!31337)[<>?0-9;]*[A-Za-z]`, "g"), "")
}
