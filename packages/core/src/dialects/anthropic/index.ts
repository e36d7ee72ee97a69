/** Anthropic's Messages API. */

export { refusedCarrier } from "../refusal.js"
export type { Body } from "./body.js"
export { decode, decoder } from "./decode.js"
export { betasOf, encode, encodeBytes, encodeShared } from "./encode.js"
export { BINDING_BETA } from "./output-limits.js"
export { validate, validateSent } from "./validate.js"

/** The name of this dialect, as `Dialect` asks for one. */
export const name = "anthropic"
