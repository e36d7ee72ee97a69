import type { Completion } from "../input/completion.js"
import type { Around, Command } from "./command.js"

export const model: Command = {
  name: "model",
  argument: "[PROVIDER/MODEL]",
  help: "which model answers",
  offers: modelsOf,
  run: async (around, argument) => {
    const items = modelsOf(around).map(({ text }) => ({ value: text, label: text }))
    const name = argument === "" ? await around.pick("Model", items) : argument
    if (name !== undefined) around.switchModel(name)
  },
}

/** Those of the configuration and of this directory's sessions: nobody else can say what a key is good for. */
function modelsOf({ workplace, talk }: Around): readonly Completion[] {
  const used = workplace
    .store()
    .list()
    .map((session) => session.model)
  const names = [talk().model().model, ...Object.keys(workplace.config.models), ...used]
  return [...new Set(names)].filter((name) => name !== "").map((text) => ({ text }))
}
