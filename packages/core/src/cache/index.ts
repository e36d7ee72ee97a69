/** Models the prompt caches of the providers: what a request reads, writes and misses, in tokens. */

export { Fingerprint } from "../text/fingerprint.js"
export { agreesWith, type CacheChanges, type CacheKeyPart } from "../vocabulary/cache-agreement.js"
export {
  type CachedBlock,
  type CacheModel,
  type CacheOptions,
  type CacheUse,
  cacheModel,
  type Salts,
} from "./cache-model.js"
