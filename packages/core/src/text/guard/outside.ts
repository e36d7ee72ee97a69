import { wellFormed } from "../../vocabulary/unicode.js"
import { neutralise } from "./guard.js"

/**
 * Prepares text from outside for a request: well-formed, because a request with half of a surrogate pair would be
 * refused, and every later one with it; and neutralised. `count` is of both.
 */
export function outsideText(text: string): { text: string; count: number } {
  const whole = wellFormed(text)
  const safe = neutralise(whole.text)
  return whole.count === 0 ? safe : { text: safe.text, count: safe.count + whole.count }
}
