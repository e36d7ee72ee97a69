import type { SlashCommand } from "./command.js"

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
