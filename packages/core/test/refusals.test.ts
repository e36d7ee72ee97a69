import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import { refusedCarrier } from "@sotto/core/openai-chat"
import { generateText } from "ai"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/** What servers are reported to answer, and which carrier that refuses. */
const REFUSALS: readonly (readonly [server: string, status: number, body: object, carrier: string])[] = [
  ["Anthropic", 400, anthropics("role 'system' is not supported on this model"), "system-message"],
  [
    "Anthropic's schema",
    400,
    anthropics(
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    ),
    "system-message",
  ],
  [
    "Anthropic",
    400,
    anthropics(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
    "assistant-text",
  ],
  [
    "Bedrock",
    400,
    {
      message:
        "The model returned the following errors: Your API request included an `assistant` message in the final position, which would pre-fill the `assistant` response. When using tools, pre-filling the `assistant` response is not supported.",
    },
    "assistant-text",
  ],
  [
    "Gemini",
    400,
    {
      error: {
        code: 400,
        message: "Please ensure that multiturn requests end with a user turn or a function response turn.",
        status: "INVALID_ARGUMENT",
      },
    },
    "assistant-text",
  ],
  [
    "vLLM",
    400,
    {
      object: "error",
      message: "System message must be at the beginning.",
      type: "BadRequestError",
      code: 400,
    },
    "system-message",
  ],
  [
    "vLLM with Gemma",
    400,
    {
      error: {
        message:
          "Conversation roles must alternate user/assistant/user/assistant/... Conversation roles must alternate user/assistant/user/assistant/...",
        type: "BadRequestError",
        code: 400,
      },
    },
    "system-message",
  ],
  [
    "llama.cpp",
    500,
    {
      error: {
        code: 500,
        message: "Jinja Exception: System message must be at the beginning.",
        type: "server_error",
      },
    },
    "system-message",
  ],
  [
    "MLX",
    400,
    {
      error: {
        message: "Chat template error: System message must be at the beginning.",
        type: "invalid_request_error",
      },
    },
    "system-message",
  ],
  [
    "Gemma's template",
    400,
    { error: { message: "System role not supported", type: "BadRequestError" } },
    "system-message",
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message: "Unexpected role 'system' after role 'assistant'",
      type: "invalid_request_message_order",
      code: "3230",
    },
    "system-message",
  ],
  [
    "Mistral",
    400,
    { object: "error", message: "Unexpected role RoleEnum.system", type: "invalid_request_error" },
    "system-message",
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message:
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
      type: "invalid_request_error",
    },
    "assistant-text",
  ],
  [
    "OpenRouter",
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: `{"object":"error","message":"Unexpected role 'system' after role 'user'","type":"invalid_request_message_order"}`,
          provider_name: "Mistral",
        },
      },
    },
    "system-message",
  ],
  [
    "LiteLLM",
    400,
    {
      error: {
        message:
          "litellm.BadRequestError: MistralException - Error code: 400 - {'object': 'error', 'message': \"Unexpected role 'system' after role 'tool'\", 'type': 'invalid_request_error'}",
        type: null,
        code: "400",
      },
    },
    "system-message",
  ],
  [
    "DeepSeek",
    422,
    {
      error: {
        message:
          "Failed to deserialize the JSON body into the target type: messages[1].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool` at line 1 column 58",
        type: "invalid_request_error",
      },
    },
    "system-message",
  ],
  [
    "DeepSeek",
    422,
    {
      error: {
        message:
          "Failed to deserialize the JSON body into the target type: messages[0]: unknown role: developer at line 1 column 16943",
      },
    },
    "system-message",
  ],
  [
    "FastAPI",
    422,
    {
      detail: [
        {
          loc: ["body", "messages", 2, "role"],
          msg: "Input tag 'developer' found using 'role' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'",
          type: "union_tag_invalid",
        },
      ],
    },
    "system-message",
  ],
  [
    "Ollama",
    400,
    { error: { message: "invalid role: developer", type: "invalid_request_error" } },
    "system-message",
  ],
  [
    "a gateway to Claude",
    400,
    anthropics("This provider does not support tool_result content blocks."),
    "tool-result",
  ],
  [
    "a strict server",
    400,
    { error: { message: "tool messages must contain string content" } },
    "tool-result",
  ],
  ["MiniMax", 400, { error: { message: "tool result's content must be a string" } }, "tool-result"],
]

/** What is wrong with a request in other ways, however near the words come. */
const OTHERS: readonly (readonly [what: string, status: number, body: object])[] = [
  [
    "too long",
    400,
    anthropics("prompt is too long: 210000 tokens > 200000 maximum (system messages are not counted)"),
  ],
  [
    "too long",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. System messages must be shorter.",
        code: "context_length_exceeded",
      },
    },
  ],
  [
    "a bad key",
    401,
    {
      error: {
        message: "Incorrect API key provided: sk-x. role 'system' is not supported",
        code: "invalid_api_key",
      },
    },
  ],
  [
    "a rate limit",
    429,
    { error: { message: "System message must be at the beginning. Rate limit reached" } },
  ],
  ["overloaded", 529, anthropics("Overloaded")],
  [
    "an unknown model",
    404,
    { error: { message: "The model `gpt-9` does not exist or you do not have access to it." } },
  ],
  [
    "a bad schema",
    400,
    {
      error: {
        message:
          "Invalid schema for function 'read': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
      },
    },
  ],
  [
    "a large image",
    400,
    anthropics(
      "messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
    ),
  ],
  ["an empty block", 400, anthropics("system: text content blocks must be non-empty")],
  [
    "a missing result",
    400,
    anthropics(
      "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
  ],
  [
    "an unpaired result",
    400,
    anthropics("messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1."),
  ],
  [
    "two assistants",
    400,
    anthropics(
      'messages: roles must alternate between "user" and "assistant", but found multiple "assistant" roles in a row',
    ),
  ],
  ["a user after a tool", 400, { object: "error", message: "Unexpected role 'user' after role 'tool'" }],
  [
    "an unknown role",
    400,
    {
      error: {
        message:
          "messages[0].role: unknown variant `robot`, expected one of `system`, `user`, `assistant`, `tool`",
      },
    },
  ],
  [
    "a wrong parameter",
    400,
    { error: { message: "Unsupported parameter: 'temperature' is not supported with this model." } },
  ],
  [
    "thinking",
    400,
    anthropics(
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ),
  ],
  ["no tools", 400, { error: { message: "registry.ollama.ai/library/gemma3 does not support tools" } }],
  ["a server in trouble", 500, { error: { message: "Unexpected system error" } }],
  [
    "a marker",
    400,
    anthropics(
      "system.1.cache_control: Extra inputs are not permitted on system messages, only on user messages; cache_control cannot be set",
    ),
  ],
]

function anthropics(message: string) {
  return { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_1" }
}

let answer: readonly [number, object] = [400, {}]
const server = createServer((incoming, response) => {
  incoming.resume()
  response.writeHead(answer[0], { "content-type": "application/json" }).end(JSON.stringify(answer[1]))
})
let url = ""
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const messages = [{ role: "user", content: "Hi" }] as const

/** How people get at an answer, and what they have in their hands when it is an error. */
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "Anthropic's SDK": () =>
    new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0 }).messages.create({
      model: "claude-opus-5",
      max_tokens: 10,
      messages: [...messages],
    }),
  "OpenAI's SDK": () =>
    new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 }).chat.completions.create({
      model: "m",
      messages: [...messages],
    }),
  "OpenAI's SDK, Responses": () =>
    new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 }).responses.create({ model: "m", input: "Hi" }),
  "Google's SDK": () =>
    new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url } }).models.generateContent({
      model: "gemini-3-pro",
      contents: "Hi",
    }),
  "the AI SDK over Anthropic's provider": () =>
    generateText({
      model: createAnthropic({ apiKey: "k", baseURL: url })("claude-opus-5"),
      prompt: "Hi",
      maxRetries: 0,
    }),
  "the AI SDK over OpenAI's provider": () =>
    generateText({
      model: createOpenAI({ apiKey: "k", baseURL: url }).chat("m"),
      prompt: "Hi",
      maxRetries: 0,
    }),
  "fetch, and the text of the body": async () => {
    const response = await fetch(url, { method: "POST" })
    throw { status: response.status, body: await response.text() }
  },
  "fetch, and an error of one's own around it": async () => {
    const response = await fetch(url, { method: "POST" })
    throw new Error("the model did not answer", {
      cause: Object.assign(new Error("bad answer"), { status: response.status, body: await response.json() }),
    })
  },
  "a message with everything in it": async () => {
    const response = await fetch(url, { method: "POST" })
    throw new Error(`${response.status} ${await response.text()}`)
  },
}

async function errorOf(way: () => Promise<unknown>): Promise<unknown> {
  try {
    await way()
  } catch (error) {
    return error
  }
  throw new Error("It was to fail.")
}

describe.each(Object.entries(WAYS))("%s", (_, way) => {
  it.each(REFUSALS)("%s refuses a carrier with %i %j", async (_server, status, body, carrier) => {
    answer = [status, body]
    // OpenAI's SDK drops what a body does not have under "error", so that there is nothing left to recognise.
    const isDropped = _.startsWith("OpenAI's SDK") && !("error" in body)
    expect(refusedCarrier(await errorOf(way))).toBe(isDropped ? undefined : carrier)
  })

  it.each(OTHERS)("%s is no refusal: %i %j", async (_what, status, body) => {
    answer = [status, body]
    const error = await errorOf(way)
    // A bare text has no status to go by.
    if (_ !== "a message with everything in it" || status === 400)
      expect(refusedCarrier(error)).toBeUndefined()
  })
})

it("sees through an error that gave up after several attempts", () => {
  const last = {
    statusCode: 400,
    responseBody: JSON.stringify(anthropics("role 'system' is not supported on this model")),
  }
  const error = Object.assign(new Error("Failed after 3 attempts."), {
    reason: "maxRetriesExceeded",
    errors: [last, last],
    lastError: last,
  })
  expect(refusedCarrier(error)).toBe("system-message")
})

it.each([undefined, null, 5, "", {}, [], new Error("no"), Object.assign(new Error("loop"), { cause: {} })])(
  "makes nothing of %s",
  (error) => expect(refusedCarrier(error)).toBeUndefined(),
)

it("ends with an error that contains itself", () => {
  const error: { cause?: unknown; status: number } = { status: 400 }
  error.cause = error
  expect(refusedCarrier(error)).toBeUndefined()
})

it("does not take the conversation that an answer echoes for what it says", () => {
  const input = { role: "user", content: "System message must be at the beginning." }
  expect(
    refusedCarrier({ status: 422, body: { detail: [{ msg: "field required", input }] } }),
  ).toBeUndefined()
  expect(refusedCarrier({ status: 400, requestBodyValues: input, message: "Bad Request" })).toBeUndefined()
})
