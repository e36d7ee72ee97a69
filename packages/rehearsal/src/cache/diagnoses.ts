import { estimateTokens, type Json } from "@sotto/core"
import { field, listField, withoutMarkers } from "@sotto/core/dialect"
import { messageId } from "../dialects/anthropic/reply.js"
import { isObject, textAt } from "../json.js"

/** What is remembered of a request: enough to say what a later one has changed. */
interface Remembered {
  readonly model: string
  readonly system: string
  readonly tools: string
  readonly messages: readonly string[]
}

/** Makes Anthropic's cache diagnostics: compares a request with the one that led to the message it names. */
export function diagnoses(): (body: unknown, key: string) => Json | undefined {
  const known = new Map<string, Remembered>()
  return (body, key) => {
    const asked = field(body, "diagnostics")
    if (!isObject(asked)) return undefined
    const now = remember(body)
    const previous = textAt(asked, "previous_message_id")
    const before = known.get(previous)
    known.set(messageId(key), now)
    if (previous === "") return null
    if (before === undefined) return { cache_miss_reason: { type: "previous_message_not_found" } }
    const type = changed(before, now)
    if (type === undefined) return null
    return { cache_miss_reason: { type, cache_missed_input_tokens: estimateTokens(lost(type, before)) } }
  }
}

/** Finds the first change in the order in which the cache is keyed. */
function changed(before: Remembered, now: Remembered): string | undefined {
  if (before.model !== now.model) return "model_changed"
  if (before.tools !== now.tools) return "tools_changed"
  if (before.system !== now.system) return "system_changed"
  return before.messages.every((message, i) => message === now.messages[i]) ? undefined : "messages_changed"
}

function lost(type: string, { tools, system, messages }: Remembered): string {
  const conversation = messages.join("")
  if (type === "messages_changed") return conversation
  return type === "system_changed" ? system + conversation : tools + system + conversation
}

function remember(body: unknown): Remembered {
  return {
    model: textAt(body, "model"),
    system: withoutMarkers(field(body, "system")),
    tools: withoutMarkers(field(body, "tools")),
    messages: listField(body, "messages").map(withoutMarkers),
  }
}
