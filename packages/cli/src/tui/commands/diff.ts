import type { Command } from "./command.js"

export const diff: Command = {
  name: "diff",
  help: "every file that this session changed, with a way to undo each",
  run: ({ open }) => open("changes"),
}
