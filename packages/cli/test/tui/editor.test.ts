import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const CTRL_G = "\u0007"
const CTRL_S = "\u0013"
const ANSWERS = [{ text: "One." }, { text: "Two." }, { text: "Three." }]

/** An editor that shows what it was given, waits for a line, and writes that below. */
const EDITOR = `#!/bin/sh
echo "EDITOR HAS: $(cat "$2") [$1] [$ANTHROPIC_API_KEY]"
ls -l "$2" | cut -c1-10
read line
printf '%s\\n' "$line" >> "$2"
`

describe.concurrent("the external editor", () => {
  it("gets what is written with Ctrl+G, and gives it back to be sent", async () => {
    const server = await serverWith(ANSWERS)
    const bench = benchWith()
    const editor = bench.path("edit.sh")
    writeFileSync(editor, EDITOR, { mode: 0o755 })
    const terminal = terminalWith(bench, server, { env: { VISUAL: `${editor} --wait`, EDITOR: "false" } })
    await terminal.see("say what to do")
    terminal.type(`First line.${KEYS.ctrlJ}${CTRL_G}`)
    const away = await terminal.see("EDITOR HAS: First line.")
    expect(away).toContain("[--wait] []")
    await terminal.see("-rw-------")
    expect(away).not.toContain("say what to do")
    // For the editor, and no key of Sotto's.
    terminal.type(`Second line.${KEYS.enter}`)
    await terminal.see(/▌ First line\.\n▌ Second line\./)
    terminal.type(KEYS.enter)
    await terminal.see("One.")
    expect(JSON.stringify(server.requests[0]?.body)).toContain("First line.\\nSecond line.")
    expect(readdirSync(join(bench.home, "drafts"))).toEqual([])
  })

  it("that fails or is missing leaves the text as it was, and says what to do", async () => {
    const server = await serverWith(ANSWERS)
    for (const [editor, why] of [
      ["false", 'The editor "false" ended with 1. Your text is as it was.'],
      ["no-such-editor", 'There is no editor "no-such-editor". Set VISUAL or EDITOR'],
    ] as const) {
      const terminal = terminalWith(benchWith(), server, { env: { EDITOR: editor }, columns: 110 })
      await terminal.see("say what to do")
      terminal.type(`Kept.${CTRL_G}`)
      const screen = await terminal.see(why)
      expect(screen).toContain("▌ Kept.")
    }
  })

  it("is open while the agent works on, and the screen is whole afterwards", async () => {
    const slow = { text: "Word after word comes in here. ".repeat(12), tokenDelay: 10 }
    const server = await serverWith([slow])
    const bench = benchWith()
    const gate = bench.gate()
    const terminal = terminalWith(bench, server, { env: { EDITOR: "cat gate; cat" }, rows: 30 })
    await terminal.see("say what to do")
    terminal.type(`Write.${KEYS.enter}`)
    await terminal.see("Word after word")
    terminal.type(CTRL_G)
    // The frame is taken away: the terminal is the editor's.
    await terminal.see((screen) => !screen.includes("Esc interrupts"))
    await gate.open()
    await terminal.see("── 1 step")
    const whole = await terminal.see("say what to do")
    expect(whole.match(/▌ Write\./g)).toHaveLength(1)
  })
})

describe.concurrent("the history", () => {
  it("is searched with Ctrl+S, newest first, and what is chosen comes into the input unsent", async () => {
    const server = await serverWith(ANSWERS)
    const bench = benchWith()
    const terminal = terminalWith(bench, server)
    await terminal.see("say what to do")
    terminal.type(CTRL_S)
    await terminal.see("Nothing was said in this project yet.")
    for (const [said, answer] of [
      ["Fix the parser.", "One."],
      ["Explain the lexer.", "Two."],
      ["Fix the lexer.", "Three."],
    ]) {
      terminal.type(`${said}${KEYS.enter}`)
      await terminal.see(`${answer}`)
      await terminal.see("say what to do")
    }
    terminal.type(`half a thought${CTRL_S}`)
    const all = await terminal.see("Search what you said:")
    expect(all).toMatch(/❯ Fix the lexer\.[\s\S]*Explain the lexer\.[\s\S]*Fix the parser\./)
    terminal.type("fix p")
    await terminal.see((screen) => /❯ Fix the parser\./.test(screen) && !screen.includes("┃   Explain"))
    terminal.type(KEYS.escape)
    const kept = await terminal.see((screen) => !screen.includes("Search what you said:"))
    expect(kept).toContain("▌ half a thought")
    terminal.type(`${CTRL_S}explain${KEYS.enter}`)
    await terminal.see((screen) => /▌ Explain the lexer\.\s*\n/.test(screen.split("Three.").at(-1) ?? ""))
    expect(server.requests).toHaveLength(3)
  })
})
