import type { Json } from "@sotto/core"
import type { Conversation, Tool } from "../../conversation/conversation.js"
import type { Transcript } from "../../conversation/transcript.js"
import { isObject, textAt } from "../../json.js"

/** Content is a text or a list of parts; what is no text is named. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === "string") return [content]
  if (!Array.isArray(content)) return []
  return content.map((part) => textAt(part, "text") || textAt(part, "refusal") || `[${textAt(part, "type")}]`)
}

/** A message of either API; only Chat Completions has tool messages. */
export function readMessage(role: string, texts: readonly string[], transcript: Transcript, calls = 0): void {
  if (role === "assistant") transcript.assistant(texts.join(""), calls)
  for (const text of texts) {
    if (role === "tool") transcript.result(text)
    else if (role === "system" || role === "developer") transcript.system(text)
    else if (role === "user") transcript.user(text)
  }
}

export function functionOf(definition: unknown): Tool {
  const schema = isObject(definition) ? definition.parameters : undefined
  return {
    name: textAt(definition, "name"),
    schema: isObject(schema) ? (schema as { [key: string]: Json }) : {},
  }
}

/** A choice that is an object names the function to call, or the ones allowed. */
export function toolChoice(choice: unknown): Conversation["toolChoice"] {
  if (choice === "none") return "none"
  return choice === "required" || isObject(choice) ? "required" : "auto"
}

/** OpenAI's own models, which reason out of sight; the older ones not at all. */
export function isOpenAis(model: string): boolean {
  return /^(gpt-(?!oss)|chatgpt|codex|o\d)/.test(model)
}

export function reasonsUnseen(model: string): boolean {
  return isOpenAis(model) && !/^(gpt-[34]|chatgpt)/.test(model)
}
