import { writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { bodiesOf, conversationOf } from "../support/bodies.js"
import { type Bench, benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

async function opened(bench: Bench, answers: readonly string[] = ["Heard."], options = {}) {
  const server = await serverWith(answers.map((text) => ({ text })))
  const terminal = terminalWith(bench, server, options)
  await terminal.see("say what to do")
  return { server, terminal }
}

/** A picture of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

describe.concurrent("what is written", () => {
  it("is completed after @ with files, folders and agents", async () => {
    const bench = benchWith({ "src/parser.ts": "", "src/printer.ts": "", "docs/plan.md": "" })
    const { server, terminal } = await opened(bench)
    terminal.type("Look at @pars")
    await terminal.see(/❯ src\/parser\.ts/)
    terminal.type(KEYS.tab)
    await terminal.see("▌ Look at @src/parser.ts")
    terminal.type("and @sr")
    await terminal.see(/❯ src\//)
    terminal.type(KEYS.tab)
    await terminal.see(/▌ Look at @src\/parser\.ts and @src\//)
    await terminal.see(/❯ src\/p/)
    terminal.type(KEYS.escape)
    await terminal.see((text) => !text.includes("❯"))
    terminal.type(` with @expl`)
    await terminal.see(/❯ explore +agent:/)
    terminal.type(`${KEYS.enter}.${KEYS.enter}`)
    await terminal.see("Heard.")
    expect(conversationOf(bodiesOf(server)[0])).toContain("Look at @src/parser.ts and @src/ with @explore .")
  })

  it("is completed after / with commands, which Enter carries out", async () => {
    const { terminal } = await opened(benchWith())
    terminal.type("/")
    const offered = await terminal.see(/❯ agent/)
    expect(offered).toContain("model")
    terminal.type("hel")
    await terminal.see(/❯ help/)
    terminal.type(KEYS.enter)
    const help = await terminal.seeAnywhere("/export [FILE]")
    for (const name of [
      "agent",
      "model",
      "compact",
      "asides",
      "rules",
      "resume",
      "clear",
      "style",
      "export",
      "help",
    ])
      expect(help).toContain(`/${name}`)
    terminal.type(`/nonsense${KEYS.enter}`)
    await terminal.see("There is no command /nonsense")
    expect(terminal.screen()).toContain("▌ /nonsense")
  })

  it("comes back from the history of the project, also in the next session", async () => {
    const bench = benchWith()
    const first = await opened(bench, ["One.", "Two."])
    first.terminal.type(`First words.${KEYS.enter}`)
    await first.terminal.see("One.")
    first.terminal.type(`Second words.${KEYS.enter}`)
    await first.terminal.see("Two.")
    first.terminal.type("unfinished")
    await first.terminal.see("▌ unfinished")
    first.terminal.type(KEYS.up)
    await first.terminal.see(/▌ Second words\.\n[^\n]*build/)
    first.terminal.type(KEYS.up)
    await first.terminal.see(/▌ First words\.\n[^\n]*build/)
    first.terminal.type(KEYS.down + KEYS.down)
    await first.terminal.see("▌ unfinished")
    first.terminal.type(KEYS.ctrlC + KEYS.ctrlC)
    await first.terminal.exited

    const second = await opened(bench)
    second.terminal.type(KEYS.up + KEYS.up)
    await second.terminal.see("▌ Second words.")
  })

  it("may have several lines, by Ctrl+J, Shift+Enter, or a backslash before Enter", async () => {
    const { server, terminal } = await opened(benchWith())
    terminal.type(`one${KEYS.ctrlJ}two${KEYS.shiftEnter}three\\${KEYS.enter}four`)
    await terminal.see("▌ one\n▌ two\n▌ three\n▌ four")
    terminal.type(KEYS.enter)
    await terminal.see("Heard.")
    expect(conversationOf(bodiesOf(server)[0])).toContain("one\\ntwo\\nthree\\nfour")
  })

  it("takes a long paste as a label and sends all of it", async () => {
    const { server, terminal } = await opened(benchWith())
    const lines = Array.from({ length: 40 }, (_, i) => `pasted line ${i + 1}`)
    terminal.type("See: ")
    terminal.paste(lines.join("\n"))
    await terminal.see("▌ See: [Pasted 40 lines]")
    terminal.paste("\nand a short\none")
    const screen = await terminal.see("▌ one")
    expect(screen).not.toContain("pasted line 1")
    expect(bodiesOf(server)).toHaveLength(0)
    terminal.type(KEYS.enter)
    await terminal.see("Heard.")
    expect(conversationOf(bodiesOf(server)[0])).toContain(`${lines.join("\\n")}\\nand a short\\none`)
  })

  it("takes the path of an image as the image", async () => {
    const bench = benchWith()
    writeFileSync(bench.path("a picture.png"), PNG)
    const { server, terminal } = await opened(bench)
    terminal.type("What is this? ")
    terminal.paste(`'${bench.path("a picture.png")}'`)
    await terminal.see("[Image 1: a picture.png]")
    terminal.type(KEYS.enter)
    await terminal.see("Heard.")
    expect(conversationOf(bodiesOf(server)[0])).toContain(PNG.toString("base64"))
  })

  it("is edited by characters as people see them, however wide", async () => {
    const { server, terminal } = await opened(benchWith())
    terminal.type("日本語 👋 e\u0301 ok")
    await terminal.see("▌ 日本語")
    expect(terminal.beforeCursor()).toBe("▌ 日本語 👋 e\u0301 ok")
    terminal.type(KEYS.left.repeat(3) + KEYS.backspace.repeat(4))
    await terminal.see("▌ 日本語 ok")
    expect(terminal.beforeCursor()).toBe("▌ 日本語")
    terminal.type(KEYS.enter)
    await terminal.see("Heard.")
    expect(conversationOf(bodiesOf(server)[0])).toContain("日本語 ok")
  })
})
