/** The Vercel AI SDK, version 6: its messages, its results, and its loop. */
export { refusedCarrier } from "../refusal.js"
export type { Body } from "./body.js"
export { decode } from "./decode.js"
export { type EncodeOptions, encode } from "./encode.js"
export { type PreparedStep, prepareStep, type StepAdapter, type StepOptions } from "./prepare-step.js"
export { validate } from "./validate.js"

/** The name of this dialect, as `Dialect` asks for one. */
export const name = "ai-sdk"
