/**
 * Transcripts in the providers' own formats and the AI SDK's, as messages for `session.importMessages`. Nothing here
 * throws on an odd item: it is left out, and `skipped` says so. See docs/adopting.md.
 */
export { fromAnthropic } from "./anthropic.js"
export { fromGemini } from "./gemini.js"
export { fromOpenAI } from "./openai.js"
export type { Imported, ImportOptions, Skipped } from "./transcript.js"
export { fromUIMessages } from "./ui-messages.js"
