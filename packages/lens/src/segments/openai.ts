import { field, listField, stringField } from "@sotto/core/dialect"
import { isMarked } from "./json.js"
import type { SegmentKind, Slot } from "./segment.js"
import { isMedia } from "./words.js"

export function openaiSlots(body: unknown): readonly Slot[] {
  const instructions = stringField(body, "instructions")
  const slots: Slot[] = listField(body, "tools").flatMap((tool, i) => toolSlots(tool, `tools.${i}`))
  if (instructions)
    slots.push({
      section: "system",
      path: "instructions",
      role: "",
      kind: "system",
      value: { type: "text", text: instructions },
    })
  const input = field(body, "input")
  if (typeof input === "string")
    slots.push({
      section: "messages",
      path: "input",
      role: "user",
      kind: "text",
      value: part(input, "user"),
      bare: true,
    })
  // Without instructions, the messages of the harness at the top are the system prompt.
  let atTop = !instructions
  listField(body, "input").forEach((item, i) => {
    const role = stringField(item, "role")
    atTop = atTop && (role === "system" || role === "developer")
    slots.push(...itemSlots(item, `input.${i}`, atTop))
  })
  return slots
}

/** Makes a slot for each definition. A namespace is a set of tools with a name: each of them is one definition. */
export function toolSlots(tool: unknown, path: string): readonly Slot[] {
  const name =
    stringField(tool, "name") ??
    stringField(field(tool, "function"), "name") ??
    stringField(tool, "server_label")
  const own = {
    section: "tools",
    path,
    role: "",
    kind: "tool",
    name: name ?? stringField(tool, "type") ?? "",
  } as const
  const nested = field(tool, "tools")
  if (!Array.isArray(nested)) return [{ ...own, value: tool }]
  const { tools: _, ...rest } = tool as Record<string, unknown>
  return [{ ...own, value: rest }, ...nested.flatMap((inner, i) => toolSlots(inner, `${path}.tools.${i}`))]
}

function itemSlots(item: unknown, path: string, isSystem: boolean): readonly Slot[] {
  const type = stringField(item, "type") ?? "message"
  if (type !== "message") return [otherSlot(item, type, path)]
  const role = stringField(item, "role") ?? ""
  const content = field(item, "content")
  const section = isSystem ? "system" : "messages"
  const kindOf = (value: unknown): SegmentKind => (isSystem ? "system" : isMedia(value) ? "media" : "text")
  if (typeof content === "string")
    return [
      {
        section,
        path: `${path}.content.0`,
        role,
        kind: kindOf(undefined),
        value: part(content, role),
        bare: true,
      },
    ]
  return listField(item, "content").map((value, j) => ({
    section,
    path: `${path}.content.${j}`,
    role,
    kind: kindOf(value),
    value,
    marked: isMarked(value),
  }))
}

function otherSlot(item: unknown, type: string, path: string): Slot {
  const isResult = type.endsWith("_output") || type.endsWith("_response")
  const kind =
    type === "reasoning" ? "reasoning" : isResult ? "result" : type.endsWith("_call") ? "call" : "other"
  // Most items are the model's own. Those of the harness, such as `additional_tools`, say so.
  const role = kind === "result" ? "tool" : (stringField(item, "role") ?? "assistant")
  const name = stringField(item, "call_id") ?? stringField(item, "id")
  return {
    section: "messages",
    path,
    role,
    kind,
    value: item,
    marked: isMarked(item),
    ...(name !== undefined && { name }),
  }
}

function part(value: string, role: string): unknown {
  return { type: role === "assistant" ? "output_text" : "input_text", text: value }
}
