import { jsonIn } from "@sotto/core/dialect"

/** Checks that a text is JSON. */
export function isJson(text: string): boolean {
  return jsonIn(text) !== undefined
}

/** Checks that every store can keep a text: halves of characters come back as others, and a NUL ends it for some readers. */
export function isKeepable(text: string): boolean {
  return !text.includes("\0") && Buffer.from(text, "utf8").toString("utf8") === text
}
