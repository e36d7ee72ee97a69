import type { AssistantPart } from "../../message/message.js"
import type { Reply, Usage } from "../../message/reply.js"
import { type Delta, eventData, field, listField, stringField } from "../dialect.js"
import { providerError, usageOf } from "../openai/answer.js"
import { Calls } from "./calls.js"
import { REASONING_FIELDS } from "./reasoning.js"

/** A whole response: a stream of one event, whose message says all that its deltas would. */
export function decode(response: unknown): Reply {
  const stream = decoder()
  const [choice] = listField(response, "choices")
  const whole = choice === undefined ? [] : [{ ...(choice as object), delta: field(choice, "message") }]
  stream.push({ ...(response as object), choices: whole })
  stream.push("[DONE]")
  return stream.end()
}

/** A response as it streams: the data of each server-sent event, in order; "[DONE]" may be among them. */
export function decoder(): { push(event: unknown): readonly Delta[]; end(): Reply } {
  const calls = new Calls()
  const reasoning = { field: REASONING_FIELDS[0] as string, text: "" }
  let text = ""
  let refused = false
  let finish: string | undefined
  let done = false
  let usage: Usage | undefined

  function push(sent: unknown): readonly Delta[] {
    const event = eventData(sent)
    if (event === "[DONE]") return complete()
    const [choice] = listField(event, "choices")
    const error = field(event, "error") ?? field(choice, "error")
    if (error !== undefined && error !== null) throw providerError(error)
    if (stringField(event, "object") === "error") throw providerError(event)
    usage = usageOf(field(event, "usage")) ?? usage
    const delta = field(choice, "delta")
    const deltas = [...thought(delta), ...said(delta), ...calls.push(listField(delta, "tool_calls"))]
    finish = stringField(choice, "finish_reason") ?? finish
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

  /** Only with the end of the stream is it certain that a call is whole. */
  function complete(): readonly Delta[] {
    if (done) return []
    done = true
    return calls
      .parts(done, finish === "length")
      .map(({ id, name, input }) => ({ type: "tool-call", id, name, input }))
  }

  function end(): Reply {
    const called = calls.parts(done, finish === "length")
    const stop =
      finish === undefined ? undefined : refused ? "refusal" : stopReason(finish, called.length > 0)
    return { parts: [...spokenParts(), ...called], ...(stop && { stop }), ...(usage && { usage }) }
  }

  function spokenParts(): readonly AssistantPart[] {
    const verbatim = { dialect: "openai-chat", block: { [reasoning.field]: reasoning.text } }
    return [
      ...(reasoning.text === "" ? [] : [{ type: "reasoning", text: reasoning.text, verbatim } as const]),
      ...(text === "" ? [] : [{ type: "text", text } as const]),
    ]
  }

  return { push, end }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content
  return Array.isArray(content) ? content.map((part) => stringField(part, "text") ?? "").join("") : ""
}

function stopReason(reason: string, called: boolean): NonNullable<Reply["stop"]> {
  switch (reason) {
    case "stop":
      // Some servers say so of calls too.
      return called ? "tool-calls" : "end"
    case "tool_calls":
    case "function_call":
      return "tool-calls"
    case "length":
      return "length"
    case "content_filter":
      return "refusal"
    default:
      return "other"
  }
}
