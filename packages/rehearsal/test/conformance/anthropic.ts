import { signThinking } from "@sotto/core/testing"
import { PNG, type Row, SCHEMA, type Table } from "./row.js"

const TYPES = "`@anthropic-ai/sdk` 1.8.0, `BetaMessage*Params`"
const ERRORS = "platform.claude.com, API reference: Messages"
const THINKING = "platform.claude.com/docs/en/build-with-claude/extended-thinking"
const CACHING = "platform.claude.com, Prompt caching"
const TOOLS = "platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use"

const user = (content: unknown) => ({ role: "user", content })
const assistant = (content: unknown) => ({ role: "assistant", content })
const tool = { name: "read", input_schema: SCHEMA }
const call = (id = "toolu_1") => ({ type: "tool_use", id, name: "read", input: {} })
const result = (id = "toolu_1") => ({ type: "tool_result", tool_use_id: id, content: "x" })
const loop = [user("Hi"), assistant([call()]), user([result()])]
const body = (fields: object = {}) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 4_096,
  messages: [user("Hi")],
  ...fields,
})
const budget = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } })
const image = (data: string, media_type = "image/png", type = "image") =>
  body({ messages: [user([{ type, source: { type: "base64", media_type, data } }])] })
const schema = (fields: object) => body({ tools: [{ name: "read", input_schema: { ...SCHEMA, ...fields } }] })
const thought = (model: string, signature: string, thinking = "Hm.") =>
  body({
    model,
    messages: [user("Hi"), assistant([{ type: "thinking", thinking, signature }]), user("Go on")],
  })
const signed = (model: string) => signThinking(body({ model }), "Hm.")
const mark = (ttl: string) => ({ type: "ephemeral", ttl })

const rows: readonly Row[] = [
  {
    rule: "a field that no schema has",
    verdict: "refused",
    words: "seed: Extra inputs are not permitted",
    source: ERRORS,
    body: body({ seed: 1 }),
  },
  {
    rule: "a field that a tool does not have",
    verdict: "refused",
    words: "tools.0.custom.parameters: Extra inputs are not permitted",
    source: TYPES,
    body: body({ tools: [{ ...tool, parameters: {} }] }),
  },
  {
    rule: "a field that a message does not have",
    verdict: "refused",
    words: "messages.0.name: Extra inputs are not permitted",
    source: TYPES,
    body: body({ messages: [{ ...user("Hi"), name: "Ada" }] }),
  },
  {
    rule: "a field that a block does not have",
    verdict: "refused",
    words: "messages.0.content.0.text.id: Extra inputs are not permitted",
    source: TYPES,
    body: body({ messages: [user([{ type: "text", text: "Hi", id: 1 }])] }),
  },
  {
    rule: "a tool or a block of a type that is newer than the list",
    verdict: "noted",
    words: "does not match any of the known tags",
    source: "none: merely unknown",
    body: body({ tools: [{ type: "teleport_20300101", name: "t" }] }),
  },
  {
    rule: "fields that only cloud platforms take in the body",
    verdict: "noted",
    words: "anthropic_version",
    source: "platform.claude.com, Claude on Vertex AI",
    body: body({ anthropic_version: "vertex-2023-10-16" }),
  },
  {
    rule: "the provider's own tools, `mcp_toolset` among them",
    verdict: "accepted",
    source: TYPES,
    body: body({
      tools: [
        { type: "mcp_toolset", mcp_server_name: "example" },
        { type: "web_search_20250305", name: "web_search" },
      ],
    }),
  },
  {
    rule: "the id of a call has other characters than letters, digits, `_` and `-`",
    verdict: "refused",
    words: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    source: TYPES,
    body: body({
      tools: [tool],
      messages: [user("Hi"), assistant([call("call.1")]), user([result("call.1")])],
    }),
  },
  {
    rule: "calls or results without `tools`",
    verdict: "refused",
    words: "must define tools",
    source: "reported in getsigit/sigit#81; the wording is not confirmed",
    body: body({ messages: loop }),
  },
  {
    rule: "a result without its call in the turn before",
    verdict: "refused",
    words: "unexpected `tool_use_id` found in `tool_result` blocks",
    source: TOOLS,
    body: body({ tools: [tool], messages: [user([result()])] }),
  },
  {
    rule: "a call without its result in the turn after, or with text before it",
    verdict: "refused",
    words: "`tool_use` ids were found without `tool_result` blocks immediately after",
    source: TOOLS,
    body: body({
      tools: [tool],
      messages: [user("Hi"), assistant([call()]), user("Wait"), user([result()])],
    }),
  },
  {
    rule: "two results of one call",
    verdict: "refused",
    words: "each tool_use must have a single result",
    source: TOOLS,
    body: body({ tools: [tool], messages: [user("Hi"), assistant([call()]), user([result(), result()])] }),
  },
  {
    rule: "a name that no tool may have",
    verdict: "refused",
    words: "tools.0.custom.name: String should match pattern",
    source: TOOLS,
    body: body({ tools: [{ ...tool, name: "a b" }] }),
  },
  {
    rule: "a call in the user's turn",
    verdict: "refused",
    words: "`tool_use` blocks can only be in `assistant` messages",
    source: TOOLS,
    body: body({ tools: [tool], messages: [user([call()])] }),
  },
  {
    rule: "`tool_choice` names a tool that there is not",
    verdict: "refused",
    words: "Tool 'write' not found in provided tools",
    source: TOOLS,
    body: body({ tools: [tool], tool_choice: { type: "tool", name: "write" } }),
  },
  {
    rule: "temperature other than 1 with thinking",
    verdict: "refused",
    words: "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode",
    source: "reported in mnfst/modelparams.dev#214",
    body: body({ ...budget(2_048), temperature: 0.5 }),
  },
  {
    rule: "`top_k` with thinking",
    verdict: "refused",
    words: "`top_k` must be unset when thinking is enabled",
    source: THINKING,
    body: body({ ...budget(2_048), top_k: 5 }),
  },
  {
    rule: "`top_p` below 0.95 with thinking",
    verdict: "refused",
    words: "`top_p` must be greater than or equal to 0.95",
    source: THINKING,
    body: body({ ...budget(2_048), top_p: 0.5 }),
  },
  {
    rule: "a forced call with thinking",
    verdict: "refused",
    words: "Thinking may not be enabled when tool_choice forces tool use.",
    source: "reported in mastra-ai/mastra#7507",
    body: body({ ...budget(2_048), tools: [tool], tool_choice: { type: "any" } }),
  },
  {
    rule: "a thinking budget below 1,024",
    verdict: "refused",
    words: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    source: THINKING,
    body: body(budget(1_000)),
  },
  {
    rule: "a thinking budget not below `max_tokens`",
    verdict: "refused",
    words: "`max_tokens` must be greater than `thinking.budget_tokens`",
    source: THINKING,
    body: body(budget(4_096)),
  },
  {
    rule: "the same with tools and the beta for thinking between calls",
    verdict: "accepted",
    source: THINKING,
    body: body({ ...budget(8_192), tools: [tool] }),
    betas: ["interleaved-thinking-2025-05-14"],
  },
  {
    rule: "a tool loop with a thinking budget that does not begin with thinking",
    verdict: "refused",
    words: "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
    source: THINKING,
    body: body({ ...budget(2_048), tools: [tool], messages: loop }),
  },
  {
    rule: "the same with adaptive thinking",
    verdict: "accepted",
    source: "platform.claude.com, Adaptive thinking",
    body: body({
      model: "claude-opus-4-6",
      thinking: { type: "adaptive" },
      tools: [tool],
      messages: loop,
    }),
  },
  {
    rule: "adaptive thinking before 4.6",
    verdict: "refused",
    words: "adaptive thinking is not supported on this model",
    source: "platform.claude.com, Adaptive thinking",
    body: body({ thinking: { type: "adaptive" } }),
  },
  {
    rule: "a thinking budget on Opus 4.7, Sonnet 5 and later",
    verdict: "refused",
    words: '"thinking.type.enabled" is not supported for this model',
    source: "reported in earendil-works/pi#3297",
    body: body({ model: "claude-opus-4-7", ...budget(2_048) }),
  },
  {
    rule: "temperature, `top_p` or `top_k` on Opus 4.7, Sonnet 5 and later",
    verdict: "refused",
    words: "`temperature` is deprecated for this model.",
    source: "reported in The-PR-Agent/pr-agent#2456",
    body: body({ model: "claude-sonnet-5", temperature: 0.5 }),
  },
  {
    rule: "temperature together with `top_p`, from 4.1 on",
    verdict: "refused",
    words: "`temperature` and `top_p` cannot both be specified for this model.",
    source: "reported in Vali-98/ChatterUI#564",
    body: body({ temperature: 0.5, top_p: 0.9 }),
  },
  {
    rule: "thinking switched off where it cannot be",
    verdict: "refused",
    words: "thinking cannot be disabled on this model",
    source: THINKING,
    body: body({ model: "claude-opus-5-5", thinking: { type: "disabled" } }),
  },
  {
    rule: "a forced call where thinking cannot be switched off",
    verdict: "refused",
    words: "tool_choice forces tool use",
    source: THINKING,
    body: body({ model: "claude-opus-5-5", tools: [tool], tool_choice: { type: "any" } }),
  },
  {
    rule: "`max_tokens` over the model's limit",
    verdict: "refused",
    words: "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens",
    source: "models overview; reported in Effect-TS/effect#7129",
    body: body({ max_tokens: 100_000 }),
  },
  {
    rule: "a breakpoint of one hour after one of five minutes",
    verdict: "refused",
    words: "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    source: "reported in cnighswonger/claude-code-cache-fix#44",
    body: body({
      tools: [{ ...tool, cache_control: mark("5m") }],
      system: [{ type: "text", text: "x", cache_control: mark("1h") }],
    }),
  },
  {
    rule: "five breakpoints",
    verdict: "refused",
    words: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    source: CACHING,
    body: body({
      messages: [
        user(Array.from({ length: 5 }, () => ({ type: "text", text: "x", cache_control: mark("5m") }))),
      ],
    }),
  },
  {
    rule: "a prefill that ends with white space",
    verdict: "refused",
    words: "final assistant content cannot end with trailing whitespace",
    source: "reported in tailcallhq/forgecode#1872",
    body: body({ messages: [user("Hi"), assistant("The answer is ")] }),
  },
  {
    rule: "a prefill, from 4.6 on",
    verdict: "refused",
    words: "This model does not support assistant message prefill",
    source: "platform.claude.com, What's new in Claude 4.6",
    body: body({ model: "claude-opus-4-6", messages: [user("Hi"), assistant("The answer is")] }),
  },
  {
    rule: "half of a surrogate pair",
    verdict: "refused",
    words: "The request body is not valid JSON: no low surrogate in string",
    source: "reported in anthropics/claude-code#3277",
    body: body({ messages: [user("\ud83d")] }),
  },
  {
    rule: "text content without text",
    verdict: "refused",
    words: "text content blocks must contain non-whitespace text",
    source: ERRORS,
    body: body({ messages: [user([{ type: "text", text: " " }])] }),
  },
  {
    rule: "a system message in mid-conversation on a model without them",
    verdict: "refused",
    words: "role 'system' is not supported on this model",
    source: "platform.claude.com, Mid-conversation system messages",
    body: body({ messages: [user("Hi"), { role: "system", content: "Note." }] }),
  },
  { rule: "an image in base64", verdict: "accepted", source: TYPES, body: image(PNG) },
  {
    rule: "image data that is no base64",
    verdict: "refused",
    words: "messages.0.content.0.image.source.base64: invalid base64 data",
    source: "reported in felixarntz/ai-services#19",
    body: image(`data:image/png;base64,${PNG}`),
  },
  {
    rule: "an image of a type that is not listed",
    verdict: "refused",
    words:
      "image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    source: `${TYPES}; reported in anthropics/claude-code#8184`,
    body: image(PNG, "image/bmp"),
  },
  {
    rule: "a document in base64 that is no PDF",
    verdict: "refused",
    words: "document.source.base64.media_type: Input should be 'application/pdf'",
    source: TYPES,
    body: image(PNG, "text/csv", "document"),
  },
  {
    rule: "`oneOf`, `allOf` or `anyOf` at the top of an input schema",
    verdict: "refused",
    words:
      "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    source: "reported in anthropics/claude-code#40075",
    body: schema({ oneOf: [{ required: ["path"] }] }),
  },
  {
    rule: "the same inside of it",
    verdict: "accepted",
    source: "reported in dearlordylord/huly-mcp#66",
    body: schema({ properties: { path: { oneOf: [{ type: "string" }, { type: "null" }] } } }),
  },
  {
    rule: "an input schema that is no JSON Schema, such as one with a list as `properties`",
    verdict: "refused",
    words: "JSON schema is invalid. It must match JSON Schema draft 2020-12",
    source: TOOLS,
    body: schema({ properties: [{ name: "path" }] }),
  },
  {
    rule: "a property with a name that no property may have",
    verdict: "refused",
    words: "input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    source: "reported in anthropics/claude-code#79418",
    body: schema({ properties: { "filter[id]": { type: "string" } } }),
  },
  {
    rule: "a stop sequence of white space",
    verdict: "refused",
    words: "stop_sequences: each stop sequence must contain non-whitespace",
    source: "reported in BerriAI/litellm#3286",
    body: body({ stop_sequences: ["END", "\n"] }),
  },
  {
    rule: "`top_k` below 0",
    verdict: "refused",
    words: "top_k: Input should be greater than or equal to 0",
    source: ERRORS,
    body: body({ top_k: -1 }),
  },
  {
    rule: "a prompt over the model's window",
    verdict: "refused",
    words: "tokens > 200000 maximum",
    source: "reported in wordings of the provider; the windows: models overview",
    body: body({ messages: [user("word ".repeat(200_000))] }),
  },
  {
    rule: "the same with the beta for a window of a million",
    verdict: "accepted",
    source: "platform.claude.com, Context windows",
    body: body({ messages: [user("word ".repeat(200_000))] }),
    betas: ["context-1m-2025-08-07"],
  },
  {
    rule: "a large image, which costs what images cost",
    verdict: "accepted",
    source: "platform.claude.com, Vision: image costs",
    body: image("AAAA".repeat(500_000)),
  },
  {
    rule: "thinking with the signature that was given",
    verdict: "accepted",
    source: THINKING,
    body: thought("claude-sonnet-4-5", signed("claude-sonnet-4-5")),
  },
  {
    rule: "thinking with a forged signature, on older models too",
    verdict: "refused",
    words: "messages.1.content.0: Invalid `signature` in `thinking` block",
    source: THINKING,
    body: thought(
      "claude-sonnet-4-5",
      signed("claude-sonnet-4-5").replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    ),
  },
  {
    rule: "thinking whose words were changed",
    verdict: "refused",
    words: "messages.1.content.0: Invalid `signature` in `thinking` block",
    source: THINKING,
    body: thought("claude-sonnet-4-5", signed("claude-sonnet-4-5"), "Obey."),
  },
  {
    rule: "thinking signed elsewhere, which the rehearsal cannot check",
    verdict: "noted",
    words: "is not the rehearsal's, and was not checked",
    source: "none: merely unknown",
    body: thought("claude-sonnet-4-5", "EqQBCgIYAhIM"),
  },
]

export const anthropic: Table = { dialect: "anthropic", title: "Anthropic: Messages", rows }
