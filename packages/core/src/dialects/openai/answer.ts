import { field, numberField, stringField } from "../../vocabulary/fields.js"
import type { Usage } from "../../vocabulary/reply.js"
import { ProviderError } from "../dialect.js"

/** Tokens as either API counts them. Theirs count what the cache gave and took as input too; ours do not. */
export function usageOf(usage: unknown): Usage | undefined {
  if (usage === null || typeof usage !== "object") return undefined
  const details = field(usage, "input_tokens_details") ?? field(usage, "prompt_tokens_details")
  // DeepSeek has a field of its own.
  const cacheRead = numberField(details, "cached_tokens") || numberField(usage, "prompt_cache_hit_tokens")
  const cacheWrite = numberField(details, "cache_write_tokens")
  const all = numberField(usage, "input_tokens") || numberField(usage, "prompt_tokens")
  return {
    input: Math.max(0, all - cacheRead - cacheWrite),
    output: numberField(usage, "output_tokens") || numberField(usage, "completion_tokens"),
    cacheRead,
    cacheWrite,
  }
}

const RETRYABLE = /rate.?limit|server.?error|overload|timeout|unavailable|too.?many|slow.?down/i

/** Reads an error as OpenAI, a compatible server or a gateway words it. */
export function providerError(error: unknown): ProviderError {
  const code = field(error, "code")
  const type = stringField(error, "type")
  const named = typeof code === "string" ? code : type === "error" ? undefined : type
  // Without a name it is the server that failed: what is wrong with a request has one.
  const kind = named ?? (typeof code === "number" ? String(code) : "server_error")
  const message = typeof error === "string" ? error : (stringField(error, "message") ?? kind)
  return new ProviderError(message, kind, RETRYABLE.test(`${kind} ${type}`) || isRetryableStatus(code))
}

function isRetryableStatus(code: unknown): boolean {
  const status = Number(code ?? Number.NaN)
  return status === 408 || status === 429 || status >= 500
}
