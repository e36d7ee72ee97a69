import { anthropic } from "./anthropic/index.js"
import type { HttpDialectName, ProviderApi } from "./dialect.js"
import { gemini } from "./gemini/index.js"
import { openai } from "./openai/index.js"
import { openaiChat } from "./openai-chat/index.js"

export const dialects: Readonly<Record<HttpDialectName, ProviderApi>> = {
  anthropic,
  openai,
  "openai-chat": openaiChat,
  gemini,
}
