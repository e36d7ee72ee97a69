import { selectableAgents } from "@sotto/harness"
import type { SlashCommand } from "./command.js"

export const agent: SlashCommand = {
  name: "agent",
  argument: "[NAME]",
  help: "who answers; Tab cycles",
  offers: ({ agents }) =>
    selectableAgents(agents).map(({ name, description = "" }) => ({ text: name, detail: description })),
  run: async (around, argument) => {
    const items = selectableAgents(around.agents).map(({ name, description = "" }) => ({
      value: name,
      label: name,
      detail: description,
    }))
    const name = argument === "" ? await around.pick("Agent", items) : argument
    if (name !== undefined) around.switchAgent(name)
  },
}
