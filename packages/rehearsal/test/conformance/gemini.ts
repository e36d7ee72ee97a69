import { PNG, type Row, SCHEMA, type Table } from "./row.js"

const TYPES = "`@google/genai` 2.32.0, `Content`, `Part`, `Tool`"
const REFERENCE = "ai.google.dev, API reference: generateContent"
const SIGNATURES = "ai.google.dev/gemini-api/docs/thought-signatures"
const CALLING = "ai.google.dev, Function calling"

const go = { role: "user", parts: [{ text: "Hi" }] }
const declared = [{ functionDeclarations: [{ name: "read", parametersJsonSchema: SCHEMA }] }]
const call = { functionCall: { name: "read", args: {} } }
const answer = { role: "user", parts: [{ functionResponse: { name: "read", response: {} } }] }
const config = (generationConfig: object) => ({ contents: [go], generationConfig })
const inline = (data: string, mimeType = "image/png") => ({
  contents: [{ role: "user", parts: [{ inlineData: { mimeType, data } }] }],
})
const loop = (...parts: readonly object[]) => ({
  contents: [go, { role: "model", parts }, answer],
  tools: declared,
})

const rows: readonly Row[] = [
  {
    rule: "contents without a role",
    verdict: "accepted",
    source: REFERENCE,
    body: { contents: [{ parts: [{ text: "Hi" }] }] },
  },
  {
    rule: "names in snake case, and one value in place of a list",
    verdict: "accepted",
    source: "ai.google.dev, Text generation: REST",
    body: {
      system_instruction: { parts: { text: "You are a cat." } },
      contents: { parts: { text: "Hi" } },
      generation_config: { stop_sequences: ["END"] },
    },
  },
  {
    rule: "the provider's own tools",
    verdict: "accepted",
    source: TYPES,
    body: { contents: [go], tools: [{ google_search: {} }, { codeExecution: {} }, { url_context: {} }] },
  },
  {
    rule: "a tool that is newer than the list",
    verdict: "noted",
    words: 'Unknown name "teleport"',
    source: "none: merely unknown",
    body: { contents: [go], tools: [{ teleport: {} }] },
  },
  {
    rule: "a field that there is not",
    verdict: "refused",
    words: 'Invalid JSON payload received. Unknown name "messages": Cannot find field.',
    source: REFERENCE,
    body: { contents: [go], messages: [] },
  },
  {
    rule: "a setting that there is not",
    verdict: "refused",
    words: "Unknown name \"max_tokens\" at 'generation_config': Cannot find field.",
    source: REFERENCE,
    body: { contents: [go], generationConfig: { max_tokens: 5 } },
  },
  {
    rule: "a part with a field that it does not have",
    verdict: "refused",
    words: 'Unknown name "cache_control"',
    source: REFERENCE,
    body: { contents: [{ role: "user", parts: [{ text: "Hi", cache_control: {} }] }] },
  },
  {
    rule: "Gemini 3: a call of the current turn without its signature",
    verdict: "refused",
    words: "Function call is missing a thought_signature",
    source: SIGNATURES,
    body: loop(call),
    model: "gemini-3-pro",
  },
  {
    rule: "the same before Gemini 3",
    verdict: "accepted",
    source: SIGNATURES,
    body: loop(call),
    model: "gemini-2.5-pro",
  },
  {
    rule: "Gemini 3: a signature on the first of several calls",
    verdict: "accepted",
    source: SIGNATURES,
    body: {
      contents: [
        go,
        { role: "model", parts: [{ ...call, thoughtSignature: "abc" }, call] },
        { role: "user", parts: [...answer.parts, ...answer.parts] },
      ],
      tools: declared,
    },
    model: "gemini-3-pro",
  },
  {
    rule: "Gemini 3: calls of an earlier turn without their signatures",
    verdict: "accepted",
    source: SIGNATURES,
    body: {
      ...loop(call),
      contents: [...loop(call).contents, { role: "model", parts: [{ text: "So." }] }, go],
    },
    model: "gemini-3-pro",
  },
  {
    rule: "fewer responses than calls",
    verdict: "refused",
    words: "the number of function response parts is equal to the number of function call parts",
    source: CALLING,
    body: loop(call, call),
  },
  {
    rule: "a role that there is not",
    verdict: "refused",
    words: "Please use a valid role: user, model.",
    source: REFERENCE,
    body: { contents: [{ role: "system", parts: [{ text: "Hi" }] }] },
  },
  {
    rule: "a name that no function may have",
    verdict: "refused",
    words: "Invalid function name.",
    source: CALLING,
    body: { contents: [go], tools: [{ functionDeclarations: [{ name: "a b" }] }] },
  },
  ...(
    [
      ["`temperature` over 2", "temperature must be in the range [0.0, 2.0].", { temperature: 2.5 }],
      ["`topP` over 1", "top_p must be in the range [0.0, 1.0].", { topP: 1.5 }],
      ["`topK` below 1", "top_k must be positive.", { topK: 0 }],
      ["`candidateCount` over 8", "candidate_count must be in the range [1, 8].", { candidateCount: 9 }],
      ["`maxOutputTokens` below 1", "max_output_tokens must be positive.", { maxOutputTokens: 0 }],
      ["`frequencyPenalty` below -2", "frequency_penalty must be in the range", { frequencyPenalty: -3 }],
      ["`presencePenalty` over 2", "presence_penalty must be in the range", { presencePenalty: 3 }],
      [
        "`logprobs` over 20",
        "logprobs must be in the range [0, 20].",
        { responseLogprobs: true, logprobs: 21 },
      ],
      ["`logprobs` without `responseLogprobs`", "only valid when response_logprobs is true", { logprobs: 2 }],
      [
        "six stop sequences",
        "the number of stop_sequences must not exceed 5",
        { stopSequences: ["a", "b", "c", "d", "e", "f"] },
      ],
      ["an empty stop sequence", "stop_sequence must not be empty", { stopSequences: [""] }],
      [
        "a thinking budget and a thinking level",
        "only one of thinking budget and thinking level",
        { thinkingConfig: { thinkingBudget: 1_024, thinkingLevel: "LOW" } },
      ],
    ] as const
  ).map(
    ([rule, words, fields]): Row => ({
      rule,
      verdict: "refused",
      words,
      source: "`@google/genai` 2.32.0, `GenerationConfig`; ai.google.dev, GenerationConfig",
      body: config(fields),
    }),
  ),
  { rule: "an image in base64", verdict: "accepted", source: TYPES, body: inline(PNG) },
  {
    rule: "image data that is no base64",
    verdict: "refused",
    words: "(TYPE_BYTES), Base64 decoding failed",
    source: "reported in google-gemini/deprecated-generative-ai-js#307",
    body: inline("no base64!"),
  },
  {
    rule: "an image of a type that is not listed",
    verdict: "refused",
    words: "Unsupported MIME type: image/bmp",
    source: "ai.google.dev, Image understanding; reported in google-gemini/gemini-cli#14838",
    body: inline(PNG, "image/bmp"),
  },
  {
    rule: "a GIF, which is not listed and reported to pass on some models",
    verdict: "noted",
    words: "Unsupported MIME type: image/gif",
    source: "reported in google-gemini/deprecated-generative-ai-js#427",
    body: inline(PNG, "image/gif"),
  },
  {
    rule: "a list as `properties`",
    verdict: "refused",
    words: "Proto field is not repeating, cannot start list.",
    source: "`@google/genai` 2.32.0, `Schema`",
    body: {
      contents: [go],
      tools: [{ functionDeclarations: [{ name: "read", parameters: { type: "OBJECT", properties: [] } }] }],
    },
  },
  {
    rule: "a prompt over the model's window",
    verdict: "refused",
    words: "exceeds the maximum number of tokens allowed (1048576).",
    source: "reported in google-gemini/gemini-cli#6678",
    body: { contents: [{ role: "user", parts: [{ text: "word ".repeat(1_000_000) }] }] },
    model: "gemini-3-pro",
  },
]

export const gemini: Table = { dialect: "gemini", title: "Gemini: generateContent", rows }
