import { field, listField, stringField } from "@sotto/core/dialect"
import { isMarked } from "./json.js"
import type { SegmentKind, Slot } from "./segment.js"
import { isMedia } from "./words.js"

export function anthropicSlots(body: unknown): readonly Slot[] {
  const system = field(body, "system")
  const slots: Slot[] = listField(body, "tools").map((tool, i) => ({
    section: "tools",
    path: `tools.${i}`,
    role: "",
    kind: "tool",
    value: tool,
    name: stringField(tool, "name") ?? stringField(tool, "type") ?? "",
    marked: isMarked(tool),
  }))
  if (typeof system === "string" && system !== "")
    slots.push({
      section: "system",
      path: "system",
      role: "",
      kind: "system",
      value: block(system),
      bare: true,
    })
  listField(body, "system").forEach((value, i) => {
    slots.push({
      section: "system",
      path: `system.${i}`,
      role: "",
      kind: "system",
      value,
      marked: isMarked(value),
    })
  })
  listField(body, "messages").forEach((message, i) => {
    const role = stringField(message, "role") ?? ""
    const content = field(message, "content")
    const path = `messages.${i}.content`
    if (typeof content === "string")
      slots.push({
        section: "messages",
        path: `${path}.0`,
        role,
        kind: "text",
        value: block(content),
        bare: true,
      })
    else
      listField(message, "content").forEach((value, j) => {
        slots.push(blockSlot(value, `${path}.${j}`, role))
      })
  })
  return withEnd(slots, body)
}

function blockSlot(value: unknown, path: string, role: string): Slot {
  const type = stringField(value, "type") ?? ""
  const kind = kindOf(type, value)
  const name =
    kind === "call"
      ? stringField(value, "id")
      : kind === "result"
        ? stringField(value, "tool_use_id")
        : undefined
  return {
    section: "messages",
    path,
    role,
    kind,
    value,
    marked: isMarked(value),
    ...(name !== undefined && { name }),
  }
}

function kindOf(type: string, value: unknown): SegmentKind {
  if (type === "text") return "text"
  if (type === "thinking" || type === "redacted_thinking") return "reasoning"
  if (type.endsWith("tool_use")) return "call"
  if (type.endsWith("tool_result")) return "result"
  return isMedia(value) ? "media" : "other"
}

function block(value: string): unknown {
  return { type: "text", text: value }
}

/** Treats a marker of the body itself as one on the last block. */
function withEnd(slots: readonly Slot[], body: unknown): readonly Slot[] {
  const last = slots.at(-1)
  if (last === undefined || !field(body, "cache_control")) return slots
  return [...slots.slice(0, -1), { ...last, marked: true }]
}
