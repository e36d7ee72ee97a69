import type { ModelSettings } from "../../vocabulary/model-settings.js"
import type { Request } from "../../vocabulary/request.js"
import { limitsOf } from "../anthropic/limits.js"
import { thinkingOf } from "../anthropic/output-settings.js"
import { tuningFor } from "../dialect.js"
import { thinkingConfigOf } from "../gemini/think-levels.js"
import { effortFor, isOpenAis, takesSampling } from "../openai/family.js"
import type { ProviderOptions, Settings } from "./body.js"

/** Gives the settings of a call: how words are chosen, and what only one provider understands. */
export function settingsOf(request: Request, given: Omit<ModelSettings, "options">): Settings {
  const { model } = request.pins
  const tuning = tuningFor(request, given)
  const own = optionsOf(tuning, model)
  const [provider = providerOf(model)] = Object.keys(own)
  const providerOptions = {
    ...own,
    ...(tuning.options &&
      provider !== undefined && {
        [provider]: { ...own[provider], ...(tuning.options as ProviderOptions[string]) },
      }),
  }
  return {
    ...samplingOf(tuning, model, providerOptions),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  }
}

/** Spells a level as the SDK's provider for this model does; gives nothing for providers that it has no word for. */
function optionsOf({ think }: ModelSettings, model: string): ProviderOptions {
  switch (think === undefined ? undefined : providerOf(model)) {
    case "anthropic": {
      const limits = limitsOf(model)
      // The SDK's provider adds a budget to what may be written, so that the model's own limit is the only one.
      const { thinking, effort } = thinkingOf(think, model, limits, limits.maxTokens ?? 64_000)
      if (thinking === undefined && effort === undefined) return {}
      const spelled =
        thinking?.type === "enabled" ? { type: "enabled", budgetTokens: thinking.budget_tokens } : thinking
      return { anthropic: { ...(spelled && { thinking: spelled }), ...(effort && { effort }) } }
    }
    case "openai": {
      const effort = effortFor(think, model)
      return effort === undefined ? {} : { openai: { reasoningEffort: effort } }
    }
    case "google": {
      const config = thinkingConfigOf(think, model)
      if (config === undefined) return {}
      const { thinkingLevel, thinkingBudget } = config
      const spelled = thinkingLevel
        ? { thinkingLevel: thinkingLevel.toLowerCase() }
        : { thinkingBudget: thinkingBudget ?? 0 }
      return { google: { thinkingConfig: spelled } }
    }
    default:
      return {}
  }
}

function samplingOf(
  { temperature, topP }: ModelSettings,
  model: string,
  { anthropic, openai }: ProviderOptions,
) {
  const effort = openai?.reasoningEffort
  const thinks = anthropic?.thinking !== undefined && !isDisabled(anthropic.thinking)
  const { noSampling, oneSampling } = limitsOf(model)
  if (noSampling || thinks || !takesSampling(model, typeof effort === "string" ? effort : undefined))
    return {}
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && !(oneSampling && temperature !== undefined) && { topP }),
  }
}

function isDisabled(thinking: ProviderOptions[string][string]): boolean {
  return JSON.stringify(thinking) === '{"type":"disabled"}'
}

function providerOf(model: string): "anthropic" | "openai" | "google" | undefined {
  if (/claude/i.test(model)) return "anthropic"
  if (/gemini/i.test(model)) return "google"
  return isOpenAis(model) ? "openai" : undefined
}
