import type { SlashCommand } from "./command.js"

export const clear: SlashCommand = {
  name: "clear",
  help: "begin a new session; this one stays stored",
  run: (around) => around.openSession(),
}
