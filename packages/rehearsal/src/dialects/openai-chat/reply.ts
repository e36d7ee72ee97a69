import type { Json } from "@sotto/core"
import { field } from "@sotto/core/dialect"
import type { ServerSentEvent } from "../../reply/frame.js"
import {
  argumentsOf,
  jsonPieces,
  pieces,
  type ReplyCall,
  type ReplyPart,
  type ReplyStop,
  type ScriptedReply,
} from "../../reply/reply.js"
import { callableNamed, customInput, isOpenAis } from "../openai/content.js"

type Object = { readonly [key: string]: Json }

/** Makes the whole completion. */
export function response(reply: ScriptedReply, body: unknown): Json {
  const reasoning = seenReasoning(reply)
  const calls = callsOf(reply)
  const message = {
    role: "assistant",
    content: joined(reply.parts, "text") || null,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, body)) }),
  }
  return {
    ...head(reply, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[reply.stop] }],
    usage: usage(reply),
  }
}

/** Makes the completion as a stream of chunks: the role first, then what is said, then why it ended. */
export function frames(reply: ScriptedReply, body: unknown): readonly ServerSentEvent[] {
  const withUsage = field(field(body, "stream_options"), "include_usage") === true
  const start = head(reply, "chat.completion.chunk")
  const chunk = (delta: Object, finish_reason: string | null = null): ServerSentEvent => ({
    data: {
      ...start,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(withUsage && { usage: null }),
    },
  })
  const said = (delta: Object): ServerSentEvent => ({ ...chunk(delta), token: true })
  return [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...pieces(seenReasoning(reply)).map((reasoning_content) => said({ reasoning_content })),
    ...pieces(joined(reply.parts, "text")).map((content) => said({ content })),
    ...callsOf(reply).flatMap((call, index) => {
      const { key, name, text } = inputOf(call, body)
      return [
        chunk({ tool_calls: [{ index, ...toolCall(call, body, "") }] }),
        ...jsonPieces(text).map((piece) => said({ tool_calls: [{ index, [key]: { [name]: piece } }] })),
      ]
    }),
    chunk({}, FINISH_REASONS[reply.stop]),
    ...(withUsage ? [{ data: { ...start, choices: [], usage: usage(reply) }, counted: reply.usage }] : []),
    { data: "[DONE]" },
  ]
}

const FINISH_REASONS: Readonly<Record<ReplyStop, string>> = {
  end: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  refusal: "content_filter",
}

function head({ key, createdAt, model }: ScriptedReply, object: string): Object {
  return {
    id: `chatcmpl-${key}`,
    object,
    created: createdAt,
    model,
    service_tier: "default",
    system_fingerprint: "fp_rehearsal",
  }
}

function callsOf({ parts }: ScriptedReply): readonly ReplyCall[] {
  return parts.filter((part) => part.type === "tool-call")
}

function toolCall(call: ReplyCall, body: unknown, written?: string): Object {
  const { key, name, text } = inputOf(call, body)
  return { id: call.id, type: key, [key]: { name: call.name, [name]: written ?? text } }
}

/** Tells where the input of a call stands, and what it is: JSON for a function, plain text for a custom tool. */
function inputOf(call: ReplyCall, body: unknown) {
  if (callableNamed(body, call.name)?.kind === "custom")
    return { key: "custom", name: "input", text: customInput(call.input) } as const
  return { key: "function", name: "arguments", text: argumentsOf(call) } as const
}

/**
 * Gives the reasoning that a client sees: OpenAI's own models keep it to themselves here; compatible servers have a
 * field for it.
 */
function seenReasoning({ parts, model }: ScriptedReply): string {
  return isOpenAis(model) ? "" : joined(parts, "reasoning")
}

function joined(parts: readonly ReplyPart[], type: "text" | "reasoning"): string {
  return parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("")
}

/** Counts the usage. What was read from the cache, and what was written to it, are part of `prompt_tokens`. */
function usage({ usage: { input, cacheRead, cacheWrite, output, reasoning } }: ScriptedReply): Object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  }
}
