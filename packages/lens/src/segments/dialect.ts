import { field, listField, stringField } from "@sotto/core/dialect"
import type { Call, HttpDialectName } from "../call.js"

/** Tells which API a call is for: by what its source says, by its path, or else by the shape of its body. */
export function dialectOf(call: Pick<Call, "dialect" | "path" | "body">): HttpDialectName | undefined {
  return call.dialect ?? byPath(call.path) ?? byShape(call.body)
}

/** True if the call only asks how long a prompt is: no cache is read or written. */
export function countsTokens(path: string | undefined): boolean {
  return path !== undefined && /\/count_tokens\b|:countTokens\b|\/input_tokens\b/.test(path)
}

/** Finds the model in the address, where Gemini's stands. */
export function modelIn(path: string | undefined): string | undefined {
  return path === undefined ? undefined : /models\/([^/:?]+)/.exec(path)?.[1]
}

function byPath(path: string | undefined): HttpDialectName | undefined {
  if (path === undefined) return undefined
  if (/\/messages(?:[/?]|$)/.test(path)) return "anthropic"
  if (/\/chat\/completions(?:[/?]|$)/.test(path)) return "openai-chat"
  if (/\/responses(?:[/?]|$)/.test(path)) return "openai"
  return /:(?:streamGenerateContent|generateContent|countTokens)\b/.test(path) ? "gemini" : undefined
}

function byShape(body: unknown): HttpDialectName | undefined {
  if (Array.isArray(field(body, "contents"))) return "gemini"
  if (field(body, "input") !== undefined || field(body, "previous_response_id") !== undefined) return "openai"
  if (!Array.isArray(field(body, "messages"))) return undefined
  return isAnthropic(body) ? "anthropic" : "openai-chat"
}

const BLOCKS = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "image",
  "document",
  "server_tool_use",
])

/**
 * Tells Anthropic's body from another that has `messages` too. What only one of them knows decides, then the model's
 * name.
 */
function isAnthropic(body: unknown): boolean {
  if (field(body, "system") !== undefined || field(body, "anthropic_version") !== undefined) return true
  const tools = listField(body, "tools")
  if (tools.some((tool) => field(tool, "input_schema") !== undefined)) return true
  if (tools.some((tool) => field(tool, "function") !== undefined)) return false
  const messages = listField(body, "messages")
  if (messages.some((message) => isChatMessage(message))) return false
  const hasBlocks = messages.some((message) =>
    listField(message, "content").some((block) => BLOCKS.has(stringField(block, "type") ?? "")),
  )
  return hasBlocks || /claude/i.test(stringField(body, "model") ?? "")
}

function isChatMessage(message: unknown): boolean {
  const role = stringField(message, "role")
  if (role === "tool" || role === "developer" || field(message, "tool_calls") !== undefined) return true
  return listField(message, "content").some((part) => stringField(part, "type") === "image_url")
}
