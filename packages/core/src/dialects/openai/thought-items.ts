import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"

/** Checks that reasoning comes back whole, once, and together with what it led to. */
export function checkInputReasoning(body: unknown, problems: Problems): void {
  const items = listField(body, "input")
  const seen = new Set<string>()
  items.forEach((item, i) => {
    if (stringField(item, "type") !== "reasoning") return
    const path = `input.${i}`
    const id = stringField(item, "id") ?? ""
    if (id !== "" && seen.has(id))
      problems.add(
        path,
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
      )
    seen.add(id)
    if (!Array.isArray(field(item, "summary")))
      problems.add(path, `Missing required parameter: 'input[${i}].summary'.`)
    if (field(body, "store") === false && !stringField(item, "encrypted_content"))
      problems.add(
        path,
        `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      )
    if (!isOutput(items[i + 1]))
      problems.add(path, `Item '${id}' of type 'reasoning' was provided without its required following item.`)
  })
}

/** True if the model itself said or did this. */
export function isOutput(item: unknown): boolean {
  const role = stringField(item, "role")
  if (role !== undefined) return role === "assistant"
  const type = stringField(item, "type") ?? "message"
  return /^(reasoning|compaction|program|mcp_(list_tools|approval_request)|item_reference)$|_call$/.test(type)
}
