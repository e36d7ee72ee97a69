import type { HttpDialectName } from "../call.js"

/** What an address says about the call made to it. */
export interface Endpoint {
  readonly dialect: HttpDialectName
  /** Gemini names the model in the address. */
  readonly model?: string
}

/** Finds the endpoint of a model's API that a path or URL is; undefined for any other. */
export function endpointOf(address: string): Endpoint | undefined {
  const path = address
    .replace(/^[a-z]+:\/\/[^/]+/i, "")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
  const gemini =
    /\/(?:models|tunedModels|publishers\/\w+\/models)\/([^/:]+):(?:\w*[gG]enerateContent|countTokens)$/.exec(
      path,
    )
  if (gemini) return { dialect: "gemini", model: decoded(gemini[1] ?? "") }
  if (/\/messages(\/count_tokens)?$/.test(path)) return { dialect: "anthropic" }
  if (/\/responses(\/(compact|input_tokens))?$/.test(path)) return { dialect: "openai" }
  if (/\/chat\/completions$/.test(path)) return { dialect: "openai-chat" }
  // Amazon Bedrock and Google's own platform have Anthropic's models under addresses of theirs.
  const hosted =
    /\/model\/([^/]+)\/invoke(-with-response-stream)?$|\/models\/([^/:]+):(streamR|r)awPredict$/.exec(path)
  return hosted ? { dialect: "anthropic", model: decoded(hosted[1] ?? hosted[3] ?? "") } : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** True if an object looks like the body of a request to a model. */
export function isRequestBody(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false
  const { messages, input, contents, previous_response_id, prompt } = value as Record<string, unknown>
  if (Array.isArray(messages) || Array.isArray(contents) || isContent(contents)) return true
  return Array.isArray(input) || typeof input === "string" || Boolean(previous_response_id ?? prompt)
}

/** True for one content, which Gemini takes in place of a list. */
function isContent(contents: unknown): boolean {
  return contents !== null && typeof contents === "object" && "parts" in contents
}
