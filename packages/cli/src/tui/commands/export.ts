import { writeFileSync } from "node:fs"
import { resolve } from "node:path"
import type { SlashCommand } from "../context.js"
import { codeBlocks } from "../markdown/blocks.js"
import { restoredScreen } from "../state/restore.js"
import type { ScreenItem } from "../state/screen.js"

export const exportSession: SlashCommand = {
  name: "export",
  argument: "[FILE]",
  help: "write the session to a file: Markdown if it ends in .md, else the log, one entry a line",
  run: async ({ talk, workplace, say }, argument) => {
    const { session } = talk()
    const name = argument === "" ? `sotto-${session.id.slice(0, 8)}.md` : argument
    const path = resolve(workplace.cwd, name)
    const text = name.endsWith(".md")
      ? markdownOf(restoredScreen(session).items)
      : `${(await workplace.store().exportJsonl(session.id)).join("\n")}\n`
    // A name that the user typed in passing must not overwrite a file that exists.
    writeFileSync(path, text, { flag: argument === "" ? "w" : "wx" })
    say(`written to ${path}`)
  },
}

function markdownOf(items: readonly ScreenItem[]): string {
  const parts = items.map((item) => {
    if (item.is === "user") return `## ${item.text.replaceAll("\n", "\n## ")}`
    if (item.is === "text") return item.text.trimEnd()
    if (item.is !== "call") return ""
    const { name, input, output } = item.call
    const fence = "`".repeat(Math.max(3, ...[...output.matchAll(/`+/g)].map(([run]) => run.length + 1)))
    return `${fence}\n${name} ${JSON.stringify(input)}\n\n${output}\n${fence}`
  })
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`
}

export const copy: SlashCommand = {
  name: "copy",
  argument: "[code]",
  help: "put the last answer into the clipboard, or its last code block",
  offers: () => [{ text: "code", detail: "the last code block alone, as it was written" }],
  run: ({ ui, copy: put, hint }, argument) => {
    if (argument !== "" && argument !== "code") {
      hint(`/copy takes nothing or "code", not "${argument}".`)
      return
    }
    const answer = lastAnswer(ui().screen.items)
    if (answer === "") {
      hint("There is no answer to copy yet.")
      return
    }
    if (argument === "") {
      hint(put(answer))
      return
    }
    const last = codeBlocks(answer).at(-1)
    hint(last === undefined ? "There is no code in the last answer." : put(last.code))
  },
}

function lastAnswer(items: readonly ScreenItem[]): string {
  const end = items.findLastIndex(({ is }) => is === "text")
  const begin = items.findLastIndex((item, i) => i <= end && item.is === "text" && item.first)
  return items
    .slice(Math.max(0, begin), end + 1)
    .flatMap((item) => (item.is === "text" ? [item.text] : []))
    .join("")
    .trim()
}
