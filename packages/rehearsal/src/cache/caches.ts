import { capabilitiesOf } from "@sotto/core"
import { type CacheOptions, type CacheUse, cacheModel } from "@sotto/core/cache"
import type { HttpDialectName } from "../dialects/dialect.js"

/** Keeps the prompt caches of one server: one for each API and model, as a provider has them. */
export function promptCaches(): (dialect: HttpDialectName, model: string, body: unknown) => CacheUse {
  const caches = new Map<string, ReturnType<typeof cacheModel>>()
  return (dialect, model, body) => {
    const name = `${dialect} ${model}`
    const cache = caches.get(name) ?? cacheModel(dialect, cacheRules(dialect, model))
    caches.set(name, cache)
    return cache.request(body)
  }
}

/** Gives what the providers publish for single models, where it differs from the rest of the API. */
export function cacheRules(dialect: HttpDialectName, model: string): CacheOptions {
  switch (dialect) {
    case "anthropic":
      if (/opus-4-[56]|haiku-4-5/.test(model)) return { minimum: 4_096 }
      return /sonnet-4-6|haiku/.test(model) ? { minimum: 2_048 } : {}
    case "openai":
    case "openai-chat":
      return { breakpointsOnly: capabilitiesOf(model).cacheBreakpoints === true }
    case "gemini":
      return /gemini-[3-9]/.test(model) ? { minimum: 4_096 } : {}
  }
}
