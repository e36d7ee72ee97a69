import type { SlashCommand } from "./command.js"

export const transcript: SlashCommand = {
  name: "transcript",
  help: "every answer, thought, call, diff and aside: open it, search, copy; Ctrl+T does the same",
  run: ({ open }) => open("transcript"),
}
