import type { Carrier } from "../capabilities.js"
import { field, stringField } from "../dialect.js"

/** The carrier that an error response says the model does not take, if that is what it says. */
export function refusedCarrier(status: number, response: unknown): Carrier | undefined {
  if (status !== 400) return undefined
  const error = field(response, "error")
  const kind = stringField(error, "type") ?? "invalid_request_error"
  const message = stringField(error, "message") ?? ""
  if (kind !== "invalid_request_error") return undefined
  if (/\bprefill\b/i.test(message)) return "assistant-text"
  return NO_SYSTEM_ROLE.test(message) ? "system-message" : undefined
}

/** Gateways word it their own way, but they all speak of the role, or of system messages as such. */
const NO_SYSTEM_ROLE =
  /\brole\W{0,3}system\b|\bsystem\W{0,3}role\b|unexpected role|\brole: input should be 'user'|system messages? (?:is|are) not (?:supported|allowed)/i
