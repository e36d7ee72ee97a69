import type { SlashCommand } from "./command.js"

export const tasks: SlashCommand = {
  name: "tasks",
  help: "what works in the background: its output, and a way to stop it",
  run: ({ open }) => open("tasks"),
}
