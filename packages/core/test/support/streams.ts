import type { Json } from "@sotto/core"

/** The data of one server-sent event: an object, or "[DONE]". */
export type StreamEvent = Json

const block = (index: number, content_block: Json, ...deltas: readonly Json[]): readonly Json[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
]

/** Everything that Messages can stream: thinking, redacted thinking, the provider's own tools, citations, calls. */
const anthropic = (n: number): readonly Json[] => [
  {
    type: "message_start",
    message: {
      id: `msg_${n}`,
      type: "message",
      role: "assistant",
      model: "claude",
      content: [],
      stop_reason: null,
      usage: {
        input_tokens: 20,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 1,
        output_tokens: 1,
      },
    },
  },
  { type: "ping" },
  ...block(
    0,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "I should " },
    { type: "thinking_delta", thinking: "look." },
    { type: "signature_delta", signature: `c2ln${n}` },
  ),
  ...block(1, { type: "redacted_thinking", data: `ZGF0YQ${n}` }),
  ...block(
    2,
    { type: "text", text: "" },
    { type: "text_delta", text: "I search \ud83d\ude00 " },
    {
      type: "citations_delta",
      citation: { type: "web_search_result_location", url: "https://a", cited_text: "x" },
    },
    { type: "text_delta", text: "first." },
  ),
  ...block(
    3,
    { type: "server_tool_use", id: `srvtoolu_${n}`, name: "web_search", input: {} },
    { type: "input_json_delta", partial_json: '{"query":' },
    { type: "input_json_delta", partial_json: '"sotto"}' },
  ),
  ...block(4, {
    type: "web_search_tool_result",
    tool_use_id: `srvtoolu_${n}`,
    content: [
      { type: "web_search_result", url: "https://a", title: "A", encrypted_content: "abc", page_age: null },
    ],
  }),
  ...[5, 6].flatMap((index) =>
    block(
      index,
      { type: "tool_use", id: `toolu_${n}_${index}`, name: index === 5 ? "read" : "bash", input: {} },
      { type: "input_json_delta", partial_json: "" },
      { type: "input_json_delta", partial_json: '{"path": "a' },
      { type: "input_json_delta", partial_json: '.txt", "deep": {"list": [1, 2.5, null, true]}}' },
    ),
  ),
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 30 },
  },
  { type: "message_stop" },
]

const item = (
  output_index: number,
  begun: Json,
  done: Json,
  ...between: readonly object[]
): readonly Json[] => [
  { type: "response.output_item.added", output_index, item: begun },
  ...between.map((event) => ({ ...event, output_index })),
  { type: "response.output_item.done", output_index, item: done },
]

/** Responses: reasoning with its encrypted form, a search of the provider's, labelled words, two calls. */
const openai = (n: number): readonly Json[] => {
  const thought = { id: `rs_${n}`, type: "reasoning", summary: [] }
  const search = {
    id: `ws_${n}`,
    type: "web_search_call",
    status: "completed",
    action: { type: "search", query: "a" },
  }
  const message = {
    id: `msg_${n}`,
    type: "message",
    role: "assistant",
    status: "completed",
    phase: "commentary",
  }
  const call = (i: number) => ({
    id: `fc_${n}_${i}`,
    type: "function_call",
    call_id: `call_${n}_${i}`,
    name: i === 3 ? "read" : "bash",
  })
  const input = '{"path":"a.txt","list":[1,null]}'
  const output = [
    { ...thought, summary: [{ type: "summary_text", text: "I look." }], encrypted_content: `ZW5j${n}` },
    { ...search },
    { ...message, content: [{ type: "output_text", text: "I look \ud83d\ude00.", annotations: [] }] },
    { ...call(3), arguments: input, status: "completed" },
    { ...call(4), arguments: input, status: "completed" },
  ] as const
  const of = (i: number) => output[i] as unknown as Json
  return [
    { type: "response.created", response: { id: `resp_${n}`, status: "in_progress", output: [] } },
    ...item(
      0,
      thought,
      of(0),
      { type: "response.reasoning_summary_part.added", summary_index: 0 },
      { type: "response.reasoning_summary_text.delta", summary_index: 0, delta: "I " },
      { type: "response.reasoning_summary_text.delta", summary_index: 0, delta: "look." },
    ),
    ...item(1, { ...search, status: "in_progress" }, of(1), { type: "response.web_search_call.searching" }),
    ...item(
      2,
      { ...message, content: [] },
      of(2),
      { type: "response.content_part.added", part: { type: "output_text", text: "" } },
      { type: "response.output_text.delta", delta: "I look " },
      { type: "response.output_text.delta", delta: "\ud83d\ude00." },
    ),
    ...[3, 4].flatMap((i) =>
      item(
        i,
        { ...call(i), arguments: "", status: "in_progress" },
        of(i),
        { type: "response.function_call_arguments.delta", delta: input.slice(0, 9) },
        { type: "response.function_call_arguments.delta", delta: input.slice(9) },
        { type: "response.function_call_arguments.done", arguments: input },
      ),
    ),
    {
      type: "response.completed",
      response: {
        id: `resp_${n}`,
        status: "completed",
        output: output as unknown as Json,
        usage: { input_tokens: 20, input_tokens_details: { cached_tokens: 5 }, output_tokens: 30 },
      },
    },
  ]
}

/** Chat Completions as OpenAI and compatible servers stream it. */
const chat = (n: number): readonly Json[] => {
  const piece = (delta: Json, finish_reason: string | null = null): Json => ({
    id: `chatcmpl-${n}`,
    object: "chat.completion.chunk",
    model: "gpt",
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [
    piece({ role: "assistant", content: "" }),
    piece({ reasoning_content: "I should " }),
    piece({ reasoning_content: "look." }),
    piece({ content: "I look " }),
    piece({ content: "\ud83d\ude00." }),
    ...[0, 1].flatMap((index) => [
      piece({
        tool_calls: [
          { index, id: `call_${n}_${index}`, type: "function", function: { name: "read", arguments: "" } },
        ],
      }),
      piece({ tool_calls: [{ index, function: { arguments: '{"path":' } }] }),
      piece({ tool_calls: [{ index, function: { arguments: '"a.txt"}' } }] }),
    ]),
    piece({}, "tool_calls"),
    {
      id: `chatcmpl-${n}`,
      object: "chat.completion.chunk",
      choices: [],
      usage: { prompt_tokens: 20, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 5 } },
    },
    "[DONE]",
  ]
}

/** generateContent: thoughts, signatures with and without text, code that Google ran, an image, two calls. */
const gemini = (n: number): readonly Json[] => {
  const chunk = (parts: Json, finishReason?: string): Json => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: {
      promptTokenCount: 20,
      cachedContentTokenCount: 5,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 2,
    },
    modelVersion: "gemini",
    responseId: `r${n}`,
  })
  return [
    chunk([{ text: "I should ", thought: true }]),
    chunk([{ text: "look.", thought: true }]),
    chunk([{ text: "A signed thought.", thought: true, thoughtSignature: `dGhvdWdodA${n}` }]),
    chunk([{ text: "I run " }]),
    chunk([{ text: "\ud83d\ude00 code." }]),
    chunk([
      { executableCode: { language: "PYTHON", code: "1+1" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
    ]),
    chunk([{ inlineData: { mimeType: "image/png", data: "AAAA" } }]),
    chunk([{ text: "Signed words.", thoughtSignature: `d29yZHM${n}` }]),
    chunk([
      {
        functionCall: { id: `call_${n}_0`, name: "read", args: { path: "a.txt", list: [1, null] } },
        thoughtSignature: `Y2FsbA${n}`,
      },
      { functionCall: { id: `call_${n}_1`, name: "bash", args: {} } },
    ]),
    chunk([{ text: "", thoughtSignature: `ZW5k${n}` }], "STOP"),
  ]
}

/** Whole streams of the four HTTP APIs, with everything in them that a mutation may hit. `n` makes their ids distinct. */
export const STREAMS = { anthropic, openai, "openai-chat": chat, gemini } as const

/** The fields of events, for the responses below. */
const all = (events: readonly Json[], name: string): Json[] =>
  events.flatMap((event) => {
    const found = (event as { readonly [field: string]: Json })[name]
    return found === undefined ? [] : [found]
  })

/** The same replies as responses that were not streamed. */
export const RESPONSES: Readonly<Record<keyof typeof STREAMS, (n: number) => Json>> = {
  anthropic: (n) => ({
    id: `msg_${n}`,
    type: "message",
    role: "assistant",
    content: all(anthropic(n), "content_block").map((found) => ({
      ...(found as object),
      signature: `c2ln${n}`,
    })),
    stop_reason: "tool_use",
    usage: { input_tokens: 20, output_tokens: 30 },
  }),
  openai: (n) => all(openai(n), "response").at(-1) as Json,
  "openai-chat": (n) => ({
    id: `chatcmpl-${n}`,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: "I look.",
          reasoning_content: "I should look.",
          tool_calls: [0, 1].map((i) => ({
            id: `call_${n}_${i}`,
            type: "function",
            function: { name: "read", arguments: '{"path":"a.txt"}' },
          })),
        },
      },
    ],
    usage: { prompt_tokens: 20, completion_tokens: 30 },
  }),
  gemini: (n) => gemini(n) as Json,
}
