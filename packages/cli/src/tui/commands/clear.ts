import type { Command } from "./command.js"

export const clear: Command = {
  name: "clear",
  help: "begin a new session; this one stays stored",
  run: (around) => around.openSession(),
}
