import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"
import { effortsOf, isOpenSchema, takesSampling } from "./family.js"

const words = (text: string) => new Set(text.split(" "))

/** The parameters that OpenAI publishes. The tests compare them with the official types. */
const RESPONSES = words(
  "access_programs background context_management conversation image include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user",
)

const CHAT = words(
  "messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options",
)

/** Codex sends this with every request. */
const UNPUBLISHED = ["client_metadata"]

/**
 * Checks for unknown parameters: OpenAI's schema is closed. Compatible servers and gateways take parameters of their
 * own.
 */
export function checkKnown(
  body: unknown,
  api: "responses" | "chat",
  model: string,
  problems: Problems,
): void {
  const known = api === "responses" ? RESPONSES : CHAT
  const isOpen = isOpenSchema(model)
  for (const name of Object.keys(body ?? {})) {
    if (known.has(name)) continue
    const message =
      api === "responses"
        ? `Unknown parameter: '${name}'.`
        : `Unrecognized request argument supplied: ${name}`
    if (isOpen || UNPUBLISHED.includes(name)) problems.note(name, message)
    else problems.add(name, message)
  }
}

/** Models that reason choose their words themselves. */
export function checkSampling(
  body: unknown,
  api: "responses" | "chat",
  model: string,
  problems: Problems,
): void {
  if (model === "" || isOpenSchema(model)) return
  const [path, given] =
    api === "chat"
      ? ["reasoning_effort", stringField(body, "reasoning_effort")]
      : ["reasoning.effort", stringField(field(body, "reasoning"), "effort")]
  checkEffort(given, path, model, problems)
  if (takesSampling(model, given)) return
  for (const name of ["temperature", "top_p"]) {
    const value = field(body, name)
    if (typeof value !== "number" || value === 1) continue
    problems.add(
      name,
      api === "chat" && name === "temperature"
        ? `Unsupported value: 'temperature' does not support ${value} with this model. Only the default (1) value is supported.`
        : `Unsupported parameter: '${name}' is not supported with this model.`,
    )
  }
}

/** Checks the effort. The efforts of a model change with every release, so only what cannot be right is an error. */
function checkEffort(given: string | undefined, path: string, model: string, problems: Problems): void {
  const efforts: readonly string[] = effortsOf(model)
  if (given === undefined || efforts.includes(given)) return
  const message =
    efforts.length === 0
      ? `Unsupported parameter: '${path}' is not supported with this model.`
      : `Unsupported value: '${given}' is not supported with the '${model}' model. Supported values are: ${efforts.map((one) => `'${one}'`).join(", ")}.`
  if (/^(gpt-[34]|o\d|gpt-5(?!\.))/.test(model)) problems.add(path, message)
  else problems.note(path, message)
}

/** Checks that a request for any JSON says so in words: else the model writes blanks without end. */
export function checkSaysJson(
  format: unknown,
  told: readonly unknown[],
  message: string,
  path: string,
  problems: Problems,
): void {
  if (stringField(format, "type") !== "json_object") return
  if (!/json/i.test(JSON.stringify(told))) problems.add(path, message)
}

export function asksForEncrypted(body: unknown): boolean {
  return listField(body, "include").includes("reasoning.encrypted_content")
}
