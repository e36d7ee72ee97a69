import { selectableAgents } from "@sotto/harness"
import { switchAgent } from "../actions/modes.js"
import type { SlashCommand } from "../context.js"

export const agent: SlashCommand = {
  name: "agent",
  argument: "[NAME]",
  help: "who answers; Tab cycles",
  offers: ({ workplace }) =>
    selectableAgents(workplace.agents).map(({ name, description = "" }) => ({
      text: name,
      detail: description,
    })),
  run: async (terminal, argument) => {
    const items = selectableAgents(terminal.workplace.agents).map(({ name, description = "" }) => ({
      value: name,
      label: name,
      detail: description,
    }))
    const name = argument === "" ? await terminal.pick("Agent", items) : argument
    if (name !== undefined) switchAgent(terminal, name)
  },
}

export const style: SlashCommand = {
  name: "style",
  argument: "[NAME]",
  help: "how it writes",
  offers: ({ workplace }) =>
    workplace.styles.map(({ name, description }) => ({ text: name, detail: description })),
  run: async ({ talk, pick, say, workplace }, argument) => {
    const items = workplace.styles.map(({ name, description }) => ({
      value: name,
      label: name,
      detail: description,
    }))
    const name = argument === "" ? await pick("Style", items) : argument
    if (name === undefined) return
    talk().conversation.setStyle(name)
    say(`style: ${name}`)
  },
}
