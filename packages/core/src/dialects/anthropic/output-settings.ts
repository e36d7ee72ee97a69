import { capabilitiesOf } from "../../vocabulary/capabilities.js"
import { field, stringField } from "../../vocabulary/fields.js"
import type { ModelSettings, ThinkLevel } from "../../vocabulary/model-settings.js"
import type { Request } from "../../vocabulary/request.js"
import { type EncodeOptions, tuningFor } from "../dialect.js"
import type { OutputConfig, ThinkingConfig } from "./body.js"
import { limitsOf, type ModelLimits } from "./limits.js"
import { assistantParams } from "./replay.js"

const DEFAULT_MAX_TOKENS = 16_000
/** The least that the API takes for thinking, and what is left for the answer. */
const LEAST = 1_024

const BUDGETS: Readonly<Record<Exclude<ThinkLevel, "off">, number>> = {
  low: 4_096,
  medium: 10_240,
  high: 20_480,
  max: 32_768,
}

/** What the fields that ask for an answer of some kind say. */
export interface OutputSettings {
  readonly max_tokens: number
  readonly temperature?: number
  readonly top_p?: number
  readonly thinking?: ThinkingConfig
  readonly output_config?: OutputConfig
}

/** Decides how much may be written and thought, and how words are chosen: what this model takes of what is wanted. */
export function outputSettings(request: Request, options: EncodeOptions): OutputSettings {
  const { model } = request.pins
  const limits = limitsOf(model)
  const most = options.maxTokens ?? limits.maxTokens ?? 64_000
  const tuning = tuningFor(request, options)
  const forced = ["any", "tool"].includes(stringField(field(options.extra, "tool_choice"), "type") ?? "")
  const { thinking, effort } = forced ? {} : thinkingOf(tuning.think, model, limits, most)
  const lasting = thinking?.type === "enabled" && !opensWithThinking(request) ? undefined : thinking
  const room = lasting?.type === "enabled" ? lasting.budget_tokens + 2 * 4_096 : 0
  // The API takes none at all too, but not with a stream, nor with thinking.
  const fewest = lasting?.type === "enabled" ? lasting.budget_tokens + 1 : 1
  const usual = Math.min(most, Math.max(DEFAULT_MAX_TOKENS, room))
  return {
    max_tokens: options.maxTokens ?? (request.answer === false ? fewest : usual),
    ...samplingOf(tuning, limits, lasting !== undefined && lasting.type !== "disabled"),
    ...(lasting && { thinking: lasting }),
    ...(effort && { output_config: { effort } }),
  }
}

/** Gives a level as adaptive thinking with an effort, or as a budget, by the generation of the model. */
export function thinkingOf(
  level: ThinkLevel | undefined,
  model: string,
  limits: ModelLimits,
  most: number,
): { readonly thinking?: ThinkingConfig; readonly effort?: OutputConfig["effort"] } {
  if (level === undefined || !limits.thinks) return {}
  if (level === "off")
    return capabilitiesOf(model).tiedReasoning ? { effort: "low" } : { thinking: { type: "disabled" } }
  if (limits.takesEffort) return { thinking: { type: "adaptive" }, effort: level }
  const budget = Math.min(BUDGETS[level], most - LEAST)
  return budget < LEAST ? {} : { thinking: { type: "enabled", budget_tokens: budget } }
}

function samplingOf({ temperature, topP }: ModelSettings, limits: ModelLimits, thinks: boolean) {
  if (limits.noSampling) return {}
  const warm = temperature === undefined || thinks ? undefined : Math.min(temperature, 1)
  const excluded = (limits.oneSampling && warm !== undefined) || (thinks && topP !== undefined && topP < 0.95)
  return {
    ...(warm !== undefined && { temperature: warm }),
    ...(topP !== undefined && !excluded && { top_p: topP }),
  }
}

/**
 * True if the turn of the tool results began with thinking, as a budget requires. A turn may have begun without it,
 * because another model made the call or a rebase took the thinking away: it goes on without.
 */
function opensWithThinking({ messages }: Request): boolean {
  const all = messages.slice(0)
  const answers = (i: number) => {
    const message = all[i]
    return message?.role === "user" && message.content.some(({ type }) => type === "tool-result")
  }
  const last = all.findLastIndex(({ role }) => role === "user")
  if (!answers(last)) return true
  const opening = all.findLastIndex(({ role }, i) => role === "user" && !answers(i))
  const first = all.find((message, i) => i > opening && message.role === "assistant")
  const begins = first?.role === "assistant" ? first.content.flatMap(assistantParams)[0]?.type : undefined
  return begins === undefined || begins === "thinking" || begins === "redacted_thinking"
}
