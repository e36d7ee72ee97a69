import type { IncomingHttpHeaders } from "node:http"
import type { Problem } from "@sotto/core"
import type { CacheUse } from "@sotto/core/cache"
import type { HttpDialectName } from "../dialects/dialect.js"
import type { PlainError } from "../reply/failure.js"
import type { BilledTokens, ScriptedReply } from "../reply/reply.js"

/** A request that the server saw, and what it did with it. */
export interface RequestSeen {
  readonly dialect: HttpDialectName
  readonly method: string
  /** With its query; keys are redacted. */
  readonly path: string
  /** Keys are redacted. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** What the API refuses about the body, and what is not known. */
  readonly problems: readonly Problem[]
  readonly status: number
  /** What was answered; with `cut`, what would have been. */
  readonly reply?: ScriptedReply
  readonly cache?: CacheUse
  readonly cut?: "before" | "middle"
  readonly error?: PlainError
  /** True if the script or the client asked for the error: the request itself was fine. */
  readonly rehearsed?: true
}

/** A request that is paid for: one whose answer has begun. */
export interface BilledRequest {
  readonly dialect: HttpDialectName
  readonly model: string
  /** What the server had told of the tokens when the answer ended. Absent if it broke off before. */
  readonly tokens?: BilledTokens
}

const SECRET = /^(authorization|x-api-key|x-goog-api-key|api-key|cookie|proxy-authorization)$/

export function redactedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? "[redacted]" : String(value)]),
  )
}

export function redactedPath(url: URL): string {
  return `${url.pathname}${url.search}`.replace(/([?&](?:key|access_token)=)[^&]+/g, "$1[redacted]")
}
