import type { Json } from "@sotto/core"
import type { ServerSentEvent } from "../../reply/frame.js"
import {
  argumentsOf,
  FOUND,
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
    content: blocksOf(reply).map((part) => block(part, reply)),
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
    ...blocksOf(reply).flatMap((part, index) => blockFrames(part, index, reply)),
    {
      ...frame({ type: "message_delta", delta: ending(reply), usage: finalUsage(reply) }),
      counted: reply.usage,
    },
    frame({ type: "message_stop" }),
  ]
}

/** A part that is one block. A search is two: the call, and what the API found. */
type Block = ReplyPart | { readonly type: "found"; readonly query: string } | CitingText

/** Text behind a search quotes what was found. */
type CitingText = { readonly type: "citing"; readonly text: string }

function blocksOf({ parts }: ScriptedReply): readonly Block[] {
  const searched = parts.findIndex(({ type }) => type === "search")
  return parts.flatMap((part, i): readonly Block[] => {
    if (part.type === "search") return [part, { type: "found", query: part.query }]
    return [
      part.type === "text" && searched >= 0 && i > searched ? { type: "citing", text: part.text } : part,
    ]
  })
}

function citation(reply: ScriptedReply): Json {
  return {
    type: "web_search_result_location",
    url: FOUND.url,
    title: FOUND.title,
    encrypted_index: `index-${reply.key}`,
    cited_text: FOUND.cited,
  }
}

function blockFrames(part: Block, index: number, reply: ScriptedReply): readonly ServerSentEvent[] {
  const deltas = (list: readonly Json[]) =>
    list.map(
      (delta): ServerSentEvent => ({ ...frame({ type: "content_block_delta", index, delta }), token: true }),
    )
  return [
    frame({ type: "content_block_start", index, content_block: emptyBlock(part, reply) }),
    // The real API pings once the first block has begun.
    ...(index === 0 ? [frame({ type: "ping" })] : []),
    ...deltas(deltasOf(part, reply)),
    frame({ type: "content_block_stop", index }),
  ]
}

function deltasOf(part: Block, reply: ScriptedReply): readonly Json[] {
  switch (part.type) {
    case "citing":
      return [
        { type: "citations_delta", citation: citation(reply) },
        ...pieces(part.text).map((text) => ({ type: "text_delta", text })),
      ]
    case "search":
      return ["", ...jsonPieces(JSON.stringify({ query: part.query }))].map((json) => ({
        type: "input_json_delta",
        partial_json: json,
      }))
    case "found":
      return []
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

function block(part: Block, reply: ScriptedReply): Json {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text }
    case "citing":
      return { type: "text", text: part.text, citations: [citation(reply)] }
    case "search":
      return {
        type: "server_tool_use",
        id: searchId(part.query, reply),
        name: "web_search",
        input: { query: part.query },
      }
    case "found":
      return {
        type: "web_search_tool_result",
        tool_use_id: searchId(part.query, reply),
        content: [
          {
            type: "web_search_result",
            url: FOUND.url,
            title: FOUND.title,
            encrypted_content: `content-${reply.key}`,
            page_age: null,
          },
        ],
      }
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

function searchId(query: string, { key, parts }: ScriptedReply): string {
  return `srvtoolu_${key}${parts.findIndex((part) => part.type === "search" && part.query === query)}`
}

function emptyBlock(part: Block, reply: ScriptedReply): Json {
  switch (part.type) {
    case "text":
      return { type: "text", text: "" }
    case "citing":
      return { type: "text", text: "", citations: [] }
    case "search":
      return { type: "server_tool_use", id: searchId(part.query, reply), name: "web_search", input: {} }
    // What was found comes as a whole.
    case "found":
      return block(part, reply)
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
function usage({ usage, parts }: ScriptedReply, output = usage.output) {
  const searches = parts.filter(({ type }) => type === "search").length
  return {
    ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
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
