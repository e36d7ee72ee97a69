import type { SlashCommand } from "./command.js"

export const quit: SlashCommand = {
  name: "quit",
  help: "leave; the session stays stored",
  run: (around) => around.quit(),
}
