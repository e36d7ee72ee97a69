import type { Json } from "@sotto/core"

/** The four APIs, as a provider speaks them: just enough to answer with, and to answer wrongly with. */
export interface Api {
  readonly name: string
  readonly model: string
  /** The events of a whole reply that says the text, and calls `glob` if asked to. */
  reply(text: string, options?: { readonly stop?: string; readonly call?: "whole" | "cut" }): readonly Event[]
  /** The body of an error. */
  error(status: number, message: string): Json
  /** An error in the middle of a stream. */
  errorEvent(message: string): Event
  /** The provider's words for a conversation that is too long, and their status. */
  readonly overflow: { readonly status: number; readonly message: string }
  /** Every reason to stop that the API knows, and how a turn ends with it. */
  readonly stops: Readonly<Record<string, string>>
}

/** As it goes on the wire. */
export type Event = string

const sse = (data: Json, event?: string): Event =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

const INPUT = '{"pattern":"*.none"}'
const CUT = '{"pattern":"*.no'

const named = (data: { readonly type: string; readonly [field: string]: Json }) => sse(data, data.type)

const anthropic: Api = {
  name: "anthropic",
  model: "anthropic/claude-opus-5-5",
  reply: (text, { stop, call } = {}) => [
    named({ type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } }),
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    named({ type: "ping" }),
    ...text
      .split(/(?<= )/)
      .map((piece) =>
        named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } }),
      ),
    named({ type: "content_block_stop", index: 0 }),
    ...(call === undefined
      ? []
      : [
          named({
            type: "content_block_start",
            index: 1,
            content_block: { type: "tool_use", id: "toolu_1", name: "glob", input: {} },
          }),
          named({
            type: "content_block_delta",
            index: 1,
            delta: { type: "input_json_delta", partial_json: call === "cut" ? CUT : INPUT },
          }),
          named({ type: "content_block_stop", index: 1 }),
        ]),
    named({
      type: "message_delta",
      delta: { stop_reason: stop ?? (call ? "tool_use" : "end_turn") },
      usage: { output_tokens: 5 },
    }),
    named({ type: "message_stop" }),
  ],
  error: (status, message) => ({ type: "error", error: { type: `error_${status}`, message } }),
  errorEvent: (message) => named({ type: "error", error: { type: "overloaded_error", message } }),
  overflow: { status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum" },
  stops: {
    end_turn: "done",
    stop_sequence: "done",
    max_tokens: "length",
    refusal: "refused",
    pause_turn: "done",
    model_context_window_exceeded: "overflow",
    a_new_reason: "error",
  },
}

const openai: Api = {
  name: "openai",
  model: "openai/gpt-5.6",
  reply: (text, { stop = "completed", call } = {}) => {
    const message = { id: "msg_1", type: "message", role: "assistant", status: "completed" }
    const content = [
      { type: stop === "refusal" ? "refusal" : "output_text", text, refusal: text, annotations: [] },
    ]
    const called = { id: "fc_1", type: "function_call", call_id: "call_1", name: "glob" }
    const isCut = stop !== "completed" && stop !== "refusal"
    const args = call === "cut" ? CUT : INPUT
    return [
      named({ type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } }),
      named({ type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } }),
      ...text
        .split(/(?<= )/)
        .map((delta) =>
          named({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta }),
        ),
      named({ type: "response.output_item.done", output_index: 0, item: { ...message, content } }),
      ...(call === undefined
        ? []
        : [
            named({
              type: "response.output_item.added",
              output_index: 1,
              item: { ...called, arguments: "", status: "in_progress" },
            }),
            named({ type: "response.function_call_arguments.delta", output_index: 1, delta: args }),
            named({
              type: "response.output_item.done",
              output_index: 1,
              item: { ...called, arguments: args, status: call === "cut" ? "incomplete" : "completed" },
            }),
          ]),
      named({
        type: isCut ? "response.incomplete" : "response.completed",
        response: {
          id: "resp_1",
          status: isCut ? "incomplete" : "completed",
          ...(isCut && { incomplete_details: { reason: stop } }),
          usage: { input_tokens: 10, output_tokens: 5 },
        },
      }),
    ]
  },
  error: (status, message) => ({ error: { type: `error_${status}`, code: `error_${status}`, message } }),
  errorEvent: (message) => named({ type: "error", code: "server_error", message }),
  overflow: { status: 400, message: "Your input exceeds the context window of this model." },
  stops: {
    completed: "done",
    refusal: "refused",
    max_output_tokens: "length",
    content_filter: "filtered",
    a_new_reason: "error",
  },
}

const piece = (delta: Json, finish_reason: string | null = null) =>
  sse({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })

const chat: Api = {
  name: "openai-chat",
  model: "openai-chat/gpt-5.6",
  reply: (text, { stop, call } = {}) => [
    piece({ role: "assistant", content: "" }),
    ...text.split(/(?<= )/).map((content) => piece(stop === "refusal" ? { refusal: content } : { content })),
    ...(call === undefined
      ? []
      : [
          piece({
            tool_calls: [
              { index: 0, id: "call_1", type: "function", function: { name: "glob", arguments: "" } },
            ],
          }),
          piece({ tool_calls: [{ index: 0, function: { arguments: call === "cut" ? CUT : INPUT } }] }),
        ]),
    piece({}, stop === "refusal" ? "stop" : (stop ?? (call ? "tool_calls" : "stop"))),
    sse({
      id: "c",
      object: "chat.completion.chunk",
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    }),
    sse("[DONE]"),
  ],
  error: openai.error,
  errorEvent: (message) => sse({ error: { code: 502, message } }),
  overflow: {
    status: 400,
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 190000 tokens.",
  },
  stops: {
    stop: "done",
    length: "length",
    refusal: "refused",
    content_filter: "filtered",
    model_context_window_exceeded: "overflow",
    a_new_reason: "error",
  },
}

const candidate = (parts: Json, finishReason?: string) =>
  sse({
    candidates: [{ content: { role: "model", parts }, ...(finishReason && { finishReason }), index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
  })

const gemini: Api = {
  name: "gemini",
  model: "google/gemini-3-pro",
  reply: (text, { stop = "STOP", call } = {}) =>
    stop === "blocked prompt"
      ? [sse({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 10 } })]
      : [
          ...text.split(/(?<= )/).map((word) => candidate([{ text: word }])),
          ...(call === "whole"
            ? [candidate([{ functionCall: { id: "call_1", name: "glob", args: JSON.parse(INPUT) } }])]
            : []),
          candidate([{ text: "" }], stop),
        ],
  error: (status, message) => ({ error: { code: status, message, status: `ERROR_${status}` } }),
  errorEvent: (message) => sse({ error: { code: 503, message, status: "UNAVAILABLE" } }),
  overflow: {
    status: 400,
    message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  },
  stops: {
    STOP: "done",
    MAX_TOKENS: "length",
    SAFETY: "filtered",
    RECITATION: "filtered",
    BLOCKLIST: "filtered",
    PROHIBITED_CONTENT: "filtered",
    SPII: "filtered",
    "blocked prompt": "filtered",
    MALFORMED_FUNCTION_CALL: "error",
    A_NEW_REASON: "error",
  },
}

export const APIS: readonly Api[] = [anthropic, openai, chat, gemini]
