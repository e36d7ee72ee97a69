import { type Fields, field, inputObject, isFields, stringField, wireName } from "../../vocabulary/fields.js"
import type { Json } from "../../vocabulary/json.js"
import { isBase64 } from "../../vocabulary/message.js"

export const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** What a part holds: exactly one of these. */
export const DATA = words(
  "text inlineData functionCall functionResponse fileData executableCode codeExecutionResult toolCall toolResponse",
)

/** What may stand beside it. */
export const BESIDES = words(
  "thought thoughtSignature videoMetadata mediaResolution mediaProcessing partMetadata speechMetadata audioTranscription",
)

export const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/

/** Makes a function name that does not begin with a digit, which Gemini refuses. */
export function functionName(name: string): string {
  return wireName(name).replace(/^[^a-zA-Z_]/, "_$&")
}

export function legalPart(part: Json): Fields | undefined {
  if (!isFields(part)) return undefined
  const all = Object.entries(part)
  const kept = all.flatMap(([name, value]) => {
    const legal = legalValue(name, value)
    return legal === undefined ? [] : [[name, legal] as const]
  })
  const [only, ...others] = kept.filter(([name]) => DATA.has(name))
  // A text with nothing in it may still bring a signature back.
  const isEmpty = only?.[1] === "" && !kept.some(([name]) => name === "thoughtSignature")
  if (only === undefined || others.length > 0 || isEmpty) return undefined
  const isWhole = kept.length === all.length && kept.every(([name, value]) => value === part[name])
  return isWhole ? part : Object.fromEntries(kept)
}

/** Types of data that the API takes: of images only those that it knows. */
const SHOWN = /^(?!image\/).|^image\/(png|jpeg|webp|heic|heif|gif|avif)$/

/** Returns a field as it may be sent, or undefined to leave it out. */
function legalValue(name: string, value: Json): Json | undefined {
  switch (name) {
    case "text":
      return typeof value === "string" ? value : undefined
    case "thought":
      return typeof value === "boolean" ? value : undefined
    case "thoughtSignature":
      return typeof value === "string" && value !== "" ? value : undefined
    case "inlineData":
      return isBase64(field(value, "data")) && SHOWN.test(stringField(value, "mimeType") ?? "")
        ? value
        : undefined
    case "functionCall":
      return isFields(value) ? legalCall(value) : undefined
    // Only a client writes it.
    case "functionResponse":
      return undefined
    default:
      return isFields(value) && (DATA.has(name) || BESIDES.has(name)) ? value : undefined
  }
}

function legalCall(call: Fields): Fields {
  const { id, name, args = {} } = call
  const isLegal = typeof name === "string" && FUNCTION_NAME.test(name) && isFields(args)
  if (isLegal && Object.keys(call).every((one) => CALL.has(one))) return call
  const called = typeof name === "string" ? name : ""
  return {
    ...(typeof id === "string" && { id }),
    name: isLegal ? called : functionName(called),
    args: inputObject(args),
  }
}

const CALL = words("id name args partialArgs willContinue")
