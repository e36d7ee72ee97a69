import type { IncomingHttpHeaders } from "node:http"
import type { HttpDialectName, RequestAddress } from "../dialects/dialect.js"

/** What an address asks for. */
export type RequestRoute =
  | {
      readonly is: "generate"
      readonly dialect: HttpDialectName
      readonly address: RequestAddress
      readonly asList: boolean
    }
  | { readonly is: "count"; readonly dialect: HttpDialectName; readonly address: RequestAddress }
  | { readonly is: "models"; readonly dialect: HttpDialectName }
  | { readonly is: "model"; readonly dialect: HttpDialectName; readonly id: string }
  /** Something that was kept: `of` says what, `inner` what of it. */
  | {
      readonly is: "kept"
      readonly dialect: HttpDialectName
      readonly of: "responses" | "completions" | "conversations"
      readonly id?: string
      readonly inner?: string
    }
  | { readonly is: "options"; readonly dialect: HttpDialectName; readonly allow: string }
  | { readonly is: "method"; readonly dialect: HttpDialectName; readonly allow: string }
  | { readonly is: "unknown"; readonly dialect: HttpDialectName }

/** The version may be missing or doubled: base URLs are given with it and without it. */
const VERSION = /^(?:\/v1(?:beta\d?|alpha)?)*(?=\/)/

interface Endpoint {
  readonly path: RegExp
  /** The methods it takes, as a header names them. */
  readonly allow: string
  /** Unless given, whose client it is is told from the headers. */
  readonly dialect?: HttpDialectName
  readonly shown: string
  found(match: RegExpExecArray, asked: Asked): RequestRoute
}

interface Asked {
  readonly url: URL
  readonly dialect: HttpDialectName
  readonly betas: readonly string[]
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: /^\/messages$/,
    allow: "POST",
    dialect: "anthropic",
    shown: "POST /v1/messages",
    found: (_, { dialect, betas }) => ({ is: "generate", dialect, address: { betas }, asList: false }),
  },
  {
    path: /^\/messages\/count_tokens$/,
    allow: "POST",
    dialect: "anthropic",
    shown: "POST /v1/messages/count_tokens",
    found: (_, { dialect, betas }) => ({ is: "count", dialect, address: { betas } }),
  },
  {
    path: /^\/responses$/,
    allow: "POST",
    dialect: "openai",
    shown: "POST /v1/responses",
    found: (_, { dialect }) => ({ is: "generate", dialect, address: {}, asList: false }),
  },
  {
    path: /^\/responses\/input_tokens$/,
    allow: "POST",
    dialect: "openai",
    shown: "POST /v1/responses/input_tokens",
    found: (_, { dialect }) => ({ is: "count", dialect, address: {} }),
  },
  {
    path: /^\/responses\/([^/]+)$/,
    allow: "GET, DELETE",
    dialect: "openai",
    shown: "GET and DELETE /v1/responses/{id}",
    found: ([, id = ""], { dialect }) => ({ is: "kept", dialect, of: "responses", id }),
  },
  {
    path: /^\/responses\/([^/]+)\/(input_items)$/,
    allow: "GET",
    dialect: "openai",
    shown: "GET /v1/responses/{id}/input_items",
    found: ([, id = "", inner = ""], { dialect }) => ({ is: "kept", dialect, of: "responses", id, inner }),
  },
  {
    path: /^\/responses\/([^/]+)\/(cancel)$/,
    allow: "POST",
    dialect: "openai",
    shown: "POST /v1/responses/{id}/cancel",
    found: ([, id = "", inner = ""], { dialect }) => ({ is: "kept", dialect, of: "responses", id, inner }),
  },
  {
    path: /^\/conversations$/,
    allow: "POST",
    dialect: "openai",
    shown: "POST /v1/conversations",
    found: (_, { dialect }) => ({ is: "kept", dialect, of: "conversations" }),
  },
  {
    path: /^\/conversations\/([^/]+)$/,
    allow: "GET, DELETE",
    dialect: "openai",
    shown: "GET and DELETE /v1/conversations/{id}",
    found: ([, id = ""], { dialect }) => ({ is: "kept", dialect, of: "conversations", id }),
  },
  {
    path: /^\/conversations\/([^/]+)\/(items)$/,
    allow: "GET",
    dialect: "openai",
    shown: "GET /v1/conversations/{id}/items",
    found: ([, id = "", inner = ""], { dialect }) => ({
      is: "kept",
      dialect,
      of: "conversations",
      id,
      inner,
    }),
  },
  {
    path: /^\/chat\/completions$/,
    allow: "POST",
    dialect: "openai-chat",
    shown: "POST /v1/chat/completions",
    found: (_, { dialect }) => ({ is: "generate", dialect, address: {}, asList: false }),
  },
  {
    path: /^\/chat\/completions\/([^/]+)$/,
    allow: "GET, DELETE",
    dialect: "openai-chat",
    shown: "GET and DELETE /v1/chat/completions/{id}",
    found: ([, id = ""], { dialect }) => ({ is: "kept", dialect, of: "completions", id }),
  },
  {
    path: /^\/models\/(.+):(generateContent|streamGenerateContent)$/,
    allow: "POST",
    dialect: "gemini",
    shown: "POST /v1beta/models/{model}:generateContent and :streamGenerateContent",
    found: ([, model = "", action], { dialect, url }) => {
      const stream = action === "streamGenerateContent"
      const asList = stream && url.searchParams.get("alt") !== "sse"
      return { is: "generate", dialect, address: { model: decoded(model), stream }, asList }
    },
  },
  {
    path: /^\/models\/(.+):countTokens$/,
    allow: "POST",
    dialect: "gemini",
    shown: "POST /v1beta/models/{model}:countTokens",
    found: ([, model = ""], { dialect }) => ({ is: "count", dialect, address: { model: decoded(model) } }),
  },
  {
    path: /^\/models$/,
    allow: "GET, HEAD",
    shown: "GET /v1/models",
    found: (_, { dialect }) => ({ is: "models", dialect }),
  },
  {
    path: /^\/models\/([^:]+)$/,
    allow: "GET, HEAD",
    shown: "GET /v1/models/{id}",
    found: ([, id = ""], { dialect }) => ({ is: "model", dialect, id: decoded(id) }),
  },
]

/** Every endpoint that is served, to be named to a client that asks for another. */
export const SERVED = ENDPOINTS.map(({ shown }) => shown)

export function route(method: string, url: URL, headers: IncomingHttpHeaders): RequestRoute {
  const path = url.pathname.replace(VERSION, "").replace(/(?<=.)\/$/, "")
  const betas = String(headers["anthropic-beta"] ?? "").split(/\s*,\s*/)
  for (const endpoint of ENDPOINTS) {
    const match = endpoint.path.exec(path)
    if (match === null) continue
    const dialect = endpoint.dialect ?? askedFor(url, headers)
    if (method === "OPTIONS") return { is: "options", dialect, allow: `${endpoint.allow}, OPTIONS` }
    return endpoint.allow.split(", ").includes(method)
      ? endpoint.found(match, { url, dialect, betas })
      : { is: "method", dialect, allow: endpoint.allow }
  }
  return { is: "unknown", dialect: askedFor(url, headers) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Tells whose client it is, where the address does not say. */
function askedFor(url: URL, headers: IncomingHttpHeaders): HttpDialectName {
  if (headers["anthropic-version"] !== undefined) return "anthropic"
  if (headers["x-goog-api-key"] !== undefined || url.pathname.startsWith("/v1beta")) return "gemini"
  return url.pathname.includes("/chat/") ? "openai-chat" : "openai"
}
