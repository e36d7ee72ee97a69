/** For any harness's tests: is my traffic append-only, would it be accepted, what would it cost? */

export {
  type CachedBlock,
  type CacheModel,
  type CacheOptions,
  type CacheUse,
  cacheModel,
  type Salts,
} from "../cache/cache-model.js"
export { signThinking } from "../dialects/anthropic/signature.js"
export { validate as validateAnthropic } from "../dialects/anthropic/validate.js"
export { validate as validateGemini } from "../dialects/gemini/validate.js"
export { validate as validateOpenAI } from "../dialects/openai/validate.js"
export { validate as validateOpenAIChat } from "../dialects/openai-chat/validate.js"
export { Fingerprint } from "../text/fingerprint.js"
export { expectAppendOnly, NotAppendOnly } from "./append-only.js"
