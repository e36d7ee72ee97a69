import { isMarker, withoutMarkers } from "../dialects/problems.js"
import { field, listField, stringField } from "../vocabulary/fields.js"

/** One element of what a provider caches, in the order it caches them. */
export interface CacheBlock {
  /** Where it stands in the body. */
  readonly path: string
  readonly section: "tools" | "system" | "messages"
  /** Its JSON, cache markers aside, with the role it is said in. */
  readonly text: string
  /** Carries a cache breakpoint. */
  readonly marked: boolean
}

/** Lists the blocks of a body of any HTTP dialect: tools, system, conversation. */
export function blocksOf(body: unknown): readonly CacheBlock[] {
  const system = ["system", "instructions", "systemInstruction", "system_instruction"].flatMap((name) =>
    blocksAt(body, name, "system"),
  )
  return [...blocksAt(body, "tools", "tools"), ...system, ...conversation(body)]
}

function blocksAt(body: unknown, name: string, section: "tools" | "system"): readonly CacheBlock[] {
  const value = field(body, name)
  if (value === undefined) return []
  if (!Array.isArray(value)) return [block(name, section, asBlock(value, "text"), "")]
  return value.map((one, i) => block(`${name}.${i}`, section, one, ""))
}

function conversation(body: unknown): readonly CacheBlock[] {
  if (field(body, "contents") !== undefined) return messages(body, "contents", "parts")
  // A text by itself is what the user says.
  if (typeof field(body, "input") === "string")
    return [block("input", "messages", asBlock(field(body, "input"), "input_text"), "user")]
  if (field(body, "input") !== undefined) return messages(body, "input", "content")
  return messages(body, "messages", "content")
}

/** Lists each content block by itself, because clients may merge messages of one role that follow each other. */
function messages(body: unknown, list: string, inner: string): readonly CacheBlock[] {
  return listField(body, list).flatMap((message, i): CacheBlock[] => {
    const path = `${list}.${i}`
    const role = stringField(message, "role") ?? stringField(message, "type") ?? ""
    const { [inner]: content, role: _, ...rest } = (message ?? {}) as Record<string, unknown>
    const blocks = Array.isArray(content) ? content : content ? [asBlock(content, textType(list, role))] : []
    const own = Object.keys(rest).length > 0 ? [block(path, "messages", rest, role)] : []
    return [...own, ...blocks.map((one, j) => block(`${path}.${inner}.${j}`, "messages", one, role))]
  })
}

/** Makes a block of a text by itself: providers and their caches treat both the same. */
function asBlock(value: unknown, type: string): unknown {
  return typeof value === "string" ? { type, text: value } : value
}

function textType(list: string, role: string): string {
  if (list !== "input") return "text"
  return role === "assistant" ? "output_text" : "input_text"
}

function block(path: string, section: CacheBlock["section"], value: unknown, role: string): CacheBlock {
  return { path, section, text: `${role}${withoutMarkers(value)}`, marked: isMarked(value) }
}

function isMarked(value: unknown): boolean {
  const inner = [...listField(value, "content"), ...listField(value, "output")]
  return [value, ...inner].some(
    (one) => one !== null && typeof one === "object" && Object.keys(one).some(isMarker),
  )
}
