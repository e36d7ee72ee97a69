import { validateSent } from "@sotto/core/anthropic"
import { signThinking } from "@sotto/core/testing"
import type { ProviderApi } from "../dialect.js"
import { error, errorFrame, headers } from "./error.js"
import { read } from "./read.js"
import { frames, response } from "./reply.js"
import { foreignSignatures } from "./signatures.js"

function model(id: string) {
  return { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" }
}

/** Anthropic's Messages API. */
export const anthropic: ProviderApi = {
  name: "anthropic",
  validate: (body, { betas = [] }) => [...validateSent(body, { betas }), ...foreignSignatures(body)],
  read,
  sign: signThinking,
  headers,
  callId: (key, index) => `toolu_${key}${index}`,
  response,
  frames,
  error,
  errorFrame,
  tooLong: (tokens, window) => ({ message: `prompt is too long: ${tokens} tokens > ${window} maximum` }),
  refusesSystem: "role 'system' is not supported on this model",
  model,
  counted: (input_tokens) => ({ input_tokens }),
  models: (ids) => ({
    data: ids.map(model),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  }),
}
