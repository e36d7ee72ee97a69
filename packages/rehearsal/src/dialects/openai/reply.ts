import type { Json } from "@sotto/core"
import { field, listField } from "@sotto/core/dialect"
import { argumentsOf, type ReplyPart, type ScriptedReply } from "../../reply/reply.js"
import { callableNamed, customInput } from "./content.js"

type Object = { readonly [key: string]: Json }

/** Makes the whole response. */
export function response(reply: ScriptedReply, body: unknown): Json {
  return { ...begun(reply, body), ...ended(reply, body) }
}

/** Makes the response as it is before anything was said. */
export function begun({ key, createdAt, model }: ScriptedReply, body: unknown): Object {
  const echoed = (name: string, otherwise: Json) => (field(body, name) ?? otherwise) as Json
  return {
    id: `resp_${key}`,
    object: "response",
    created_at: createdAt,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: echoed("instructions", null),
    max_output_tokens: echoed("max_output_tokens", null),
    metadata: echoed("metadata", {}),
    model,
    output: [],
    parallel_tool_calls: echoed("parallel_tool_calls", true),
    previous_response_id: echoed("previous_response_id", null),
    ...(field(body, "conversation") !== undefined && { conversation: conversationOf(body) }),
    prompt_cache_key: echoed("prompt_cache_key", null),
    ...(field(body, "prompt_cache_options") !== undefined && {
      prompt_cache_options: {
        mode: "implicit",
        ttl: "30m",
        ...(echoed("prompt_cache_options", {}) as Object),
      },
    }),
    reasoning: echoed("reasoning", { effort: null, summary: null }),
    service_tier: "default",
    store: echoed("store", true),
    temperature: echoed("temperature", 1),
    text: echoed("text", { format: { type: "text" } }),
    tool_choice: echoed("tool_choice", "auto"),
    tools: echoed("tools", []),
    top_p: echoed("top_p", 1),
    truncation: "disabled",
    usage: null,
  }
}

function conversationOf(body: unknown): Json {
  const named = field(body, "conversation")
  return (typeof named === "string" ? { id: named } : named) as Json
}

/** Gives what differs once everything was said. */
export function ended(reply: ScriptedReply, body: unknown): Object {
  const { stop } = reply
  const reason = stop === "length" ? "max_output_tokens" : stop === "refusal" ? "content_filter" : undefined
  return {
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    output: reply.parts.map((part, i) => item(part, i, reply, body)),
    usage: usage(reply),
    ...(reply.diagnostics !== undefined && { prompt_cache_diagnostics: reply.diagnostics }),
  }
}

/** Makes one item of the output. */
export function item(
  part: ReplyPart,
  index: number,
  { key, signature }: ScriptedReply,
  body: unknown,
): Object {
  switch (part.type) {
    case "text":
      return {
        id: `msg_${key}${index}`,
        type: "message",
        status: "completed",
        role: "assistant",
        content: [textPart(part.text)],
      }
    case "reasoning":
      return {
        id: `rs_${key}${index}`,
        type: "reasoning",
        summary: [{ type: "summary_text", text: part.text }],
        ...(asksForReasoning(body) && { encrypted_content: signature }),
      }
    case "search":
      return {
        id: `ws_${key}${index}`,
        type: "web_search_call",
        status: "completed",
        action: { type: "search", query: part.query },
      }
    case "tool-call": {
      const called = callableNamed(body, part.name)
      const namespace = called?.namespace === undefined ? {} : { namespace: called.namespace }
      if (called?.kind === "custom")
        return {
          id: `ctc_${key}${index}`,
          type: "custom_tool_call",
          status: "completed",
          call_id: part.id,
          name: part.name,
          ...namespace,
          input: customInput(part.input),
        }
      return {
        id: `fc_${key}${index}`,
        type: "function_call",
        status: "completed",
        call_id: part.id,
        name: part.name,
        ...namespace,
        arguments: argumentsOf(part),
      }
    }
  }
}

export function textPart(text: string): Object {
  return { type: "output_text", text, annotations: [], logprobs: [] }
}

function asksForReasoning(body: unknown): boolean {
  return listField(body, "include").includes("reasoning.encrypted_content")
}

/** Counts the usage. What was read from the cache, and what was written to it, are part of `input_tokens`. */
function usage({ usage: { input, cacheRead, cacheWrite, output, reasoning } }: ScriptedReply): Object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}
