import { expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const MARKDOWN = [
  "# A heading",
  "",
  "Some **bold** words, `code`, and a list:",
  "",
  "- one",
  "- two",
  "",
  "```ts",
  "const answer = 42 // why",
  "```",
  "",
  "| name | value |",
  "| --- | --- |",
  "| a | 1 |",
  "",
  "The end.",
].join("\n")

it.concurrent("shows a streamed answer as Markdown, code in colours", async () => {
  const server = await serverWith([{ text: MARKDOWN, tokenDelay: 2 }])
  const terminal = terminalWith(benchWith(), server)
  await terminal.see("say what to do")
  terminal.type(`Write.${KEYS.enter}`)
  const screen = await terminal.see((text) => text.includes("The end.") && text.includes("── 1 step"))
  expect(screen).toContain("▌ Write.")
  expect(screen).not.toMatch(/# A heading|\*\*bold\*\*|```|\| --- /)
  expect(screen).toContain("• one")
  expect(screen).toMatch(/name +│ value/)
  expect(terminal.styleOf("bold words").bold).toBe(true)
  expect(terminal.styleOf("A heading").bold).toBe(true)
  expect(terminal.styleOf("const answer").colour).toBe(5)
  expect(terminal.styleOf("42 //").colour).toBe(3)
  expect(terminal.styleOf("// why").dim).toBe(true)
})
