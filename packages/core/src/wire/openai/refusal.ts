import type { Carrier } from "../capabilities.js"
import { field, listField, stringField } from "../dialect.js"

/** llama.cpp answers 500 when the model's chat template throws. */
const REFUSALS = [400, 422, 500]

/** How OpenAI, vLLM, llama.cpp, DeepSeek and others say that a role is not known, or not there. */
const NO_SYSTEM_MESSAGE = [
  /\b(system|developer)\b\W*(role|messages?)\b[^.]*\b(must|only|not|cannot|can't|unsupported|first|beginning)\b/i,
  /\brole\W+(system|developer)\b[^.]*\b(not|unsupported|invalid|unknown)\b/i,
  /\b(unknown|invalid|unexpected|unsupported|unrecognized)\b[^.,]*(\brole\W+|['"`])(system|developer)\b/i,
  /\brole\b.*\bdoes not support\W+(system|developer)\b/i,
  /\bdeveloper\W+(is not one of|found using 'role' does not match)/i,
  // Where only the roles are listed that would do, and ours is not among them.
  /\bshould be 'system'(?!.*'developer')/i,
]

/** The carrier that an error response says the model does not take, if that is what it says. */
export function refusedCarrier(status: number, response: unknown): Carrier | undefined {
  if (!REFUSALS.includes(status)) return undefined
  const message = messageOf(response)
  if (/prefill/i.test(message)) return "assistant-text"
  return NO_SYSTEM_MESSAGE.some((wording) => wording.test(message)) ? "system-message" : undefined
}

/** Only what the server says: other fields may echo the conversation. */
function messageOf(response: unknown): string {
  const error = field(response, "error")
  const details = listField(response, "detail").map((detail) => stringField(detail, "msg"))
  const said = [
    error,
    field(error, "message"),
    field(response, "message"),
    field(response, "detail"),
    ...details,
  ]
  return said.filter((one) => typeof one === "string").join("\n")
}
