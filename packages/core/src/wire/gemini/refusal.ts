import type { Carrier } from "../capabilities.js"
import { field, stringField } from "../dialect.js"

/**
 * The carrier that an error response says the model does not take. Everything but a trailing assistant message
 * travels as user text here, and that cannot be refused.
 */
export function refusedCarrier(status: number, response: unknown): Carrier | undefined {
  const message = stringField(field(response, "error"), "message") ?? ""
  return status === 400 && /\bend with a user turn\b/i.test(message) ? "assistant-text" : undefined
}
