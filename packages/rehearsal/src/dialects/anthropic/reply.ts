import type { Json } from "@sotto/core"
import type { ServerSentEvent } from "../../reply/frame.js"
import {
  argumentsOf,
  jsonPieces,
  pieces,
  type ReplyPart,
  type ReplyStop,
  type ScriptedReply,
} from "../../reply/reply.js"

/** Makes the whole message. */
export function response(reply: ScriptedReply): Json {
  return {
    ...message(reply),
    content: reply.parts.map((part) => block(part, reply)),
    ...ending(reply),
    usage: usage(reply),
  }
}

/** Makes the message as a stream of events. */
export function frames(reply: ScriptedReply): readonly ServerSentEvent[] {
  const started = {
    ...message(reply),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usage(reply, 1),
  }
  return [
    {
      ...frame({ type: "message_start", message: started }),
      counted: { ...reply.usage, output: 1, reasoning: 0 },
    },
    ...reply.parts.flatMap((part, index) => blockFrames(part, index, reply)),
    {
      ...frame({ type: "message_delta", delta: ending(reply), usage: finalUsage(reply) }),
      counted: reply.usage,
    },
    frame({ type: "message_stop" }),
  ]
}

function blockFrames(part: ReplyPart, index: number, reply: ScriptedReply): readonly ServerSentEvent[] {
  const deltas = (list: readonly Json[]) =>
    list.map(
      (delta): ServerSentEvent => ({ ...frame({ type: "content_block_delta", index, delta }), token: true }),
    )
  return [
    frame({ type: "content_block_start", index, content_block: emptyBlock(part) }),
    // The real API pings once the first block has begun.
    ...(index === 0 ? [frame({ type: "ping" })] : []),
    ...deltas(deltasOf(part, reply)),
    frame({ type: "content_block_stop", index }),
  ]
}

function deltasOf(part: ReplyPart, reply: ScriptedReply): readonly Json[] {
  switch (part.type) {
    case "text":
      return pieces(part.text).map((text) => ({ type: "text_delta", text }))
    case "reasoning":
      return [
        ...pieces(part.text).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: reply.signature },
      ]
    case "tool-call":
      return ["", ...jsonPieces(argumentsOf(part))].map((json) => ({
        type: "input_json_delta",
        partial_json: json,
      }))
  }
}

function block(part: ReplyPart, reply: ScriptedReply): Json {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text }
    case "reasoning":
      return { type: "thinking", thinking: part.text, signature: reply.signature }
    case "tool-call":
      return {
        type: "tool_use",
        id: part.id,
        name: part.name,
        input: part.malformed ? argumentsOf(part) : part.input,
      }
  }
}

function emptyBlock(part: ReplyPart): Json {
  switch (part.type) {
    case "text":
      return { type: "text", text: "" }
    case "reasoning":
      return { type: "thinking", thinking: "", signature: "" }
    case "tool-call":
      return { type: "tool_use", id: part.id, name: part.name, input: {} }
  }
}

function message({ key, model, diagnostics }: ScriptedReply) {
  return {
    id: messageId(key),
    type: "message",
    role: "assistant",
    model,
    ...(diagnostics !== undefined && { diagnostics }),
  } as const
}

export function messageId(key: string): string {
  return `msg_${key}`
}

const STOP_REASONS: Readonly<Record<ReplyStop, string>> = {
  end: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  refusal: "refusal",
}

function ending({ stop }: ScriptedReply) {
  return { stop_reason: STOP_REASONS[stop], stop_sequence: null }
}

/** Counts the usage. What was read from the cache and what was written to it are not part of `input_tokens`. */
function usage({ usage }: ScriptedReply, output = usage.output) {
  return {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: "standard",
  }
}

function finalUsage(reply: ScriptedReply): Json {
  const { cache_creation: _, service_tier: __, ...figures } = usage(reply)
  return figures
}

function frame(data: { readonly type: string; readonly [key: string]: Json }): ServerSentEvent {
  return { event: data.type, data }
}
