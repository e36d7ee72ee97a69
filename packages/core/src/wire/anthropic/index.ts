/** Anthropic's Messages API. */

export { refusedCarrier } from "../refusal.js"
export type { Body } from "./body.js"
export { decode, decoder } from "./decode.js"
export { betasOf, encode, encodeBytes } from "./encode.js"
export { validate, validateSent } from "./validate.js"
