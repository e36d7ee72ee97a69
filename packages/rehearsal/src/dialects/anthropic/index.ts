import { validate } from "@sotto/core/anthropic"
import { signThinking } from "@sotto/core/testing"
import type { Dialect } from "../dialect.js"
import { error, errorFrame, headers } from "./error.js"
import { read } from "./read.js"
import { frames, response } from "./reply.js"

/** Anthropic's Messages API. */
export const anthropic: Dialect = {
  name: "anthropic",
  validate,
  read,
  sign: signThinking,
  headers,
  callId: (key, index) => `toolu_${key}${index}`,
  response,
  frames,
  error,
  errorFrame,
  refusesSystem: "role 'system' is not supported on this model",
  models: (ids) => ({
    data: ids.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" })),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  }),
}
