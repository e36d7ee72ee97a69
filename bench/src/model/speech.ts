import type { Answer, Api } from "./api.js"

interface Reply {
  readonly answer: Answer
  /** Which reply it is: ids are made of it. */
  readonly n: number
  /** Tokens of the request, for the account that a reply gives of them. */
  readonly tokens: number
  /** Which of them a cache had, and which it now has; nothing is said of a cache unless given. */
  readonly cached?: Cached
}

export interface Cached {
  readonly read: number
  readonly written: number
}

/** A whole reply as the event stream of its API. */
export function speak(api: Api, reply: Reply): string {
  return speech[api](reply)
}

const speech: Readonly<Record<Api, (reply: Reply) => string>> = { anthropic, responses, gemini }

/** What a request that asks for no stream gets; only Gemini's peers send any. */
export function speakWhole(reply: Reply): string {
  return JSON.stringify(geminiResponse(reply))
}

function anthropic({ answer, n, tokens, cached }: Reply): string {
  const isCall = "call" in answer
  const [block, delta] = isCall
    ? [
        { type: "tool_use", id: `toolu_${n}`, name: answer.call.name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(answer.call.input) },
      ]
    : [
        { type: "text", text: "" },
        { type: "text_delta", text: answer.text },
      ]
  const message = {
    id: `msg_${n}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: tokens - (cached?.read ?? 0) - (cached?.written ?? 0),
      output_tokens: 1,
      ...(cached && { cache_read_input_tokens: cached.read, cache_creation_input_tokens: cached.written }),
    },
  }
  return stream([
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: "message_stop" },
  ])
}

function responses({ answer, n, tokens, cached }: Reply): string {
  const item =
    "call" in answer
      ? {
          type: "function_call",
          id: `fc_${n}`,
          call_id: `call_${n}`,
          name: answer.call.name,
          arguments: JSON.stringify(answer.call.input),
          status: "completed",
        }
      : {
          type: "message",
          id: `msg_${n}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: answer.text, annotations: [] }],
        }
  const response = {
    id: `resp_${n}`,
    object: "response",
    model: "scripted",
    status: "in_progress",
    output: [],
  }
  const usage = {
    input_tokens: tokens,
    input_tokens_details: { cached_tokens: cached?.read ?? 0 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens + 9,
  }
  return stream([
    { type: "response.created", response },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
  ])
}

function gemini(reply: Reply): string {
  return stream([geminiResponse(reply)])
}

function geminiResponse({ answer, n, tokens, cached }: Reply): object {
  const part =
    "call" in answer
      ? {
          functionCall: { id: `call_${n}`, name: answer.call.name, args: answer.call.input },
          thoughtSignature: Buffer.from(`signature ${n}`).toString("base64"),
        }
      : { text: answer.text }
  return {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: tokens,
      candidatesTokenCount: 9,
      totalTokenCount: tokens + 9,
      ...(cached && { cachedContentTokenCount: cached.read }),
    },
    modelVersion: "scripted",
    responseId: `response_${n}`,
  }
}

function stream(events: readonly object[]): string {
  return events
    .map((event) => {
      const name = "type" in event ? `event: ${event.type}\n` : ""
      return `${name}data: ${JSON.stringify(event)}\n\n`
    })
    .join("")
}
