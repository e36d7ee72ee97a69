import { PNG, type Row, SCHEMA, type Table } from "./row.js"

const TYPES = "`openai` 6.49.0, `ResponseCreateParams`"
const STRICT = "platform.openai.com, Structured outputs: supported schemas"
const STATE = "platform.openai.com, Conversation state"
const CALLING = "platform.openai.com, Function calling"
const REFERENCE = "platform.openai.com, API reference: Responses"

const body = (fields: object = {}) => ({ model: "gpt-5.6", input: "Hi", ...fields })
const named = (parameters: object) => ({ type: "function", name: "read", strict: true, parameters })
const output = { type: "function_call_output", call_id: "call_1", output: "x" }
const picture = (image_url: string) =>
  body({ input: [{ role: "user", content: [{ type: "input_image", image_url, detail: "auto" }] }] })
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, "x"]))
const LONG = "word ".repeat(1_000_000)
const closed = { ...SCHEMA, required: ["path"], additionalProperties: false }

const rows: readonly Row[] = [
  {
    rule: "a parameter that there is not",
    verdict: "refused",
    words: "Unknown parameter: 'max_tokens'.",
    source: REFERENCE,
    body: body({ max_tokens: 5 }),
  },
  {
    rule: "`client_metadata`, which Codex sends",
    verdict: "noted",
    words: "Unknown parameter: 'client_metadata'.",
    source: "Codex 0.166",
    body: body({ client_metadata: {} }),
  },
  {
    rule: "all published tool types",
    verdict: "accepted",
    source: TYPES,
    body: body({
      tools: [{ type: "web_search" }, { type: "namespace", name: "n", description: "d", tools: [] }],
    }),
  },
  {
    rule: "a tool or an item of a type that is newer than the list",
    verdict: "noted",
    words: "Invalid value: 'teleport'.",
    source: "none: merely unknown",
    body: body({ tools: [{ type: "teleport" }] }),
  },
  { rule: "no tools in the list", verdict: "accepted", source: TYPES, body: body({ tools: [] }) },
  {
    rule: "a function without parameters",
    verdict: "accepted",
    source: TYPES,
    body: body({ tools: [{ type: "function", name: "now" }] }),
  },
  {
    rule: "a strict function that allows other properties",
    verdict: "refused",
    words: "In context=(), 'additionalProperties' is required to be supplied and to be false.",
    source: STRICT,
    body: body({ tools: [named({ ...closed, additionalProperties: true })] }),
  },
  {
    rule: "a strict function that does not require every property",
    verdict: "refused",
    words: "Missing 'path'.",
    source: STRICT,
    body: body({ tools: [named({ ...closed, required: [] })] }),
  },
  {
    rule: "the same inside of it",
    verdict: "refused",
    words: "In context=('properties', 'inner')",
    source: STRICT,
    body: body({
      tools: [named({ ...closed, properties: { inner: SCHEMA }, required: ["inner"] })],
    }),
  },
  {
    rule: "a strict answer with an open schema",
    verdict: "refused",
    words: "Invalid schema for text.format 'event'",
    source: STRICT,
    body: body({ text: { format: { type: "json_schema", name: "event", strict: true, schema: SCHEMA } } }),
  },
  {
    rule: "a function that is not strict, with an open schema",
    verdict: "accepted",
    source: STRICT,
    body: body({ tools: [{ type: "function", name: "read", parameters: SCHEMA, strict: false }] }),
  },
  {
    rule: "`json_object` without the word",
    verdict: "refused",
    words: "must contain the word 'json' in some form",
    source: "platform.openai.com, Structured outputs: JSON mode",
    body: body({ text: { format: { type: "json_object" } } }),
  },
  {
    rule: "temperature or `top_p` on a model that reasons",
    verdict: "refused",
    words: "Unsupported parameter: 'temperature' is not supported with this model.",
    source: "reported in OpenHands/software-agent-sdk#1837",
    body: body({ model: "gpt-5", temperature: 0.5 }),
  },
  {
    rule: "the same where reasoning is switched off",
    verdict: "accepted",
    source: "platform.openai.com, Using GPT-5: parameter compatibility",
    body: body({ model: "gpt-5.2", temperature: 0.5, reasoning: { effort: "none" } }),
  },
  {
    rule: "an output without its call",
    verdict: "refused",
    words: "No tool call found for function call output with call_id call_1.",
    source: CALLING,
    body: body({ input: [output] }),
  },
  {
    rule: "the same after `previous_response_id` or in a `conversation`",
    verdict: "accepted",
    source: STATE,
    body: body({ input: [output], previous_response_id: "resp_1" }),
  },
  {
    rule: "`previous_response_id` and `conversation` together",
    verdict: "refused",
    words: "Mutually exclusive parameters",
    source: STATE,
    body: body({ previous_response_id: "resp_1", conversation: "conv_1" }),
  },
  {
    rule: "a call without its output",
    verdict: "refused",
    words: "No tool output found for function call call_1.",
    source: CALLING,
    body: body({ input: [{ type: "function_call", call_id: "call_1", name: "read", arguments: "{}" }] }),
  },
  {
    rule: "a call of a custom tool without its output",
    verdict: "refused",
    words: "No tool output found for custom tool call call_1.",
    source: CALLING,
    body: body({ input: [{ type: "custom_tool_call", call_id: "call_1", name: "patch", input: "x" }] }),
  },
  {
    rule: "reasoning without what it led to",
    verdict: "refused",
    words: "was provided without its required following item",
    source: "platform.openai.com, Reasoning models",
    body: body({
      input: [
        { type: "reasoning", id: "rs_1", summary: [] },
        { role: "user", content: "Hi" },
      ],
    }),
  },
  {
    rule: "images and files by id or URL",
    verdict: "accepted",
    source: TYPES,
    body: body({
      input: [
        {
          role: "user",
          content: [
            { type: "input_image", file_id: "file_1", detail: "auto" },
            { type: "input_file", file_url: "https://example.com/a.pdf" },
          ],
        },
      ],
    }),
  },
  {
    rule: "`input_audio`",
    verdict: "accepted",
    source: TYPES,
    body: body({
      input: [
        { role: "user", content: [{ type: "input_audio", input_audio: { data: "AA==", format: "wav" } }] },
      ],
    }),
  },
  {
    rule: "a name that no function may have",
    verdict: "refused",
    words: "Invalid 'tools[0].name'",
    source: REFERENCE,
    body: body({ tools: [{ type: "function", name: "a b", parameters: SCHEMA }] }),
  },
  {
    rule: "`max_output_tokens` below 16",
    verdict: "refused",
    words: "Expected a value >= 16, but got 8 instead.",
    source: REFERENCE,
    body: body({ max_output_tokens: 8 }),
  },
  {
    rule: "image data that is no base64",
    verdict: "refused",
    words: "Expected a base64-encoded data URL with an image MIME type.",
    source: "platform.openai.com, Images and vision",
    body: picture("data:image/png;base64,no base64!"),
  },
  {
    rule: "an image of a type that is not listed",
    verdict: "refused",
    words: "You uploaded an unsupported image.",
    source: "platform.openai.com, Images and vision",
    body: picture(`data:image/bmp;base64,${PNG}`),
  },
  {
    rule: "`oneOf`, `anyOf`, `allOf`, `enum` or `not` at the top of a function's schema",
    verdict: "refused",
    words:
      "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
    source: "reported in chatanywhere/GPT_API_free#403; dropped by anomalyco/opencode#32489",
    body: body({
      tools: [{ type: "function", name: "read", parameters: { ...SCHEMA, oneOf: [{ required: ["path"] }] } }],
    }),
  },
  {
    rule: "a list as `properties`",
    verdict: "refused",
    words: "is not of type 'object'.",
    source: CALLING,
    body: body({
      tools: [{ type: "function", name: "read", parameters: { type: "object", properties: [] } }],
    }),
  },
  {
    rule: "17 pairs of metadata",
    verdict: "refused",
    words: "Expected an object with at most 16 properties, but got an object with 17 properties instead.",
    source: `${TYPES}: \`Metadata\`; reported in thiswillbeyourgithub/openwebui_custom_pipes_filters#3`,
    body: body({ metadata: pairs(17) }),
  },
  { rule: "16 pairs of metadata", verdict: "accepted", source: TYPES, body: body({ metadata: pairs(16) }) },
  {
    rule: "a key of metadata with more than 64 characters",
    verdict: "refused",
    words: "Expected a property name with maximum length 64",
    source: `${TYPES}: \`Metadata\`; the wording is not confirmed`,
    body: body({ metadata: { ["k".repeat(65)]: "x" } }),
  },
  {
    rule: "a value of metadata with more than 512 characters",
    verdict: "refused",
    words: "Expected a string with maximum length 512",
    source: `${TYPES}: \`Metadata\``,
    body: body({ metadata: { key: "x".repeat(513) } }),
  },
  {
    rule: "`include` with a value that is not listed",
    verdict: "refused",
    words: "Invalid value: 'everything'. Supported values are: 'file_search_call.results'",
    source: "`openai` 6.49.0, `ResponseIncludable`",
    body: body({ include: ["everything"] }),
  },
  {
    rule: "`top_logprobs` over 20",
    verdict: "refused",
    words: "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 20, but got 21 instead.",
    source: TYPES,
    body: body({ top_logprobs: 21 }),
  },
  {
    rule: "`truncation` other than `auto` and `disabled`",
    verdict: "refused",
    words: "Invalid value: 'middle'.",
    source: TYPES,
    body: body({ truncation: "middle" }),
  },
  {
    rule: "`safety_identifier` with more than 64 characters",
    verdict: "refused",
    words: "Expected a string with maximum length 64",
    source: TYPES,
    body: body({ safety_identifier: "x".repeat(65) }),
  },
  {
    rule: "`access_programs`, `image` and the service tier `fast`, which are newer than version 6 of the SDK",
    verdict: "accepted",
    source: "`openai` 7.55.0, `ResponseCreateParams`",
    body: body({ access_programs: {}, image: {}, service_tier: "fast" }),
  },
  {
    rule: "a service tier that is newer than the list",
    verdict: "noted",
    words: "Invalid value: 'warp' is none of the published values",
    source: "none: merely unknown",
    body: body({ service_tier: "warp" }),
  },
  {
    rule: "a prompt over the model's window",
    verdict: "refused",
    words: "Your input exceeds the context window of this model.",
    source: "reported in VectorlyApp/bluebox#66; the windows: the models' pages",
    body: body({ input: LONG }),
  },
]

export const openai: Table = { dialect: "openai", title: "OpenAI: Responses", rows }

const CHAT = "`openai` 6.49.0, `ChatCompletionCreateParams`"
const chatBody = (fields: object = {}) => ({
  model: "gpt-5.6",
  messages: [{ role: "user", content: "Hi" }],
  ...fields,
})
const chatTool = (described: object) => ({
  tools: [{ type: "function", function: { name: "read", ...described } }],
})

const chatRows: readonly Row[] = [
  {
    rule: "a parameter that there is not",
    verdict: "refused",
    words: "Unrecognized request argument supplied: top_k",
    source: "reported in davidmigloz/langchain_dart#712",
    body: chatBody({ top_k: 5 }),
  },
  {
    rule: "the same on a server that is only compatible",
    verdict: "noted",
    words: "Unrecognized request argument supplied: top_k",
    source: "none: their schemas are open",
    body: chatBody({ model: "qwen3-coder", top_k: 5 }),
  },
  { rule: "a function without parameters", verdict: "accepted", source: CHAT, body: chatBody(chatTool({})) },
  {
    rule: "a name that no function may have",
    verdict: "refused",
    words: "Invalid 'tools[0].function.name'",
    source: CHAT,
    body: chatBody({ tools: [{ type: "function", function: { name: "a b" } }] }),
  },
  {
    rule: "custom tools",
    verdict: "accepted",
    source: CHAT,
    body: chatBody({ tools: [{ type: "custom", custom: { name: "patch" } }] }),
  },
  {
    rule: "`functions` of older clients",
    verdict: "accepted",
    source: CHAT,
    body: chatBody({ functions: [{ name: "read" }], function_call: "auto" }),
  },
  {
    rule: "`input_audio`",
    verdict: "accepted",
    source: CHAT,
    body: chatBody({
      messages: [
        { role: "user", content: [{ type: "input_audio", input_audio: { data: "AA==", format: "wav" } }] },
      ],
    }),
  },
  {
    rule: "a strict function with an open schema",
    verdict: "refused",
    words: "Invalid schema for function 'read': In context=(), 'additionalProperties'",
    source: STRICT,
    body: chatBody(chatTool({ strict: true, parameters: SCHEMA })),
  },
  {
    rule: "`json_object` without the word",
    verdict: "refused",
    words: "'messages' must contain the word 'json' in some form",
    source: "reported in ultimatejimmy/xray.koplugin#33",
    body: chatBody({ response_format: { type: "json_object" } }),
  },
  {
    rule: "temperature on a model that reasons",
    verdict: "refused",
    words: "Unsupported value: 'temperature' does not support 0.5 with this model.",
    source: "reported in tmc/langchaingo#1355",
    body: chatBody({ model: "gpt-5", temperature: 0.5 }),
  },
  {
    rule: "`max_tokens` on a model that reasons",
    verdict: "refused",
    words: "Use 'max_completion_tokens' instead.",
    source: "platform.openai.com, API reference: Chat",
    body: chatBody({ max_tokens: 100 }),
  },
  {
    rule: "no tools in the list",
    verdict: "refused",
    words: "Invalid 'tools': empty array.",
    source: "platform.openai.com, API reference: Chat",
    body: chatBody({ tools: [] }),
  },
  {
    rule: "a tool message without a call before it",
    verdict: "refused",
    words: "must be a response to a preceeding message with 'tool_calls'",
    source: CALLING,
    body: chatBody({
      messages: [
        { role: "user", content: "Hi" },
        { role: "tool", tool_call_id: "c", content: "x" },
      ],
    }),
  },
  {
    rule: "a system message in mid-conversation on a server that is only compatible",
    verdict: "refused",
    words: "System message must be at the beginning.",
    source: "chat templates of open-weight models",
    body: chatBody({
      model: "qwen3-coder",
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: "Note." },
      ],
    }),
  },
  ...(
    [
      ["`temperature` over 2", "Invalid 'temperature': decimal above maximum value.", { temperature: 2.5 }],
      ["`top_p` over 1", "Invalid 'top_p': decimal above maximum value.", { top_p: 1.5 }],
      ["`frequency_penalty` below -2", "Expected a value >= -2, but got -3", { frequency_penalty: -3 }],
      ["`presence_penalty` over 2", "Expected a value <= 2, but got 3", { presence_penalty: 3 }],
      ["`n` below 1", "Invalid 'n': integer below minimum value.", { n: 0 }],
      ["`max_completion_tokens` below 1", "Expected a value >= 1, but got 0", { max_completion_tokens: 0 }],
      ["`top_logprobs` over 20", "Expected a value <= 20, but got 21", { logprobs: true, top_logprobs: 21 }],
      ["`top_logprobs` without `logprobs`", "'logprobs' must be set to true", { top_logprobs: 2 }],
      ["five stop sequences", "Invalid 'stop': array too long.", { stop: ["a", "b", "c", "d", "e"] }],
      ["a bias over 100", "expected a value between -100 and 100", { logit_bias: { "50256": 101 } }],
      ["17 pairs of metadata", "Expected an object with at most 16 properties", { metadata: pairs(17) }],
    ] as const
  ).map(
    ([rule, words, fields]): Row => ({
      rule,
      verdict: "refused",
      words,
      source: CHAT,
      body: chatBody({ model: "gpt-4.1", ...fields }),
    }),
  ),
  {
    rule: "numbers beyond these ranges on a server that is only compatible",
    verdict: "noted",
    words: "Invalid 'temperature': decimal above maximum value.",
    source: "none: their ranges are their own",
    body: chatBody({ model: "qwen3-coder", temperature: 2.5 }),
  },
  {
    rule: "image data that is no base64",
    verdict: "refused",
    words: "Expected a base64-encoded data URL with an image MIME type.",
    source: "platform.openai.com, Images and vision",
    body: chatBody({
      messages: [
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "data:image/png;base64,no base64!" } }],
        },
      ],
    }),
  },
  {
    rule: "`anyOf` at the top of a function's schema",
    verdict: "refused",
    words: "at the top level.",
    source: "reported in chatanywhere/GPT_API_free#403; dropped by anomalyco/opencode#32489",
    body: chatBody(chatTool({ parameters: { ...SCHEMA, anyOf: [{ required: ["path"] }] } })),
  },
  {
    rule: "a prompt over the model's window",
    verdict: "refused",
    words: "This model's maximum context length is 128000 tokens.",
    source: "platform.openai.com, Error codes; the windows: the models' pages",
    body: chatBody({ model: "gpt-4o", messages: [{ role: "user", content: LONG }] }),
  },
]

export const openaiChat: Table = { dialect: "openai-chat", title: "OpenAI: Chat Completions", rows: chatRows }
