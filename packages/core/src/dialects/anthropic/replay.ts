import {
  field,
  inputObject,
  isFields,
  isWord,
  listField,
  stringField,
  wireName,
} from "../../vocabulary/fields.js"
import type { Json } from "../../vocabulary/json.js"
import { type AssistantPart, isBlank } from "../../vocabulary/message.js"
import { ownBlock } from "../dialect.js"
import type { AssistantParam } from "./body.js"

/** Encodes a part of a reply as it goes back. */
export function assistantParams(part: AssistantPart): AssistantParam[] {
  const own = ownBlock(part, "anthropic", legalBlock)
  if (part.type === "tool-call")
    return [{ type: "tool_use", id: part.id, name: wireName(part.name), input: inputObject(part.input) }]
  if (own) return [own]
  if (part.type === "text") return isBlank(part.text) ? [] : [{ type: "text", text: part.text }]
  return !part.signature || part.verbatim
    ? []
    : [{ type: "thinking", thinking: part.text, signature: part.signature }]
}

/** Blocks that only a client writes, or that need an answer of the client's: calls are written from their parts. */
const CLIENTS = /^(tool_(use|result|addition|removal)|image|document|search_result)$/

export function legalBlock(block: Json): AssistantParam | undefined {
  const type = stringField(block, "type") ?? ""
  if (!isFields(block) || !isWord(type) || CLIENTS.test(type)) return undefined
  const fields = OWN_FIELDS[type]
  if (fields === undefined)
    return [block, ...listField(block, "content")].some(isRefused) ? undefined : as(block)
  if (isRefused(block) || fields.some((name) => typeof block[name] !== "string")) return undefined
  // Thinking may be empty, its proof may not.
  if (block[fields.at(-1) ?? ""] === "") return undefined
  return Object.keys(block).length === fields.length
    ? as(block)
    : as(Object.fromEntries(fields.map((name) => [name, block[name]])))
}

/** All fields of the blocks whose schema is known. */
const OWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
}

const as = (block: object) => block as AssistantParam

function isRefused(block: unknown): boolean {
  const source = field(block, "source")
  return (
    (stringField(block, "type") === "text" && isBlank(stringField(block, "text") ?? "")) ||
    (field(block, "cache_control") ?? undefined) !== undefined ||
    (stringField(source, "type") === "base64" && !stringField(source, "data"))
  )
}
