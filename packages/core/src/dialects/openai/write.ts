import { Fingerprint } from "../../text/fingerprint.js"
import { inputObject, wireId } from "../../vocabulary/fields.js"
import type { ToolCallPart } from "../../vocabulary/message.js"
import type { ModelSettings } from "../../vocabulary/model-settings.js"
import type { Pins, Request } from "../../vocabulary/request.js"
import type { ToolDefinition } from "../../vocabulary/tool.js"
import type { MediaBlock, WireMessage } from "../../vocabulary/wire-message.js"
import { type EncodeOptions, withOptions } from "../dialect.js"
import { objectSchema } from "../json-schema.js"
import type { PromptCacheOptions } from "./body.js"
import { isOpenAis } from "./family.js"

/** What both of OpenAI's APIs want written the same way. */

export const LONGEST_CALL_ID = { responses: 64, chat: 40 } as const
export const LONGEST_NAME = 64
export const LONGEST_CACHE_KEY = 64

/** Marks the end of what later requests begin with too. It stays where it is: all that was sent keeps its bytes. */
export const BREAKPOINT = { prompt_cache_breakpoint: { mode: "explicit" } } as const

/** Puts a breakpoint on the last of these parts, if the message is to carry one. */
export function marked<Part extends object>(parts: readonly Part[], isMarked: boolean): Part[] {
  const last = parts.length - 1
  return parts.map((part, i) => (isMarked && i === last ? { ...part, ...BREAKPOINT } : part))
}

/** True if a message that goes up ends with a breakpoint. A question beside the conversation has none. */
export function isMarked(message: WireMessage, pins: Pins): boolean {
  return setsBreakpoints(pins) && !(message.role === "user" && message.aside === true)
}

/** True if OpenAI's API can be told where its cache entries end. Only lists of parts can carry a breakpoint. */
export function marksCache({ capabilities, model }: Pins): boolean {
  return capabilities.cacheBreakpoints === true && capabilities.contentParts && isOpenAis(model)
}

/** The pins of requests to servers that refuse breakpoints, by those of the session, and by themselves. */
const UNMARKED = new WeakMap<Pins, Pins>()

/** True if the body tells the API where its cache entries end. */
export function setsBreakpoints(pins: Pins): boolean {
  return marksCache(pins) && UNMARKED.get(pins) !== pins
}

/**
 * Gives the same request for a server that refuses cache breakpoints, as some gateways do: the fields are left out, and all
 * else keeps its bytes. `refusesBreakpoints(error)` says when to use it.
 */
export function withoutBreakpoints(request: Request): Request {
  const pins = UNMARKED.get(request.pins) ?? { ...request.pins }
  UNMARKED.set(request.pins, pins).set(pins, pins)
  return { ...request, pins }
}

/** Has the API set no breakpoint of its own, which would write what only this request reads. `more` joins what it says. */
export function cacheOptions(
  { pins }: Request,
  more: object = {},
): false | { readonly prompt_cache_options: PromptCacheOptions } {
  return setsBreakpoints(pins) && { prompt_cache_options: { mode: "explicit", ...more } }
}

/** The least that either API may be told to write. */
const FEWEST_TOKENS = 16

/** Gives the most that the model may write; undefined if that is left to the API. */
export function mostTokens({ answer }: Request, { maxTokens }: EncodeOptions): number | undefined {
  return maxTokens ?? (answer === false ? FEWEST_TOKENS : undefined)
}

/** Names the cache that the request is sorted under: the same for all requests of a session. */
export function cacheKeyOf({ pins, session }: Request): string {
  return shortened(pins.cacheKey ?? session, LONGEST_CACHE_KEY)
}

/** Gives the fields that both APIs have behind the conversation. */
export function parametersOf(
  { pins, toolChoice }: Request,
  options: EncodeOptions,
  asking: object,
  tools = pins.tools,
) {
  const { stream, extra } = options
  return {
    ...(stream !== undefined && { stream }),
    ...withOptions(asking, pins.options, "reasoning"),
    // Tools stay defined byte for byte; only calling them is forbidden.
    ...(toolChoice === "none" && tools.length > 0 && { tool_choice: "none" }),
    ...extra,
  }
}

/** Says how words are chosen, if the model lets others choose. */
export function samplingOf({ temperature, topP }: ModelSettings, isTaken: boolean) {
  if (!isTaken) return {}
  return { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { top_p: topP }) }
}

/** Shortens a text to what the API takes; a fingerprint tells cut texts apart. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  const print = new Fingerprint().add(text).toString()
  return `${text.slice(0, longest - print.length - 1)}_${print}`
}

export function callIdOf(id: string, longest: number): string {
  return shortened(id, longest)
}

/** Encodes a call. Another provider's model may have called what OpenAI would not let it call. */
export function calledFunction({ name, input }: ToolCallPart): { name: string; arguments: string } {
  return {
    name: shortened(wireId(name), LONGEST_NAME) || "unnamed",
    arguments: JSON.stringify(inputObject(input)),
  }
}

/** Gives a tool's schema. An object without properties is refused unless it says that it has none. */
export function schemaOf(tool: Pick<ToolDefinition, "inputSchema">) {
  // Both APIs refuse these at the top.
  const { enum: _, not: __, ...schema } = objectSchema(tool.inputSchema)
  return { properties: {}, ...schema, type: "object" } as const
}

/** Neither API has a field for it. */
export const FAILED = "[this call failed]"

export function dataUrl({ mediaType, data }: MediaBlock): string {
  return `data:${mediaType};base64,${data}`
}

/** Names a file: one without a name is refused. */
export function fileName({ name }: MediaBlock): string {
  return name ?? "document.pdf"
}
