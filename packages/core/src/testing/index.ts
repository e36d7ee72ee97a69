/** For any harness's tests: is my traffic append-only, would it be accepted, what would it cost? */

export { signThinking } from "../wire/anthropic/signature.js"
export { validate as validateAnthropic } from "../wire/anthropic/validate.js"
export { Fingerprint } from "../wire/fingerprint.js"
export { validate as validateGemini } from "../wire/gemini/validate.js"
export { validate as validateOpenAI } from "../wire/openai/validate.js"
export { validate as validateOpenAIChat } from "../wire/openai-chat/validate.js"
export { expectAppendOnly, NotAppendOnly } from "./append-only.js"
export {
  type CachedBlock,
  type CachedDialect,
  type CacheModel,
  type CacheOptions,
  type CacheUse,
  cacheModel,
  type Salts,
} from "./cache.js"
