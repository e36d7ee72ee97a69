import { validate } from "@sotto/core/openai"
import { keyOf } from "../../reply/key.js"
import type { ProviderApi } from "../dialect.js"
import { counted, error, errorObject, headers, model, models } from "./error.js"
import { read } from "./read.js"
import { response } from "./reply.js"
import { frames } from "./stream.js"

/** OpenAI's Responses API. */
export const openai: ProviderApi = {
  name: "openai",
  validate,
  read,
  sign: (body) => `rehearsal-${keyOf(body)}`,
  headers,
  callId: (key, index) => `call_${key}${index}`,
  response,
  frames,
  error,
  errorFrame: (cause, sequence_number) => {
    const { message, code, param } = errorObject(cause)
    return { event: "error", data: { type: "error", sequence_number, code, message, param } }
  },
  tooLong: () => ({
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    param: "input",
    code: "context_length_exceeded",
  }),
  refusesSystem: "Invalid value: 'developer'. The role 'developer' is not supported on this model.",
  model,
  models,
  counted,
}
