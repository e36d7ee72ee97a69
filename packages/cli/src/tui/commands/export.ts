import { writeFileSync } from "node:fs"
import { resolve } from "node:path"
import type { SlashCommand } from "../context.js"
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
      ? markdownOf(restoredScreen(session, () => undefined).items)
      : `${(await workplace.store().exportJsonl(session.id)).join("\n")}\n`
    // Somebody's file is not overwritten by a name that was chosen in passing.
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
