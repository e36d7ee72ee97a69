import { capabilitiesOf } from "../../vocabulary/capabilities.js"
import { field, listField, numberField, stringField } from "../../vocabulary/fields.js"
import type { Sent } from "../dialect.js"
import type { Problems } from "../problems.js"
import { limitsOf } from "./limits.js"

const MANUAL =
  "Please consult our documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking"

/** Checks how much may be written and how words are chosen: the limits of the model, and what excludes what. */
export function checkSampling(body: unknown, model: string, problems: Problems): void {
  const limits = limitsOf(model)
  const asked = field(body, "max_tokens")
  if (limits.maxTokens !== undefined && typeof asked === "number" && asked > limits.maxTokens)
    problems.add(
      "max_tokens",
      `max_tokens: ${asked} > ${limits.maxTokens}, which is the maximum allowed number of output tokens for ${model}`,
    )
  checkStops(field(body, "stop_sequences"), problems)
  const [temperature, topP, topK] = ["temperature", "top_p", "top_k"].map((name) => given(field(body, name)))
  for (const [name, value] of [
    ["temperature", temperature],
    ["top_p", topP],
  ] as const)
    if (value !== undefined && !(typeof value === "number" && value >= 0 && value <= 1))
      problems.add(name, `${name}: range: 0..1`)
  if (topK !== undefined && !(Number.isInteger(topK) && Number(topK) >= 0))
    problems.add("top_k", "top_k: Input should be greater than or equal to 0")
  if (limits.noSampling) {
    const changed = { temperature: temperature ?? 1, top_p: topP ?? 1, top_k: topK ?? 1 }
    for (const [name, value] of Object.entries(changed))
      if (value !== 1 || (name === "top_k" && topK !== undefined))
        problems.add(name, `\`${name}\` is deprecated for this model.`)
    return
  }
  if (limits.oneSampling && temperature !== undefined && topP !== undefined)
    problems.add(
      "top_p",
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    )
  if (!thinks(body)) return
  if (temperature !== undefined && temperature !== 1)
    problems.add(
      "temperature",
      `\`temperature\` may only be set to 1 when thinking is enabled or in adaptive mode. ${MANUAL}`,
    )
  if (topK !== undefined)
    problems.add("top_k", `\`top_k\` must be unset when thinking is enabled or in adaptive mode. ${MANUAL}`)
  if (typeof topP === "number" && topP < 0.95)
    problems.add(
      "top_p",
      `\`top_p\` must be greater than or equal to 0.95 or unset when thinking is enabled or in adaptive mode. ${MANUAL}`,
    )
}

function checkStops(stops: unknown, problems: Problems): void {
  const path = "stop_sequences"
  if (given(stops) === undefined) return
  if (!Array.isArray(stops) || !stops.every((stop) => typeof stop === "string"))
    problems.add(path, `${path}: Input should be a valid list`)
  else if (stops.some((stop) => stop.trim() === ""))
    problems.add(path, `${path}: each stop sequence must contain non-whitespace`)
}

/** Without it, the API does not know the controls of what thinking is bound to. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01"

/** True also if the betas of the request are not known. */
function takesBinding({ betas }: Sent): boolean {
  return betas === undefined || betas.some((beta) => beta.startsWith("thinking-binding-controls"))
}

const KINDS = ["enabled", "disabled", "adaptive", "between_tools"]

/** Checks whether this model takes thinking as it is asked for, and with the tools as they are chosen. */
export function checkThinkingConfig(body: unknown, model: string, sent: Sent, problems: Problems): void {
  const thinking = given(field(body, "thinking"))
  if (thinking === undefined) return
  const type = stringField(thinking, "type")
  const { noBudget, adaptive } = limitsOf(model)
  const { tiedReasoning } = capabilitiesOf(model)
  if (type === undefined) problems.add("thinking.type", "thinking.type: Field required")
  else if (!KINDS.includes(type))
    problems.note("thinking.type", `thinking: Input tag '${type}' found using 'type' is not known`)
  if (tiedReasoning && type === "disabled")
    problems.add("thinking", "thinking: thinking cannot be disabled on this model")
  if (type === "adaptive" && !adaptive)
    problems.add("thinking", "adaptive thinking is not supported on this model")
  if (given(field(thinking, "block_binding")) !== undefined && !takesBinding(sent))
    problems.add(
      "thinking.block_binding",
      `thinking.block_binding: this field requires the header anthropic-beta: ${BINDING_BETA}`,
    )
  const choice = stringField(field(body, "tool_choice"), "type")
  // Models that always think refuse a forced call with or without this.
  if (thinks(body) && !tiedReasoning && (choice === "any" || choice === "tool"))
    problems.add("tool_choice", "Thinking may not be enabled when tool_choice forces tool use.")
  if (type !== "enabled") return
  if (noBudget)
    return void problems.add(
      "thinking.type",
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    )
  checkBudget(body, thinking, sent, problems)
}

function checkBudget(body: unknown, thinking: unknown, { betas = [] }: Sent, problems: Problems): void {
  const path = "thinking.budget_tokens"
  const budget = field(thinking, "budget_tokens")
  if (typeof budget !== "number")
    return void problems.add(path, "thinking.enabled.budget_tokens: Field required")
  if (budget < 1_024)
    problems.add(path, "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
  // Thinking between tool calls has the whole turn for its budget.
  const interleaved =
    betas.some((beta) => beta.startsWith("interleaved-thinking")) && listField(body, "tools").length > 0
  if (!interleaved && budget >= numberField(body, "max_tokens"))
    problems.add(path, `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. ${MANUAL}`)
}

function thinks(body: unknown): boolean {
  return ["enabled", "adaptive"].includes(stringField(field(body, "thinking"), "type") ?? "")
}

/** Treats null as a field that is not there. */
function given(value: unknown): unknown {
  return value ?? undefined
}
