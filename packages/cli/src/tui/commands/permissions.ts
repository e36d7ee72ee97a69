import type { Command } from "./command.js"

export const permissions: Command = {
  name: "permissions",
  help: "what you have allowed, where that is kept, and how to take it back",
  run: ({ open }) => open("permissions"),
}
