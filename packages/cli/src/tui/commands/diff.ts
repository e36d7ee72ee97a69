import type { SlashCommand } from "./command.js"

export const diff: SlashCommand = {
  name: "diff",
  help: "every file that this session changed, with a way to undo each",
  run: ({ open }) => open("changes"),
}
