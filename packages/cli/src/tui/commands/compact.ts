import type { SlashCommand } from "./command.js"

export const compact: SlashCommand = {
  name: "compact",
  argument: "[FOCUS]",
  help: "replace the conversation so far by a summary of it",
  run: ({ talk, say }, argument) => {
    say("the conversation is being summarised")
    talk().conversation.compact(argument === "" ? undefined : argument)
  },
}
