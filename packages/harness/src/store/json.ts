import { jsonIn } from "@sotto/core/dialect"

/** Checks that a text is JSON. */
export function isJson(text: string): boolean {
  return jsonIn(text) !== undefined
}
