import type { Carrier } from "../capabilities.js"
import { field, stringField } from "../dialect.js"

/** The carrier that an error response says the model does not take, if that is what it says. */
export function refusedCarrier(status: number, response: unknown): Carrier | undefined {
  if (status !== 400) return undefined
  const message = stringField(field(response, "error"), "message") ?? ""
  if (/prefill/i.test(message)) return "assistant-text"
  // Gateways word it their own way, but they all name the role.
  if (/\brole\b.*\bsystem\b|\bsystem\b.*\b(role|message)/is.test(message)) return "system-message"
  return undefined
}
