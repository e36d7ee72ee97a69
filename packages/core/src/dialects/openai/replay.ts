import { field, isFields, isWord, listField, stringField } from "../../vocabulary/fields.js"
import type { Json } from "../../vocabulary/json.js"
import type { InputItem, ReasoningItem } from "./body.js"
import { isOutput } from "./thought-items.js"

/** What a client has to answer or writes itself: calls and words are written from their parts. */
const CLIENTS =
  /^(message|item_reference|(function|custom_tool|shell|local_shell|apply_patch|computer)_call(_output)?)$/

export function legalItem(item: Json): InputItem | undefined {
  const type = stringField(item, "type") ?? ""
  if (!isFields(item) || !isWord(type) || CLIENTS.test(type)) return undefined
  const hasId = isId(item.id)
  if (type !== "reasoning") return hasId || item.id === undefined ? (item as unknown as InputItem) : undefined
  const { id, encrypted_content } = item
  // Without its encrypted form it could only be found where it is stored, and it is not.
  if (typeof encrypted_content !== "string" || encrypted_content === "") return undefined
  const summary = listField(item, "summary").filter(isSummary) as ReasoningItem["summary"]
  const isWhole =
    Array.isArray(item.summary) && summary.length === item.summary.length && Array.isArray(item.content ?? [])
  if (isWhole && (hasId || id === undefined) && typeof (item.status ?? "") === "string")
    return item as unknown as InputItem
  return { type, ...(hasId && { id }), summary, encrypted_content } as ReasoningItem
}

function isId(id: unknown): boolean {
  return typeof id === "string" && /^[\w-]{1,64}$/.test(id)
}

function isSummary(part: unknown): boolean {
  return field(part, "type") === "summary_text" && typeof field(part, "text") === "string"
}

/**
 * Drops reasoning that the API would refuse: one that comes twice, and one without what it led to because the reply was
 * cut off behind it.
 */
export function followed(items: readonly InputItem[]): readonly InputItem[] {
  const seen = new Set<unknown>()
  return items.filter((item, i) => {
    if (item.type !== "reasoning") return true
    const isNew = item.id === undefined || !seen.has(item.id)
    seen.add(item.id)
    return isNew && isOutput(items.slice(i + 1).find(({ type }) => type !== "reasoning") ?? { type: "" })
  })
}
