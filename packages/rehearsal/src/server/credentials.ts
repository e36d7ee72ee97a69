import type { IncomingHttpHeaders } from "node:http"
import type { HttpDialectName } from "../dialects/dialect.js"
import type { PlainError } from "../reply/failure.js"

/** What a provider answers to a request without one of these keys; undefined where it takes the key. */
export function refusedKey(
  dialect: HttpDialectName,
  headers: IncomingHttpHeaders,
  url: URL,
  keys: readonly string[] | undefined,
): Pick<PlainError, "status" | "message"> | undefined {
  if (keys === undefined) return undefined
  const bearer = headers.authorization?.replace(/^bearer\s+/i, "")
  const given = [headers["x-api-key"], headers["x-goog-api-key"], bearer, url.searchParams.get("key")]
  if (given.some((key) => typeof key === "string" && keys.includes(key))) return undefined
  switch (dialect) {
    case "anthropic":
      return { status: 401, message: "invalid x-api-key" }
    case "gemini":
      return { status: 400, message: "API key not valid. Please pass a valid API key." }
    default:
      return { status: 401, message: "Incorrect API key provided." }
  }
}
