import { field, listField, stringField } from "@sotto/core/dialect"
import { isMarked } from "./json.js"
import { toolSlots } from "./openai.js"
import type { Slot } from "./segment.js"
import { isMedia } from "./words.js"

const REASONING = ["reasoning_content", "reasoning", "reasoning_details"] as const

export function chatSlots(body: unknown): readonly Slot[] {
  const slots: Slot[] = listField(body, "tools").flatMap((tool, i) => toolSlots(tool, `tools.${i}`))
  let atTop = true
  listField(body, "messages").forEach((message, i) => {
    const role = stringField(message, "role") ?? ""
    atTop = atTop && (role === "system" || role === "developer")
    slots.push(...messageSlots(message, role, `messages.${i}`, atTop))
  })
  return slots
}

function messageSlots(message: unknown, role: string, path: string, isSystem: boolean): readonly Slot[] {
  if (role === "tool" || role === "function") return [resultSlot(message, role, path)]
  const section = isSystem ? "system" : "messages"
  const reasoning = REASONING.flatMap((name): Slot[] => {
    const value = field(message, name)
    if (value === undefined || value === null || value === "") return []
    return [{ section, path: `${path}.${name}`, role, kind: "reasoning", value: { type: name, text: value } }]
  })
  const calls = listField(message, "tool_calls").map((value, j): Slot => {
    const name = stringField(value, "id")
    const at = `${path}.tool_calls.${j}`
    return { section, path: at, role, kind: "call", value, ...(name !== undefined && { name }) }
  })
  return [...reasoning, ...contentSlots(message, role, path, isSystem), ...calls]
}

function contentSlots(message: unknown, role: string, path: string, isSystem: boolean): readonly Slot[] {
  const section = isSystem ? "system" : "messages"
  const content = field(message, "content")
  if (typeof content === "string") {
    if (content === "") return []
    const value = { type: "text", text: content }
    return [
      { section, path: `${path}.content.0`, role, kind: isSystem ? "system" : "text", value, bare: true },
    ]
  }
  return listField(message, "content").map((value, j) => ({
    section,
    path: `${path}.content.${j}`,
    role,
    kind: isSystem ? "system" : isMedia(value) ? "media" : "text",
    value,
    marked: isMarked(value),
  }))
}

/** Makes one slot of one result, which is one message. A text by itself and a list of one text say the same. */
function resultSlot(message: unknown, role: string, path: string): Slot {
  const content = field(message, "content")
  const bare = typeof content === "string"
  const value = bare ? { ...(message as object), content: [{ type: "text", text: content }] } : message
  const name = stringField(message, "tool_call_id") ?? stringField(message, "name")
  const marked = isMarked(message)
  return {
    section: "messages",
    path,
    role,
    kind: "result",
    value,
    bare,
    marked,
    ...(name !== undefined && { name }),
  }
}
