import { validate } from "@sotto/core/gemini"
import { keyOf } from "../../reply/key.js"
import type { Dialect } from "../dialect.js"
import { error, errorFrame } from "./error.js"
import { read } from "./read.js"
import { frames, response } from "./reply.js"

/** Gemini's generateContent and streamGenerateContent. */
export const gemini: Dialect = {
  name: "gemini",
  validate,
  read,
  sign: (body) => Buffer.from(`rehearsal-${keyOf(body)}`).toString("base64"),
  headers: () => ({}),
  callId: (key, index) => `${key}${index}`,
  response,
  frames,
  error,
  errorFrame,
  refusesSystem: "Please use a valid role: user, model.",
  models: (ids) => ({
    models: ids.map((id) => ({
      name: `models/${id}`,
      displayName: id,
      supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
    })),
  }),
}
