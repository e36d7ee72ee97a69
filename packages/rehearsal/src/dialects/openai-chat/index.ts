import { validate } from "@sotto/core/openai-chat"
import type { ProviderApi } from "../dialect.js"
import { counted, error, errorObject, headers, model, models } from "../openai/error.js"
import { read } from "./read.js"
import { frames, response } from "./reply.js"

/** OpenAI's Chat Completions, and the servers that speak them too. */
export const openaiChat: ProviderApi = {
  name: "openai-chat",
  validate,
  read,
  sign: () => "",
  headers,
  callId: (key, index) => `call_${key}${index}`,
  response,
  frames,
  error,
  errorFrame: (cause) => ({ data: { error: errorObject(cause) } }),
  tooLong: (tokens, window) => ({
    message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    param: "messages",
    code: "context_length_exceeded",
  }),
  refusesSystem: "System message must be at the beginning.",
  model,
  models,
  counted,
}
