import { field, listField, stringField } from "@sotto/core/dialect"
import type { HttpDialectName } from "../call.js"
import { anthropicSlots } from "./anthropic.js"
import { openaiSlots } from "./openai.js"
import { chatSlots } from "./openai-chat.js"
import { parameterSlots } from "./parameters.js"
import { SECTIONS, type Section, type SegmentKind, type Slot } from "./segment.js"
import { isMedia } from "./words.js"

/** A body as slots, in the order in which the provider's cache reads them, by section. */
export type Slots = Readonly<Record<Section, readonly Slot[]>>

export function slotsOf(body: unknown, dialect: HttpDialectName, model: string | undefined): Slots {
  const all = [...parameterSlots(body, dialect, model), ...contentSlots(body, dialect)]
  const bySection = (section: Section) => all.filter((slot) => slot.section === section)
  return Object.fromEntries(SECTIONS.map((section) => [section, bySection(section)])) as unknown as Slots
}

function contentSlots(body: unknown, dialect: HttpDialectName): readonly Slot[] {
  switch (dialect) {
    case "anthropic":
      return anthropicSlots(body)
    case "openai":
      return openaiSlots(body)
    case "openai-chat":
      return chatSlots(body)
    case "gemini":
      return geminiSlots(body)
  }
}

function geminiSlots(body: unknown): readonly Slot[] {
  const slots: Slot[] = listField(body, "tools").flatMap((tool, i) => toolSlots(tool, `tools.${i}`))
  const [name, system] = either(body, "systemInstruction", "system_instruction")
  if (typeof system === "string")
    slots.push({
      section: "system",
      path: name,
      role: "",
      kind: "system",
      value: { text: system },
      bare: true,
    })
  parts(system).forEach((value, i) => {
    slots.push({ section: "system", path: `${name}.parts.${i}`, role: "", kind: "system", value })
  })
  listField(body, "contents").forEach((content, i) => {
    const role = stringField(content, "role") ?? "user"
    parts(content).forEach((value, j) => {
      slots.push(partSlot(value, role, `contents.${i}.parts.${j}`))
    })
  })
  return slots
}

/** Reads a field in either spelling, since the REST API takes both. */
function either(value: unknown, camel: string, snake: string): readonly [string, unknown] {
  const found = field(value, camel)
  return found !== undefined || field(value, snake) === undefined
    ? [camel, found]
    : [snake, field(value, snake)]
}

/** Lists the parts. One part may stand without a list around it. */
function parts(content: unknown): readonly unknown[] {
  const found = field(content, "parts")
  return Array.isArray(found) ? found : found === undefined ? [] : [found]
}

function toolSlots(tool: unknown, path: string): readonly Slot[] {
  const [field, declarations] = either(tool, "functionDeclarations", "function_declarations")
  const own = { section: "tools", role: "", kind: "tool" } as const
  if (!Array.isArray(declarations)) {
    const name = Object.keys(tool ?? {})[0] ?? ""
    return [{ ...own, path, value: tool, name }]
  }
  return declarations.map((value, i) => ({
    ...own,
    path: `${path}.${field}.${i}`,
    value,
    name: stringField(value, "name") ?? "",
  }))
}

function partSlot(value: unknown, role: string, path: string): Slot {
  const kind = kindOf(value)
  const inner = field(value, "functionCall") ?? field(value, "functionResponse")
  const name = stringField(inner, "id") ?? stringField(inner, "name")
  return { section: "messages", path, role, kind, value, ...(name !== undefined && { name }) }
}

function kindOf(part: unknown): SegmentKind {
  if (field(part, "thought") === true) return "reasoning"
  if (stringField(part, "text") !== undefined) return "text"
  if (field(part, "functionCall") !== undefined || field(part, "executableCode") !== undefined) return "call"
  if (field(part, "functionResponse") !== undefined || field(part, "codeExecutionResult") !== undefined)
    return "result"
  return isMedia(part) ? "media" : "other"
}
