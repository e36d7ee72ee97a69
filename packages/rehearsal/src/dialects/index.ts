import { anthropic } from "./anthropic/index.js"
import type { Dialect, DialectName } from "./dialect.js"
import { gemini } from "./gemini/index.js"
import { openai } from "./openai/index.js"
import { openaiChat } from "./openai-chat/index.js"

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  anthropic,
  openai,
  "openai-chat": openaiChat,
  gemini,
}
