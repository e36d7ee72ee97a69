import type { Carrier } from "../vocabulary/capabilities.js"
import { field } from "../vocabulary/fields.js"

/** Answers that may say so. Servers whose chat template throws answer 500, and gateways pass that on as 502. */
const REFUSALS = [400, 422, 500, 502]

/** How APIs say that they do not continue a message of the assistant's. */
const NO_PREFILL = [
  /\bprefill(ing|ed)?\b/i,
  /\bpre-fill(ing|ed)?\b/i,
  /\b(must|should|requests|conversation) end with an? user\b/i,
  /\bexpected last role user\b/i,
  /\bassistant message in the final position\b/i,
  /\blast message\b[^.]*\b(must|should|cannot|can't|can not|not)\b[^.]*\b(assistant|user)\b/i,
]

/** How they say that a system message, or OpenAI's "developer", is not known, or not there. */
const NO_SYSTEM_MESSAGE = [
  /\b(system|developer)\b\W*(roles?|messages?|prompts?)\b[^.]*\b(must|only|not|cannot|can't|unsupported|first|beginning|start)\b/i,
  /\b(only|first)\b[^.]*\b(first )?message\b[^.]*\b(can|may|must|should) (be|have)\b[^.]*\bsystem\b/i,
  /\brole\W{0,3}(system|developer)\b[^.]*\b(not|unsupported|invalid|unknown|must|only)\b/i,
  /\b(unknown|invalid|unexpected|unsupported|unrecognized|illegal)\b[^.,]*(\brole\W+(RoleEnum\.)?|['"`])(system|developer)\b/i,
  /\b(unknown|invalid|unexpected|unsupported|unrecognized)\b[^.,]*\broles?\W+(RoleEnum\.)?(system|developer)\b/i,
  /\brole\b.*\bdoes not support\W+(system|developer)\b/i,
  /\b(system|developer)\W+(is not one of|is not a valid role|found using 'role' does not match)/i,
  /\brole: input should be 'user'/i,
  // Where only the roles are listed that would do, and ours is not among them.
  /\bshould be 'system'(?!.*'developer')/i,
  // What a chat template says that counts the roles. Sotto's own alternate but for what has system authority.
  /\broles must alternate\b(?!.*\bin a row\b)/i,
]

/** How gateways say that a tool result is one text and no more. */
const NO_TOOL_RESULT_BLOCKS = [
  /\bdoes(n't| not) support\b[^.]*\btool[_ ]results?\b[^.]*\b(content|blocks?)\b/i,
  /\btool[_ ]results?\b[^.]*\bcontent\b[^.]*\b(must|should|has to) be an? (string|text)\b/i,
  /\btool messages? must contain string content\b/i,
  /\btool[_ ]results?\b[^.]*\b(multiple|more than one|several)\b[^.]*\bnot (supported|allowed)\b/i,
]

/**
 * Finds the carrier that a provider's answer says the model does not take, or undefined if it says anything else. Takes
 * the error of any SDK whole (Anthropic's, OpenAI's and Google's, the AI SDK's, wrapped or not), a response's
 * `{ status, body }` with the body as text or parsed, or the status and the body apart.
 *
 *     const carrier = refusedCarrier(error)
 *     if (carrier) session.refuseCarrier(carrier)   // and call next() again
 */
export function refusedCarrier(error: unknown, response?: unknown): Carrier | undefined {
  const answers = [...answersIn(typeof error === "number" ? { status: error, body: response } : error)]
  const statuses = answers.filter((one) => typeof one === "number")
  const said = answers.filter((one) => typeof one === "string")
  if (statuses.length > 0 && !statuses.some((status) => REFUSALS.includes(status))) return undefined
  const says = (wordings: readonly RegExp[]) =>
    said.some((text) => !ORDINARY.test(text) && wordings.some((wording) => wording.test(text)))
  if (says(NO_PREFILL)) return "assistant-text"
  if (says(NO_SYSTEM_MESSAGE)) return "system-message"
  return says(NO_TOOL_RESULT_BLOCKS) ? "tool-result" : undefined
}

/** How servers name OpenAI's cache breakpoints. What else those options say can be left out by itself. */
const BREAKPOINT_FIELD = /prompt_cache_(breakpoint|options(?!\W{1,3}(comparison_response_id|prewarm)))/

/** True if a provider's answer says that it does not take OpenAI's cache breakpoints. Takes what `refusedCarrier` takes. */
export function refusesBreakpoints(error: unknown): boolean {
  const answers = [...answersIn(error)]
  return (
    answers.some((one) => one === 400 || one === 422) &&
    answers.some((one) => typeof one === "string" && BREAKPOINT_FIELD.test(one))
  )
}

/** What else is wrong with a request may mention the same words. */
const ORDINARY =
  /\b(too long|too large|maximum context|context (length|window|limit)|exceed(s|ed)?|api key|rate limit|non-empty|text content blocks|cache_control|not a valid (json )?schema|invalid schema)\b/i

/** Where SDKs and servers put an answer. What else they carry may echo the conversation. */
const WITHIN =
  "error cause lastError errors response body responseBody data metadata raw detail message msg".split(" ")
const DEEPEST = 10

/** Yields every status and every text of an answer, at whatever depth it stands. */
function* answersIn(value: unknown, depth = 0, seen = new Set<unknown>()): Generator<number | string> {
  if (typeof value === "string") {
    // Some put an answer into a text as it came: `400 {"error":{"message":"…"}}`.
    const parsed = parsedFrom(value)
    if (parsed === undefined) yield value
    else yield* answersIn(parsed, depth + 1, seen)
  }
  if (value === null || typeof value !== "object" || seen.has(value) || depth > DEEPEST) return
  seen.add(value)
  if (Array.isArray(value)) {
    // Of many attempts the last ones say what is wrong now.
    for (const one of value.slice(-DEEPEST)) yield* answersIn(one, depth + 1, seen)
    return
  }
  for (const name of ["status", "statusCode", "code"]) {
    const status = field(value, name)
    if (typeof status === "number" && status >= 400 && status < 600) yield status
  }
  for (const name of WITHIN) yield* answersIn(field(value, name), depth + 1, seen)
}

function parsedFrom(text: string): object | undefined {
  const brace = text.indexOf("{")
  if (brace < 0) return undefined
  try {
    const parsed: unknown = JSON.parse(text.slice(brace))
    return parsed !== null && typeof parsed === "object" ? parsed : undefined
  } catch {
    return undefined
  }
}
