import type { SlashCommand } from "./command.js"

export const permissions: SlashCommand = {
  name: "permissions",
  help: "what you have allowed, where that is kept, and how to take it back",
  run: ({ open }) => open("permissions"),
}
