import type { Command } from "./command.js"

export const quit: Command = {
  name: "quit",
  help: "leave; the session stays stored",
  run: (around) => around.quit(),
}
