import { describe, expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, openTerminal, terminalWith } from "./support/terminal.js"

const ANSWER = "A sentence that is long enough to be broken in a narrow window, with 漢字 and 👋 in it."

describe.concurrent("the screen", () => {
  it("follows the size of the window", async () => {
    const server = await serverWith([{ text: ANSWER }, { text: "Second answer." }])
    const terminal = terminalWith(benchWith(), server, { columns: 100, rows: 30 })
    await terminal.see("say what to do")
    terminal.type(`Hello there.${KEYS.enter}`)
    await terminal.see(ANSWER)
    terminal.type("a draft that stays")
    await terminal.see("▌ a draft that stays")
    terminal.resize(40, 14)
    const narrow = await terminal.see(
      (text) => /漢字 and\n👋 in it\./.test(text) && text.includes("▌ a draft that stays"),
    )
    expect(narrow.match(/▌ a draft that stays/g)).toHaveLength(1)
    expect(narrow.split("\n").filter((row) => row.startsWith("build"))).toHaveLength(1)
    expect(narrow.replaceAll("\n", " ")).toContain(ANSWER)
    terminal.resize(100, 30)
    const wide = await terminal.see((text) => text.includes(ANSWER) && text.includes("▌ a draft that stays"))
    expect(wide.match(/▌ a draft that stays/g)).toHaveLength(1)
    expect(wide.match(/▌ Hello there\./g)).toHaveLength(1)
    terminal.type(KEYS.enter)
    await terminal.see("Second answer.")
  })

  it("works in twenty columns and ten rows", async () => {
    const server = await serverWith([
      {
        text: ANSWER,
        calls: [{ name: "write", input: { path: "a-file-with-a-long-name.txt", content: "x\n" } }],
      },
      { text: "Done." },
    ])
    const terminal = terminalWith(benchWith(), server, { columns: 20, rows: 12 })
    await terminal.see("say what to do")
    terminal.type(`Hello there, how are you today?${KEYS.enter}`)
    await terminal.see("1 Allow once")
    await terminal.see(/↑↓/)
    const rows = terminal.screen().split("\n")
    expect(rows.length).toBeLessThanOrEqual(12)
    terminal.type("1")
    await terminal.see("Done.")
    const all = terminal.all().replaceAll("\n", " ")
    expect(all).toContain("▌ Hello there, how ▌ are you today?")
    expect(all).toContain("漢字 and 👋 in it.")
    terminal.type("a message that is longer than the window is wide")
    await terminal.see("window is wide")
    expect(terminal.beforeCursor()).toMatch(/wide$/)
  })

  it("uses no colour where NO_COLOR is set", async () => {
    const server = await serverWith([{ text: "Some **bold** `code`:\n\n```ts\nconst a = 1\n```" }])
    const terminal = terminalWith(benchWith(), server, { env: { NO_COLOR: "1" } })
    await terminal.see("say what to do")
    terminal.type(`Hello.${KEYS.enter}`)
    await terminal.see("const a = 1")
    await terminal.see("── 1 step")
    expect(terminal.styleOf("bold").bold).toBe(true)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are set by them
    expect(terminal.raw).not.toMatch(/\u001b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9\d|10\d)(?:;\d+)*m/)
  })

  it("is given back for Ctrl+Z, and taken again", async () => {
    const server = await serverWith([{ text: "Answer." }])
    const terminal = terminalWith(benchWith(), server)
    await terminal.see("say what to do")
    terminal.type("half a sen")
    await terminal.see("▌ half a sen")
    // Nobody waits for it here, so that it comes back by itself.
    terminal.type("\u001a")
    await terminal.see(() => terminal.raw.split("\u001b[?2004h").length === 3)
    expect(terminal.raw.indexOf("\u001b[?2004l")).toBeLessThan(terminal.raw.lastIndexOf("\u001b[?2004h"))
    terminal.type(`tence${KEYS.enter}`)
    const screen = await terminal.see("Answer.")
    expect(screen).toContain("▌ half a sentence")
  })

  it("is left clean, with the way to go on", async () => {
    const server = await serverWith([{ text: "Answer." }])
    const terminal = terminalWith(benchWith(), server)
    await terminal.see("say what to do")
    terminal.type(`Hello.${KEYS.enter}`)
    await terminal.see("Answer.")
    await terminal.see("── 1 step")
    terminal.type(KEYS.ctrlD)
    expect(await terminal.exited).toBe(0)
    const screen = terminal.screen()
    expect(screen).toMatch(/Answer\.\n── 1 step.*\nGo on with: sotto --session \S+$/)
    expect(screen).not.toContain("say what to do")
    expectRestored(terminal.raw)
  })

  it("is left clean when the program is ended from outside", async () => {
    const server = await serverWith([{ calls: [{ name: "bash", input: { command: "cat gate" } }] }])
    const bench = benchWith()
    bench.gate()
    const terminal = terminalWith(bench, server)
    await terminal.see("say what to do")
    terminal.type(`Hello.${KEYS.enter}`)
    await terminal.see("$ cat gate")
    terminal.signal("SIGTERM")
    expect(await terminal.exited).toBe(143)
    expect(terminal.screen()).toContain("Go on with: sotto --session")
    expect(terminal.screen()).not.toContain("Esc interrupts")
    expectRestored(terminal.raw)
  })

  it("is left clean when the program crashes", async () => {
    const server = await serverWith([{ text: "Answer." }])
    const bench = benchWith({ "crash.mjs": "process.on('SIGUSR2', () => { throw new Error('on purpose') })" })
    const terminal = terminalWith(bench, server, {
      env: { NODE_OPTIONS: `--import=${bench.path("crash.mjs")}` },
    })
    await terminal.see("say what to do")
    terminal.type("half a sentence")
    await terminal.see("▌ half a sentence")
    terminal.signal("SIGUSR2")
    expect(await terminal.exited).toBe(1)
    expect(terminal.screen()).toContain("sotto: on purpose")
    expect(terminal.screen()).toContain("Go on with: sotto --session")
    expect(terminal.screen()).not.toContain("half a sentence")
    expectRestored(terminal.raw)
  })

  it("never shows what would steer the terminal", async () => {
    const server = await serverWith([
      {
        text: "Look: \u001b[2Jgone\u0007 \u001b]0;title\u0007end.",
        calls: [{ name: "read", input: { path: "evil.txt" } }],
      },
      { text: "Done." },
    ])
    const terminal = terminalWith(benchWith({ "evil.txt": "\u001b[31mred\u001b[0m\u001b[H" }), server)
    await terminal.see("say what to do")
    terminal.type(`Hello.${KEYS.enter}`)
    await terminal.see("── 2 steps")
    terminal.type(KEYS.ctrlO)
    const screen = await terminal.see("calls are shown in full")
    expect(screen).toContain("Look: gone␇ ␛]0;title␇end.")
    expect(terminal.raw).not.toContain("\u001b]0;title")
    expect(terminal.raw).not.toContain("\u001b[2Jgone")
  })
})

describe.concurrent("without a key", () => {
  it("talks a line at a time with --plain, and in a terminal that cannot draw", async () => {
    for (const options of [{ args: ["--plain"] }, { env: { TERM: "dumb" } }]) {
      const terminal = openTerminal(benchWith(), options)
      await terminal.see("Type to talk")
      expect(terminal.raw).not.toContain("\u001b[?2004h")
      terminal.type(`/quit${KEYS.enter}`)
      expect(await terminal.exited).toBe(0)
    }
  })
})

/** The cursor in sight, pastes no longer marked, no page in front, nothing held back. */
function expectRestored(raw: string): void {
  expect(raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(raw.lastIndexOf("\u001b[?25l"))
  expect(raw.lastIndexOf("\u001b[?2004l")).toBeGreaterThan(raw.lastIndexOf("\u001b[?2004h"))
  expect(raw.lastIndexOf("\u001b[?2026l")).toBeGreaterThan(raw.lastIndexOf("\u001b[?2026h"))
  expect(raw.lastIndexOf("\u001b[?1049l")).toBeGreaterThanOrEqual(raw.lastIndexOf("\u001b[?1049h"))
}
