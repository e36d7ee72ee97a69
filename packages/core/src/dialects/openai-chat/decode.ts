import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { AssistantPart } from "../../vocabulary/message.js"
import { cutAtLimit, endedBy, type Reply, type Stop, type Usage } from "../../vocabulary/reply.js"
import {
  type Decoder,
  type Delta,
  decoderOf,
  eventData,
  eventObject,
  MalformedReply,
  readable,
} from "../dialect.js"
import { providerError, usageOf } from "../openai/answer.js"
import { Calls } from "./calls.js"
import { REASONING_FIELDS } from "./thought-fields.js"

/** Decodes a whole response: a stream of one event, whose message says all that its deltas would. */
export function decode(response: unknown): Reply {
  return readable(() => whole(response))
}

function whole(response: unknown): Reply {
  const stream = decoder()
  const [choice] = listField(response, "choices")
  const message = field(choice, "message")
  const failed = field(response, "error") ?? field(choice, "error")
  const isError = failed !== undefined || stringField(response, "object") === "error"
  if (!isError && (message === null || typeof message !== "object"))
    throw new MalformedReply("it has no `choices` with a `message`")
  stream.push({ ...(response as object), choices: [{ ...(choice as object), delta: message }] })
  stream.push("[DONE]")
  return stream.end()
}

/** Decodes a response as it streams: the data of each server-sent event, in order; "[DONE]" may be among them. */
export function decoder(): Decoder {
  const calls = new Calls()
  const reasoning = { field: REASONING_FIELDS[0] as string, text: "" }
  let text = ""
  let refused = false
  let finish: string | undefined
  /** "[DONE]" came. */
  let done = false
  /** The calls were told of. */
  let told = false
  let usage: Usage | undefined

  function push(sent: unknown): readonly Delta[] {
    if (eventData(sent) === "[DONE]") {
      done = true
      return complete()
    }
    const event = eventObject(sent)
    const [choice] = listField(event, "choices")
    const error = field(event, "error") ?? field(choice, "error")
    if (error !== undefined && error !== null) throw providerError(error)
    if (stringField(event, "object") === "error") throw providerError(event)
    if (!FIELDS.some((name) => field(event, name) !== undefined))
      throw new MalformedReply("an event is no part of a chat completion")
    usage = usageOf(field(event, "usage")) ?? usage
    const isOver = done || finish !== undefined
    const delta = field(choice, "delta")
    const called = listField(delta, "tool_calls")
    const deltas = [...thought(delta), ...said(delta), ...calls.push(called)]
    // After the end servers still send figures and empty pieces.
    if (isOver && deltas.length + called.length > 0)
      throw new MalformedReply("the reply goes on after its end")
    finish = stringField(choice, "finish_reason") || finish
    if (finish !== undefined && FAILED.includes(finish))
      throw providerError({ code: finish, type: "server_error" })
    return finish === undefined ? deltas : [...deltas, ...complete()]
  }

  function thought(delta: unknown): readonly Delta[] {
    const name = REASONING_FIELDS.find((one) => stringField(delta, one))
    if (name === undefined) return []
    const more = stringField(delta, name) ?? ""
    reasoning.field = name
    reasoning.text += more
    return [{ type: "reasoning", text: more }]
  }

  function said(delta: unknown): readonly Delta[] {
    const refusal = stringField(delta, "refusal") ?? ""
    if (refusal !== "") refused = true
    const more = textOf(field(delta, "content")) + refusal
    text += more
    return more === "" ? [] : [{ type: "text", text: more }]
  }

  /** Tells of calls at the end of the stream: only then is it certain that a call is whole. */
  function complete(): readonly Delta[] {
    if (told) return []
    told = true
    return calls.parts(true).map(({ id, name, input }) => ({ type: "tool-call", id, name, input }))
  }

  function soFar(): Reply {
    const called = calls.parts(done || finish !== undefined)
    // Some servers leave out why the model stopped, and say only that they are done.
    const said = finish ?? (done ? "stop" : undefined)
    const stop = said && (refused ? "refusal" : stopReason(said, called.length > 0))
    const parts = cutAtLimit([...spokenParts(), ...called], stop || undefined)
    return { parts, ...endedBy(stop || undefined, finish), ...(usage && { usage }) }
  }

  function spokenParts(): readonly AssistantPart[] {
    const verbatim = { dialect: "openai-chat", block: { [reasoning.field]: reasoning.text } }
    return [
      ...(reasoning.text === "" ? [] : [{ type: "reasoning", text: reasoning.text, verbatim } as const]),
      ...(text === "" ? [] : [{ type: "text", text } as const]),
    ]
  }

  return decoderOf(push, () => done || finish !== undefined, soFar, "a finish_reason or [DONE]")
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content
  return Array.isArray(content) ? content.map((part) => stringField(part, "text") ?? "").join("") : ""
}

/** What some event of a chat completion has. */
const FIELDS = ["choices", "usage", "id", "object", "type", "model"]

/** Reasons to stop that are failures of the server. */
const FAILED = ["error", "network_error", "insufficient_system_resource"]

/** Reads why a reply stopped, as compatible servers word it too. */
function stopReason(reason: string, called: boolean): Stop {
  switch (reason.toLowerCase()) {
    case "stop":
    case "stop_sequence":
    case "eos":
    case "eos_token":
    case "end_turn":
    case "complete":
      // Some servers say so of calls too.
      return called ? "tool-calls" : "end"
    case "tool_calls":
    case "tool_use":
    case "function_call":
      return "tool-calls"
    case "length":
    case "max_tokens":
    case "model_length":
      return "length"
    case "content_filter":
    case "sensitive":
    case "safety":
      return "filtered"
    case "refusal":
      return "refusal"
    case "model_context_window_exceeded":
    case "context_length_exceeded":
      return "overflow"
    case "pause_turn":
      return "paused"
    default:
      return "other"
  }
}
