import { StoreError } from "@sotto/harness/store"
import { Away, codeOf } from "./connection.js"
import type { Failure } from "./messages.js"

/** Converts an error to what goes to the other thread. */
export function failureOf(error: unknown): Failure {
  if (error instanceof StoreError) {
    const { code, remedy, message, line } = error
    const what = message.slice(0, message.length - remedy.length - 1)
    return {
      ...{ code, what, remedy },
      ...(line !== undefined && { line }),
      ...(error instanceof Away && { unsure: error.unsure }),
    }
  }
  const code = codeOf(error)
  if (error instanceof Error && /^[0-9A-Z]{5}$/.test(code)) {
    const what = `PostgreSQL refused what the store asked for: ${error.message} (${code}).`
    return { code: "unavailable", what, remedy: "Nothing was changed. Look into the server's log for more." }
  }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: "bug", what, remedy: "" }
}
