import type { SlashCommand } from "./command.js"

export const resume: SlashCommand = {
  name: "resume",
  argument: "[ID]",
  help: "go on with another session of this directory: search, look, choose",
  run: async (around, argument) => {
    if (argument === "") around.open("sessions")
    else await around.openSession(argument)
  },
}
