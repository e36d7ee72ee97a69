import { type Row, SCHEMA, type Table } from "./row.js"

const TYPES = "`@google/genai` 2.32.0, `Content`, `Part`, `Tool`"
const REFERENCE = "ai.google.dev, API reference: generateContent"
const SIGNATURES = "ai.google.dev/gemini-api/docs/thought-signatures"
const CALLING = "ai.google.dev, Function calling"

const go = { role: "user", parts: [{ text: "Hi" }] }
const declared = [{ functionDeclarations: [{ name: "read", parametersJsonSchema: SCHEMA }] }]
const call = { functionCall: { name: "read", args: {} } }
const answer = { role: "user", parts: [{ functionResponse: { name: "read", response: {} } }] }
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
]

export const gemini: Table = { dialect: "gemini", title: "Gemini: generateContent", rows }
