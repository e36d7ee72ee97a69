import { THINK_LEVELS, type ThinkLevel, takesLevels } from "@sotto/harness"
import type { SlashCommand } from "./command.js"

const BY_SETTINGS = "default"

const ABOUT: Readonly<Record<ThinkLevel, string>> = {
  off: "answers at once; a model that cannot stop thinks as little as it can",
  low: "a little",
  medium: "as much as most work needs",
  high: "long, for what is hard",
  max: "as long as it can",
}

const LEVELS: readonly { readonly name: string; readonly about: string }[] = [
  ...THINK_LEVELS.map((name) => ({ name, about: ABOUT[name] })),
  { name: BY_SETTINGS, about: "as the agent, the model's settings or the provider say" },
]

export const think: SlashCommand = {
  name: "think",
  argument: "[LEVEL]",
  help: "how much this model thinks: off, low, medium, high, max",
  offers: () => LEVELS.map(({ name, about }) => ({ text: name, detail: about })),
  run: async ({ talk, pick, hint, setThinking }, argument) => {
    const { model, think: now } = talk().model()
    if (!takesLevels(model)) {
      hint(`${model} takes no thinking level.`)
      return
    }
    const items = LEVELS.map(({ name, about }) => ({
      value: name,
      label: name,
      detail: name === now ? `${about} (now)` : about,
    }))
    const name = argument === "" ? await pick(`How much ${model} thinks`, items) : argument
    if (name === undefined) return
    const level = THINK_LEVELS.find((one) => one === name)
    if (level === undefined && name !== BY_SETTINGS)
      hint(`There is no thinking level "${name}". Use ${LEVELS.map((one) => one.name).join(", ")}.`)
    else setThinking(level)
  },
}
