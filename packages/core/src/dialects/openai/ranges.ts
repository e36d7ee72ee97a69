import { field, isFields, stringField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"
import { isOpenSchema } from "./family.js"
import { apiPath, checkLength, unsupported } from "./rules.js"

interface Range {
  readonly least: number
  readonly most?: number
  readonly whole?: true
}

/** The numbers of both APIs. Source: the comments of the official types, and the API's OpenAPI description. */
const NUMBERS: Readonly<Record<string, Range>> = {
  temperature: { least: 0, most: 2 },
  top_p: { least: 0, most: 1 },
  top_logprobs: { least: 0, most: 20, whole: true },
  frequency_penalty: { least: -2, most: 2 },
  presence_penalty: { least: -2, most: 2 },
  n: { least: 1, most: 128, whole: true },
  max_tokens: { least: 1, whole: true },
  max_completion_tokens: { least: 1, whole: true },
  max_output_tokens: { least: 16, whole: true },
  max_tool_calls: { least: 1, whole: true },
}

/** Fields with a closed list of values, in both APIs or in one. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  truncation: ["auto", "disabled"],
  prompt_cache_retention: ["in_memory", "in-memory", "24h"],
}

/** The same, where a new value may come with any release. */
const GROWING: Readonly<Record<string, readonly string[]>> = {
  service_tier: ["auto", "default", "fast", "flex", "scale", "priority"],
  verbosity: ["low", "medium", "high"],
}

const INCLUDES =
  "file_search_call.results web_search_call.results web_search_call.action.sources message.input_image.image_url computer_call_output.output.image_url code_interpreter_call.outputs reasoning.encrypted_content message.output_text.logprobs".split(
    " ",
  )

const LONGEST_IDENTIFIER = 64
const METADATA = { pairs: 16, key: 64, value: 512 }
const MOST_STOPS = 4

/** Checks numbers, words and lists against what OpenAI publishes. Compatible servers draw other lines: there it notes. */
export function checkRanges(body: unknown, model: string, problems: Problems): void {
  const found = new Noted(problems, isOpenSchema(model))
  for (const [name, range] of Object.entries(NUMBERS)) checkNumber(body, name, range, found)
  for (const [name, words] of Object.entries(WORDS)) {
    const value = stringField(body, name)
    if (value !== undefined && !words.includes(value)) unsupported(name, value, words, found)
  }
  for (const [name, words] of Object.entries(GROWING)) {
    const value = stringField(body, name)
    if (value !== undefined && !words.includes(value))
      problems.note(name, `Invalid value: '${value}' is none of the published values: ${words.join(", ")}.`)
  }
  checkLength(stringField(body, "safety_identifier") ?? "", LONGEST_IDENTIFIER, "safety_identifier", found)
  checkStops(field(body, "stop"), found)
  checkMetadata(field(body, "metadata"), found)
  checkBias(field(body, "logit_bias"), found)
  checkInclude(field(body, "include"), found)
  checkCacheOptions(body, found)
  if (typeof field(body, "top_logprobs") === "number" && field(body, "messages") !== undefined)
    if (field(body, "logprobs") !== true)
      found.add("top_logprobs", "'logprobs' must be set to true if 'top_logprobs' is used.")
}

/** Problems that are only worth a note where the server is not OpenAI's. */
class Noted implements Pick<Problems, "add" | "note" | "list"> {
  readonly list: Problems["list"]
  readonly #problems: Problems
  readonly #isOpen: boolean

  constructor(problems: Problems, isOpen: boolean) {
    this.list = problems.list
    this.#problems = problems
    this.#isOpen = isOpen
  }

  add(path: string, message: string): void {
    if (this.#isOpen) this.#problems.note(path, message)
    else this.#problems.add(path, message)
  }

  note(path: string, message: string): void {
    this.#problems.note(path, message)
  }
}

function checkNumber(body: unknown, name: string, { least, most, whole }: Range, found: Noted): void {
  const value = field(body, name) ?? undefined
  if (value === undefined) return
  const kind = whole ? "integer" : "decimal"
  if (typeof value !== "number" || (whole && !Number.isInteger(value)))
    return void wrongType(name, whole ? "an integer" : "a decimal", value, found)
  if (value < least)
    found.add(
      name,
      `Invalid '${name}': ${kind} below minimum value. Expected a value >= ${least}, but got ${value} instead.`,
    )
  if (most !== undefined && value > most)
    found.add(
      name,
      `Invalid '${name}': ${kind} above maximum value. Expected a value <= ${most}, but got ${value} instead.`,
    )
}

function checkStops(stops: unknown, found: Noted): void {
  if (!Array.isArray(stops) || stops.length <= MOST_STOPS) return
  found.add(
    "stop",
    `Invalid 'stop': array too long. Expected an array with maximum length ${MOST_STOPS}, but got an array with length ${stops.length} instead.`,
  )
}

function checkMetadata(metadata: unknown, found: Noted): void {
  const pairs = Object.entries(metadata ?? {})
  if (pairs.length > METADATA.pairs)
    found.add(
      "metadata",
      `Invalid 'metadata': too many properties. Expected an object with at most ${METADATA.pairs} properties, but got an object with ${pairs.length} properties instead.`,
    )
  for (const [key, value] of pairs) {
    if (key.length > METADATA.key)
      found.add(
        "metadata",
        `Invalid 'metadata': property name too long. Expected a property name with maximum length ${METADATA.key}, but got a property name with length ${key.length} instead.`,
      )
    const path = `metadata.${key}`
    if (typeof value !== "string") wrongType(path, "a string", value, found)
    else checkLength(value, METADATA.value, path, found)
  }
}

function checkBias(bias: unknown, found: Noted): void {
  for (const [token, value] of Object.entries(bias ?? {}))
    if (typeof value !== "number" || value < -100 || value > 100)
      found.add(
        "logit_bias",
        `Invalid 'logit_bias.${token}': expected a value between -100 and 100, but got ${JSON.stringify(value)} instead.`,
      )
}

/** Checks how the prompt cache is to be used. Only the Responses API compares, warms up, and keeps entries for 12 hours. */
function checkCacheOptions(body: unknown, found: Noted): void {
  const path = "prompt_cache_options"
  const options = field(body, path) ?? undefined
  if (options === undefined) return
  if (!isFields(options)) return void wrongType(path, "an object", options, found)
  const isChat = field(body, "messages") !== undefined
  for (const [name, value] of Object.entries(options)) {
    const at = `${path}.${name}`
    const word = String(value)
    const words = name === "mode" ? ["implicit", "explicit"] : name === "ttl" ? ["30m", "12h"] : undefined
    const known = isChat && name === "ttl" ? ["30m"] : words
    if (known) {
      if (!known.includes(word)) unsupported(at, word, known, found)
    } else if (!isChat && name === "comparison_response_id") {
      if (value !== null && (typeof value !== "string" || value.trim() === ""))
        wrongType(at, "the ID of a response", value, found)
    } else if (!isChat && name === "prewarm") {
      if (typeof value !== "boolean") wrongType(at, "a boolean", value, found)
    } else found.add(at, `Unknown parameter: '${at}'.`)
  }
}

function wrongType(path: string, wanted: string, value: unknown, found: Noted): void {
  found.add(path, `Invalid type for '${path}': expected ${wanted}, but got ${JSON.stringify(value)} instead.`)
}

function checkInclude(include: unknown, found: Noted): void {
  if (!Array.isArray(include)) return
  include.forEach((one: unknown, i) => {
    const path = `include.${i}`
    if (typeof one !== "string")
      found.add(path, `Invalid type for '${apiPath(path)}': expected one of ${INCLUDES.join(", ")}.`)
    else if (!INCLUDES.includes(one)) unsupported(path, one, INCLUDES, found)
  })
}
