import { THINK_LEVELS, type ThinkLevel } from "@sotto/core"
import { takesLevels } from "@sotto/core/models"
import {
  type Awaitable,
  type Offered,
  offeredModels,
  providerOf,
  selectableAgents,
  whenThere,
} from "@sotto/harness"
import { settingsFiles, writeTheme } from "../../settings/write.js"
import { setThinking, switchAgent, switchModel } from "../actions/modes.js"
import type { SlashCommand, TerminalContext } from "../context.js"
import { themesIn } from "../settings/themes.js"
import { short } from "../state/tally.js"

export const agent: SlashCommand = {
  name: "agent",
  aliases: ["agents", "mode"],
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

export const theme: SlashCommand = {
  name: "theme",
  aliases: ["themes", "color"],
  argument: "[NAME]",
  help: "the colours of the terminal; kept in your own sotto.json",
  offers: ({ workplace }) =>
    themesIn(workplace.env).map(({ name, about }) => ({ text: name, detail: about })),
  run: async ({ workplace, pick, setTheme, say }, argument) => {
    const { cwd, env, config } = workplace
    const items = themesIn(env).map(({ name, about }) => ({ value: name, label: name, detail: about }))
    const name = argument === "" ? await pick("Theme", items) : argument
    if (name === undefined || !setTheme(name)) return
    const { user } = settingsFiles(cwd, env, config.files)
    writeTheme(user, name)
    say(`theme: ${name}, kept in ${user}`)
  },
}

const TITLE = "Model, prices for a million tokens:"

export const model: SlashCommand = {
  name: "model",
  aliases: ["models"],
  argument: "[PROVIDER/MODEL]",
  help: "which model answers; the list shows windows, prices, and what each can do",
  offers: (terminal) => {
    const used = usedModels(terminal)
    // A list that has to be waited for is left out here: offers are shown at once. A store that fails says so elsewhere.
    if (used instanceof Promise) used.catch(() => {})
    const models = modelsOf(terminal, used instanceof Promise ? [] : used)
    return models.map((one) => ({ text: one.name, detail: about(one) }))
  },
  run: async (terminal, argument) => {
    const items = modelsOf(terminal, await usedModels(terminal)).map((one) => ({
      value: one.name,
      label: one.name,
      detail: about(one),
    }))
    const name = argument === "" ? await terminal.pick(TITLE, items, "in order") : argument
    if (name !== undefined) switchModel(terminal, name)
  },
}

/** Lists the models of stored sessions. One that never answered may not exist. */
function usedModels({ workplace }: TerminalContext): Awaitable<readonly string[]> {
  return whenThere(workplace.store().list(), (sessions) =>
    sessions.filter(({ messages }) => messages > 1).map(({ model }) => model),
  )
}

/**
 * Lists the one in use, those of the configuration and of stored sessions, and those that Sotto knows. Leaves out what the
 * provider said it does not have.
 */
function modelsOf({ workplace, talk }: TerminalContext, used: readonly string[]): readonly Offered[] {
  const models = offeredModels(workplace.config, workplace.env, [talk().model().model, ...used])
  return models.filter(({ name }) => !workplace.models.isMissing(name))
}

function about(offered: Offered): string {
  const { name, contextWindow, price, thinks, images, documents, isReachable, isKnown } = offered
  const can = [thinks && "thinks", images && "images", documents && "PDFs"].filter((one) => one !== false)
  if (!isKnown && isReachable) return "not in Sotto's list: what it takes and costs is not known"
  return [
    ...(isReachable ? [] : [`no key: sotto login ${providerOf(name) ?? ""}`.trim()]),
    short(contextWindow),
    price === undefined ? "price unknown" : `$${price.input} in, $${price.output} out`,
    ...(can.length > 0 ? [can.join(", ")] : []),
  ].join(" · ")
}

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
  aliases: ["effort", "thinking", "reasoning"],
  argument: "[LEVEL]",
  help: "how much this model thinks: off, low, medium, high, max",
  offers: () => LEVELS.map(({ name, about }) => ({ text: name, detail: about })),
  run: async (terminal, argument) => {
    const { talk, pick, hint } = terminal
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
    else setThinking(terminal, level)
  },
}
