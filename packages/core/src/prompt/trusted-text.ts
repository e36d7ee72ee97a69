import { factText } from "../vocabulary/fact.js"
import type { Json } from "../vocabulary/json.js"

/** The fact that says whether, and with what, the user trusts the folder. When it changes, an epoch ends. */
export const TRUST_FACT = "trust"

/**
 * Reads what an instruction file or a skill says. As `{ text, untrusted: true }` it is the text of a folder that the
 * user has not vouched for.
 */
export function vouchedText(value: Json): string {
  const { text } = fieldsOf(value)
  return typeof text === "string" ? text : factText(value)
}

/** True if the user has not vouched for the text. */
export function isUntrusted(value: Json | undefined): boolean {
  return fieldsOf(value).untrusted === true
}

function fieldsOf(value: Json | undefined): Readonly<Record<string, Json>> {
  if (value === undefined || value === null || typeof value !== "object" || Array.isArray(value)) return {}
  return value as Readonly<Record<string, Json>>
}
