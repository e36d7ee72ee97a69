import { validateSent } from "@sotto/core/gemini"
import { keyOf } from "../../reply/key.js"
import type { ProviderApi } from "../dialect.js"
import { error, errorFrame } from "./error.js"
import { read } from "./read.js"
import { frames, response } from "./reply.js"

function model(id: string) {
  return {
    name: `models/${id}`,
    version: "rehearsal",
    displayName: id,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
  }
}

/** Gemini's generateContent and streamGenerateContent. */
export const gemini: ProviderApi = {
  name: "gemini",
  validate: (body, { model }) => validateSent(body, model === undefined ? {} : { model }),
  read,
  sign: (body) => Buffer.from(`rehearsal-${keyOf(body)}`).toString("base64"),
  headers: () => ({}),
  callId: (key, index) => `${key}${index}`,
  response,
  frames,
  error,
  errorFrame,
  tooLong: (tokens, window) => ({
    message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
  }),
  refusesSystem: "Please use a valid role: user, model.",
  model,
  counted: (totalTokens) => ({
    totalTokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }],
  }),
  models: (ids) => ({ models: ids.map(model) }),
}
