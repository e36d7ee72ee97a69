/**
 * Transcripts of other harnesses and of the providers' own formats, as messages for `session.importMessages`. Nothing
 * here throws on an odd item: it is left out, and `skipped` says so. See docs/adopting.md.
 */
export { fromAnthropic } from "./anthropic.js"
export { fromClaudeCode } from "./claude-code.js"
export { fromGemini } from "./gemini.js"
export { fromOpenAI } from "./openai.js"
export type { Imported, Skipped } from "./transcript.js"
export { fromUIMessages } from "./ui-messages.js"
