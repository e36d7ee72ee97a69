import type { SlashCommand } from "../context.js"
import { codeBlocks } from "../markdown/code-blocks.js"
import type { ScreenItem } from "../state/screen.js"

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

/** The words of the last answer, which may have been printed in several pieces. */
function lastAnswer(items: readonly ScreenItem[]): string {
  const end = items.findLastIndex(({ is }) => is === "text")
  const begin = items.findLastIndex((item, i) => i <= end && item.is === "text" && item.first)
  return items
    .slice(Math.max(0, begin), end + 1)
    .flatMap((item) => (item.is === "text" ? [item.text] : []))
    .join("")
    .trim()
}
