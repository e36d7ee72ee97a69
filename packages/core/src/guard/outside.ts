import { neutralise } from "./guard.js"

/** Half of a surrogate pair. */
export const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
const LONE_SURROGATES = new RegExp(LONE_SURROGATE, "g")

/**
 * Text from outside as it goes into a request: neutralised, and without halves of surrogate pairs. Providers answer
 * such a half with 400, and would do so in every later request too.
 */
export function outsideText(text: string): { text: string; count: number } {
  return neutralise(/[\uD800-\uDFFF]/.test(text) ? text.replace(LONE_SURROGATES, "\uFFFD") : text)
}
