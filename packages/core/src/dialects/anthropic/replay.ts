import {
  type Fields,
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
  if (part.type === "text") {
    const citations = listField(own, "citations") as never[]
    const text = { type: "text", text: part.text } as const
    return isBlank(part.text) ? [] : [citations.length > 0 ? { ...text, citations } : text]
  }
  if (own) return [own]
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
  if (type === "text" && typeof block.text === "string" && !isRefused(block)) return as(citing(block))
  if (fields === undefined)
    return [block, ...listField(block, "content")].some(isRefused) ? undefined : as(block)
  if (isRefused(block) || fields.some((name) => typeof block[name] !== "string")) return undefined
  // Thinking may be empty, its proof may not.
  if (block[fields.at(-1) ?? ""] === "") return undefined
  return Object.keys(block).length === fields.length
    ? as(block)
    : as(Object.fromEntries(fields.map((name) => [name, block[name]])))
}

/** Keeps the citations of a search that the API takes back: those with its own proof. */
function citing(block: Fields): Fields {
  const { type, text } = block
  const kept = listField(block, "citations").filter(isProven) as Json[]
  if (kept.length === 0) return Object.keys(block).length === 2 ? block : ({ type, text } as Fields)
  const isWhole = kept.length === listField(block, "citations").length && Object.keys(block).length === 3
  return isWhole ? block : ({ type, text, citations: kept } as Fields)
}

function isProven(citation: unknown): boolean {
  const proof = stringField(citation, "encrypted_index") ?? ""
  const isTitled = ["string", "undefined"].includes(typeof (field(citation, "title") ?? undefined))
  return (
    stringField(citation, "type") === "web_search_result_location" &&
    proof !== "" &&
    isTitled &&
    ["url", "cited_text"].every((name) => typeof field(citation, name) === "string")
  )
}

/** All fields of the blocks whose schema is known. */
const OWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
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
