import { field, isFields, listField, numberField, stringField } from "../../vocabulary/fields.js"
import type { Json } from "../../vocabulary/json.js"
import { type AssistantPart, isBlank } from "../../vocabulary/message.js"
import { endedBy, type Reply, type Stop, type Usage } from "../../vocabulary/reply.js"
import {
  type Decoder,
  type Delta,
  decoderOf,
  eventObject,
  MalformedReply,
  ProviderError,
  verbatimOf,
} from "../dialect.js"
import { legalPart } from "./replay.js"

/** Decodes a whole response, or the list of chunks that the streaming method gives where no events are asked for. */
export function decode(response: unknown): Reply {
  const whole = decoder()
  for (const chunk of Array.isArray(response) ? response : [response]) whole.push(chunk)
  if (!whole.ended()) throw new MalformedReply("it has no `finishReason`")
  return whole.end()
}

/** Decodes a response as it streams: every event is a whole response with a part of the content. */
export function decoder(): Decoder {
  const parts: ResponsePart[] = []
  const calls = new Set<string>()
  let why: string | undefined
  let blocked = false
  let usage: Usage | undefined

  function push(sent: unknown): readonly Delta[] {
    const event = eventObject(sent)
    const error = field(event, "error")
    if (error !== undefined && error !== null) throw providerError(error)
    if (!FIELDS.some((name) => field(event, name) !== undefined))
      throw new MalformedReply("an event is no part of a response")
    const metadata = field(event, "usageMetadata")
    if (metadata !== undefined) usage = usageOf(metadata)
    const block = stringField(field(event, "promptFeedback"), "blockReason")
    blocked ||= block !== undefined
    const [candidate] = listField(event, "candidates")
    // Some models give the reason with every chunk: what comes after the first of them still counts.
    why = stringField(candidate, "finishReason") ?? block ?? why
    const sentParts = listField(field(candidate, "content"), "parts") as readonly ResponsePart[]
    const ids = sentParts.flatMap((part) => callOf(part)?.id || [])
    const again = ids.find((id) => calls.has(id))
    // Within one event models do give several calls one id; in a later event it is the same event again.
    if (again !== undefined) throw new MalformedReply(`the call ${again} comes twice`)
    for (const id of ids) calls.add(id)
    return sentParts.flatMap((part) => take(parts, part))
  }

  function soFar(): Reply {
    const said = parts.map(partOf)
    const stop = why === undefined ? undefined : blocked ? "filtered" : stopReason(why, said)
    return { parts: said, ...endedBy(stop, why), ...(usage && { usage }) }
  }

  return decoderOf(push, () => why !== undefined, soFar, "a finishReason")
}

/** What some chunk of a response has. */
const FIELDS = ["candidates", "promptFeedback", "usageMetadata", "responseId", "modelVersion"]

type ResponsePart = { readonly [field: string]: Json }

/**
 * Adds a part. Text grows from event to event. A signed part stays alone: its signature holds for that part and no
 * other.
 */
function take(parts: ResponsePart[], part: ResponsePart): readonly Delta[] {
  const call = callOf(part)
  const text = stringField(part, "text")
  const last = parts.at(-1)
  if (text === "" && !isSigned(part)) return []
  const before = stringField(last, "text")
  if (
    text !== undefined &&
    before !== undefined &&
    !isSigned(part) &&
    !isSigned(last) &&
    isThought(part) === isThought(last)
  )
    parts[parts.length - 1] = { ...last, text: before + text }
  else parts.push(part)
  if (call)
    return [
      { type: "tool-call-start", id: call.id, name: call.name },
      { type: "tool-call", ...call },
    ]
  return text ? [{ type: isThought(part) ? "reasoning" : "text", text }] : []
}

function partOf(part: ResponsePart): AssistantPart {
  const verbatim = verbatimOf("gemini", part, legalPart)
  const own = isSigned(part) ? { verbatim } : {}
  const call = callOf(part)
  if (call) return { type: "tool-call", ...call, ...own }
  const text = stringField(part, "text")
  const signature = stringField(part, "thoughtSignature")
  if (text !== undefined && isThought(part))
    return { type: "reasoning", text, ...(signature !== undefined && { signature }), ...own }
  // A signature often comes last, on a text with nothing in it; as text it would be dropped for being empty.
  if (text !== undefined && !(isSigned(part) && isBlank(text))) return { type: "text", text, ...own }
  return { type: "reasoning", text: "", signature: signature ?? "", verbatim }
}

function callOf(
  part: ResponsePart,
): { readonly id: string; readonly name: string; readonly input: Json } | undefined {
  const call = field(part, "functionCall")
  if (!isFields(call)) return undefined
  const input = (field(call, "args") ?? {}) as Json
  return { id: stringField(call, "id") ?? "", name: stringField(call, "name") ?? "", input }
}

function isThought(part: unknown): boolean {
  return field(part, "thought") === true
}

function isSigned(part: unknown): boolean {
  return field(part, "thoughtSignature") !== undefined
}

function stopReason(reason: string, parts: readonly AssistantPart[]): Stop {
  switch (reason) {
    case "STOP":
      return parts.some((part) => part.type === "tool-call") ? "tool-calls" : "end"
    case "MAX_TOKENS":
      return "length"
    case "SAFETY":
    case "RECITATION":
    case "LANGUAGE":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
    case "MODEL_ARMOR":
    case "IMAGE_SAFETY":
    case "IMAGE_PROHIBITED_CONTENT":
    case "IMAGE_RECITATION":
      return "filtered"
    case "MALFORMED_FUNCTION_CALL":
    case "UNEXPECTED_TOOL_CALL":
    case "MALFORMED_RESPONSE":
      return "malformed"
    default:
      return "other"
  }
}

function usageOf(metadata: unknown): Usage {
  const cacheRead = numberField(metadata, "cachedContentTokenCount")
  return {
    input: Math.max(0, numberField(metadata, "promptTokenCount") - cacheRead),
    output: numberField(metadata, "candidatesTokenCount") + numberField(metadata, "thoughtsTokenCount"),
    cacheRead,
    cacheWrite: 0,
  }
}

const RETRYABLE = ["RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED"]

function providerError(error: unknown): ProviderError {
  const kind = stringField(error, "status") ?? "INTERNAL"
  return new ProviderError(stringField(error, "message") ?? kind, kind, RETRYABLE.includes(kind))
}
