import { neutralise } from "./guard.js"

const LONE_SURROGATES = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/**
 * Text from outside as it goes into a request: neutralised, and without halves of surrogate pairs. Providers answer
 * such a half with 400, and would do so in every later request too.
 */
export function outsideText(text: string): { text: string; count: number } {
  return neutralise(/[\uD800-\uDFFF]/.test(text) ? text.replace(LONE_SURROGATES, "\uFFFD") : text)
}
