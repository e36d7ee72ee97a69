import type { Problem } from "@sotto/core"
import { cacheModel } from "@sotto/core/cache"
import { field } from "@sotto/core/dialect"
import type { HttpDialectName, RequestAddress } from "../dialects/dialect.js"
import { dialects } from "../dialects/index.js"
import { isObject } from "../json.js"

/** Fields of a message that the endpoint which counts its tokens refuses. */
const NOT_COUNTED = ["max_tokens", "stream", "temperature", "top_p", "top_k", "stop_sequences", "metadata"]

/** Counts what a request would cost, and lists what is wrong with it. Counting asks for less than answering. */
export function count(
  body: unknown,
  name: HttpDialectName,
  address: RequestAddress,
): { readonly tokens: number; readonly problems: readonly Problem[] } {
  // Gemini may be asked about a whole request, or about its contents alone.
  const asked = name === "gemini" ? (field(body, "generateContentRequest") ?? body) : body
  const problems = dialects[name].validate(asked, address).filter(({ path }) => !isExcused(path, name))
  const refused = name === "anthropic" && isObject(asked) ? NOT_COUNTED.filter((field) => field in asked) : []
  return {
    tokens: cacheModel(name).request(asked).total,
    problems: [
      ...problems,
      ...refused.map((path) => ({
        path,
        message: `${path}: Extra inputs are not permitted`,
        severity: "error" as const,
      })),
    ],
  }
}

function isExcused(path: string, name: HttpDialectName): boolean {
  return (name === "anthropic" && path === "max_tokens") || (name === "openai" && path === "input")
}
