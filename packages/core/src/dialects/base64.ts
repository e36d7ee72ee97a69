import { isBase64 as isPlainBase64 } from "../vocabulary/message.js"

/** True for base64 as the providers read it: lines may be broken, as encoders of mails do. */
export function isBase64(text: string): boolean {
  // Without a copy where there is nothing to take out: what comes here is often megabytes long.
  return isPlainBase64(/[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text)
}
