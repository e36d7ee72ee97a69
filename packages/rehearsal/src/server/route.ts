import type { IncomingHttpHeaders } from "node:http"
import type { Address, DialectName } from "../dialects/dialect.js"

/** What an address asks for. */
export type Route =
  | {
      readonly is: "generate"
      readonly dialect: DialectName
      readonly address: Address
      readonly asList: boolean
    }
  | { readonly is: "models"; readonly dialect: DialectName }
  | { readonly is: "method"; readonly dialect: DialectName }
  | { readonly is: "unknown"; readonly dialect: DialectName }

/** The version may be missing or doubled: base URLs are given with it and without it. */
const VERSION = /^(?:\/v1(?:beta\d?|alpha)?)*(?=\/)/

const POSTS: Readonly<Record<string, DialectName>> = {
  "/messages": "anthropic",
  "/responses": "openai",
  "/chat/completions": "openai-chat",
}

export function route(method: string, url: URL, headers: IncomingHttpHeaders): Route {
  const path = url.pathname.replace(VERSION, "")
  const dialect = POSTS[path]
  if (dialect)
    return method === "POST"
      ? { is: "generate", dialect, address: {}, asList: false }
      : { is: "method", dialect }
  const [, model, action] = /^\/models\/(.+):(generateContent|streamGenerateContent)$/.exec(path) ?? []
  if (model !== undefined && method !== "POST") return { is: "method", dialect: "gemini" }
  if (model !== undefined) {
    const stream = action === "streamGenerateContent"
    const asList = stream && url.searchParams.get("alt") !== "sse"
    return {
      is: "generate",
      dialect: "gemini",
      address: { model: decodeURIComponent(model), stream },
      asList,
    }
  }
  const asked = askedFor(url, headers)
  if (path !== "/models") return { is: "unknown", dialect: asked }
  return { is: method === "GET" ? "models" : "method", dialect: asked }
}

/** Whose client it is, where the address does not say. */
function askedFor(url: URL, headers: IncomingHttpHeaders): DialectName {
  if (headers["anthropic-version"] !== undefined) return "anthropic"
  if (headers["x-goog-api-key"] !== undefined || url.pathname.startsWith("/v1beta")) return "gemini"
  return url.pathname.includes("/chat/") ? "openai-chat" : "openai"
}
