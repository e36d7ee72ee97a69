/** The Chat Completions API, OpenAI's own and what is compatible with it. */

export { withoutBreakpoints } from "../openai/write.js"
export { refusedCarrier, refusesBreakpoints } from "../refusal.js"
export type { Body } from "./body.js"
export { decode, decoder } from "./decode.js"
export { encode, encodeBytes, encodeShared } from "./encode.js"
export { validate } from "./validate.js"

/** The name of this dialect, as `Dialect` asks for one. */
export const name = "openai-chat"
