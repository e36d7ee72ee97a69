import type { SlashCommand } from "./command.js"

export const subagents: SlashCommand = {
  name: "subagents",
  help: "the subagents of this session, each with a transcript of its own, also while it works",
  run: ({ open }) => open("subagents"),
}
