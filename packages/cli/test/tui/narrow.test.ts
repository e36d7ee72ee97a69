import { describe, expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const WORDS = "goes on about bees and honey and wax until the row is nearly as long as the window"
const COUNT = 60
const each = (line: (n: number) => string) => Array.from({ length: COUNT }, (_, i) => line(i + 1))

describe.concurrent("a window that changes its width while an answer streams in", () => {
  it.each([
    ["a list", each((n) => `- item${n}x ${WORDS}`).join("\n")],
    ["a list with numbers", each((n) => `${n}. item${n}x ${WORDS}`).join("\n")],
    ["a list with empty lines", each((n) => `* item${n}x ${WORDS}\n`).join("\n")],
    ["paragraphs", each((n) => `item${n}x ${WORDS}\n`).join("\n")],
    ["code", `\`\`\`text\n${each((n) => `item${n}x ${WORDS}`).join("\n")}\n\`\`\``],
  ])("prints every word of %s once", async (_, text) => {
    const server = await serverWith([{ text, tokenDelay: 2 }])
    const terminal = terminalWith(benchWith(), server, { columns: 100, rows: 24 })
    await terminal.see("say what to do")
    terminal.type(`Go.${KEYS.enter}`)
    for (const [item, columns] of [
      [14, 70],
      [24, 52],
      [34, 90],
      [44, 60],
    ] as const) {
      await terminal.see(new RegExp(`item${item}x`))
      terminal.resize(columns, 24)
    }
    await terminal.see("── 1 step")
    // How rows are broken does not matter, nor what stands at their beginnings.
    const printed = terminal.all().replace(/[\s▏]/g, "")
    const wanted = each((n) => `item${n}x${WORDS.replaceAll(" ", "")}`)
    expect(wanted.filter((words) => printed.split(words).length !== 2)).toEqual([])
  })
})
