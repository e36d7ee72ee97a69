/** Gemini's generateContent, over REST. */

export { refusedCarrier } from "../refusal.js"
export type { Body } from "./body.js"
export { decode, decoder } from "./decode.js"
export { encode, encodeBytes, encodeShared, modelName } from "./encode.js"
export { canonical } from "./names.js"
export { validate, validateSent } from "./validate.js"

/** The name of this dialect, as `Dialect` asks for one. */
export const name = "gemini"
