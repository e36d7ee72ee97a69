import { field, listField, stringField } from "../../vocabulary/fields.js"
import { isBase64 } from "../base64.js"
import type { Problems } from "../problems.js"

interface Range {
  readonly least: number
  readonly most?: number
  readonly words: string
}

/** The numbers of a generation config. Sources: the comments of the official types, "GenerationConfig" of the reference. */
const NUMBERS: Readonly<Record<string, Range>> = {
  temperature: { least: 0, most: 2, words: "temperature must be in the range [0.0, 2.0]." },
  topP: { least: 0, most: 1, words: "top_p must be in the range [0.0, 1.0]." },
  topK: { least: 1, words: "top_k must be positive." },
  candidateCount: { least: 1, most: 8, words: "candidate_count must be in the range [1, 8]." },
  maxOutputTokens: { least: 1, words: "max_output_tokens must be positive." },
  frequencyPenalty: { least: -2, most: 2, words: "frequency_penalty must be in the range [-2.0, 2.0]." },
  presencePenalty: { least: -2, most: 2, words: "presence_penalty must be in the range [-2.0, 2.0]." },
  logprobs: { least: 0, most: 20, words: "logprobs must be in the range [0, 20]." },
}

const WHOLE = ["topK", "candidateCount", "maxOutputTokens", "logprobs", "seed"]
const MOST_STOPS = 5

export function checkGenerationConfig(body: unknown, problems: Problems): void {
  const config = field(body, "generationConfig")
  if (config === null || typeof config !== "object") return
  const refuse = (name: string, words: string) =>
    problems.add(
      `generationConfig.${name}`,
      `* GenerateContentRequest.generation_config.${snake(name)}: ${words}`,
    )
  for (const [name, { least, most = Number.POSITIVE_INFINITY, words }] of Object.entries(NUMBERS)) {
    const value = field(config, name) ?? undefined
    if (typeof value === "number" && (value < least || value > most)) refuse(name, words)
  }
  for (const name of [...Object.keys(NUMBERS), "seed"]) {
    const value = field(config, name) ?? undefined
    // Google's parser reads "40" as a number.
    const number = typeof value === "string" ? Number(value) : value
    if (
      value === undefined ||
      (Number.isFinite(number) && (!WHOLE.includes(name) || Number.isInteger(number)))
    )
      continue
    problems.add(
      `generationConfig.${name}`,
      `Invalid value at 'generation_config.${snake(name)}' (${WHOLE.includes(name) ? "TYPE_INT32" : "TYPE_FLOAT"}), ${JSON.stringify(value)}`,
    )
  }
  const stops = listField(config, "stopSequences")
  if (stops.length > MOST_STOPS)
    refuse("stopSequences", `the number of stop_sequences must not exceed ${MOST_STOPS}.`)
  if (stops.includes("")) refuse("stopSequences", "stop_sequence must not be empty.")
  if (field(config, "logprobs") !== undefined && field(config, "responseLogprobs") !== true)
    refuse("logprobs", "logprobs is only valid when response_logprobs is true.")
  const thinking = field(config, "thinkingConfig")
  if (field(thinking, "thinkingBudget") !== undefined && field(thinking, "thinkingLevel") !== undefined)
    problems.add(
      "generationConfig.thinkingConfig",
      "You can only set only one of thinking budget and thinking level.",
    )
}

/** The images that the guide lists. */
const IMAGES = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]
/** Images that it does not list, and that were reported to pass on some models. */
const UNSURE = ["image/gif", "image/avif"]

/** Checks data in a part: whether it can be read, and whether images are of a kind that the model sees. */
export function checkInlineData(part: unknown, at: string, problems: Problems): void {
  const media = field(part, "inlineData")
  const data = stringField(media, "data") ?? ""
  const mimeType = stringField(media, "mimeType") ?? ""
  if (data === "") return
  // Google's parser takes both alphabets of base64.
  if (!isBase64(data.replace(/-/g, "+").replace(/_/g, "/")))
    problems.add(
      at,
      `Invalid value at '${at}.inline_data.data' (TYPE_BYTES), Base64 decoding failed for "${data.slice(0, 40)}"`,
    )
  if (!mimeType.startsWith("image/") || IMAGES.includes(mimeType)) return
  const words = `Unsupported MIME type: ${mimeType}`
  if (UNSURE.includes(mimeType)) problems.note(at, words)
  else problems.add(at, words)
}

/** Checks that the parameters of a function are a message of the API's, not any JSON. */
export function checkParameters(declaration: unknown, path: string, problems: Problems): void {
  for (const name of ["parameters", "parametersJsonSchema"] as const) {
    const properties = field(field(declaration, name), "properties")
    if (!Array.isArray(properties)) continue
    const at = `${path}.${name}.properties`
    if (name === "parameters")
      problems.add(
        at,
        `Invalid JSON payload received. Unknown name "properties" at '${path}.parameters': Proto field is not repeating, cannot start list.`,
      )
    else problems.note(at, "A JSON Schema lists its properties by name.")
  }
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
