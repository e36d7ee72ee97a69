import Anthropic from "@anthropic-ai/sdk"
import { FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type Rehearsal, startRehearsal } from "../src/index.js"

/** Calls as the official SDKs' examples make them. Each is answered by the rehearsal with what the SDK can read. */

let rehearsal: Rehearsal
let anthropic: Anthropic
let openai: OpenAI
let google: GoogleGenAI

beforeAll(async () => {
  // The SDK warns of models near their end.
  vi.spyOn(console, "warn").mockImplementation(() => {})
  rehearsal = await startRehearsal()
  anthropic = new Anthropic({ apiKey: "rehearsal", baseURL: rehearsal.url, maxRetries: 0 })
  openai = new OpenAI({ apiKey: "rehearsal", baseURL: `${rehearsal.url}/v1`, maxRetries: 0 })
  google = new GoogleGenAI({ apiKey: "rehearsal", httpOptions: { baseUrl: rehearsal.url } })
})

afterAll(async () => {
  vi.restoreAllMocks()
  await rehearsal.close()
})

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const PDF = "JVBERi0xLjQKJSVFT0YK"
const WEATHER = {
  type: "object" as const,
  properties: { location: { type: "string" } },
  required: ["location"],
  additionalProperties: false,
}
const EVENT = {
  type: "object" as const,
  properties: { name: { type: "string" }, participants: { type: "array", items: { type: "string" } } },
  required: ["name", "participants"],
  additionalProperties: false,
}

type Calls = readonly (readonly [string, () => Promise<unknown>])[]

const hello = [{ role: "user" as const, content: "Hello, Claude" }]
const weather: Anthropic.Tool = { name: "get_weather", description: "The weather.", input_schema: WEATHER }

const claude = (fields: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) =>
  anthropic.messages.create({ model: "claude-sonnet-4-5", max_tokens: 1_024, messages: hello, ...fields })

const betaClaude = (fields: Partial<Anthropic.Beta.MessageCreateParamsNonStreaming>) =>
  anthropic.beta.messages.create({ model: "claude-opus-5", max_tokens: 1_024, messages: hello, ...fields })

const ANTHROPIC: Calls = [
  ["a message", () => claude()],
  [
    "a message in blocks",
    () => claude({ messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] }),
  ],
  [
    "several turns",
    () =>
      claude({
        messages: [...hello, { role: "assistant", content: "Hi!" }, { role: "user", content: "And?" }],
      }),
  ],
  ["a prefill", () => claude({ messages: [...hello, { role: "assistant", content: "The answer is (" }] })],
  ["a system prompt", () => claude({ system: "Be brief." })],
  [
    "a cached system prompt",
    () =>
      claude({ system: [{ type: "text", text: "Long.", cache_control: { type: "ephemeral", ttl: "1h" } }] }),
  ],
  // The types of this version have no temperature any more; the models before Opus 4.7 do.
  ["temperature", () => claude({ ...({ temperature: 0.2 } as object) })],
  [
    "stop sequences and metadata",
    () => claude({ stop_sequences: ["END"], metadata: { user_id: "u" }, service_tier: "auto" }),
  ],
  [
    "a stream of events",
    async () =>
      all(
        await anthropic.messages.create({
          model: "claude-opus-5",
          max_tokens: 100,
          messages: hello,
          stream: true,
        }),
      ),
  ],
  [
    "the streaming helper",
    () => anthropic.messages.stream({ model: "claude-opus-5", max_tokens: 100, messages: hello }).finalText(),
  ],
  ["a tool", () => claude({ tools: [weather], messages: [{ role: "user", content: "Weather in Rome?" }] })],
  [
    "a forced tool",
    () =>
      claude({
        tools: [weather],
        tool_choice: { type: "tool", name: "get_weather", disable_parallel_tool_use: true },
      }),
  ],
  [
    "a tool result",
    async () => {
      const first = await claude({
        tools: [weather],
        messages: [{ role: "user", content: "Weather in Rome?" }],
      })
      const call = first.content.find((block) => block.type === "tool_use")
      expect(call).toBeDefined()
      const result = { type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "Sunny" }
      return claude({
        tools: [weather],
        messages: [
          { role: "user", content: "Weather in Rome?" },
          { role: "assistant", content: first.content },
          { role: "user", content: [result] },
        ],
      })
    },
  ],
  [
    "an image",
    () =>
      claude({
        messages: [
          {
            role: "user",
            content: [
              { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
              { type: "text", text: "What is it?" },
            ],
          },
        ],
      }),
  ],
  [
    "an image by URL",
    () =>
      claude({
        messages: [
          {
            role: "user",
            content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }],
          },
        ],
      }),
  ],
  [
    "a PDF with citations",
    () =>
      claude({
        messages: [
          {
            role: "user",
            content: [
              {
                type: "document",
                source: { type: "base64", media_type: "application/pdf", data: PDF },
                citations: { enabled: true },
              },
              { type: "text", text: "Sum up." },
            ],
          },
        ],
      }),
  ],
  [
    "a plain text document",
    () =>
      claude({
        messages: [
          {
            role: "user",
            content: [
              {
                type: "document",
                source: { type: "text", media_type: "text/plain", data: "Grass is green." },
              },
            ],
          },
        ],
      }),
  ],
  [
    "a search result",
    () =>
      claude({
        messages: [
          {
            role: "user",
            content: [
              { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "x" }] },
            ],
          },
        ],
      }),
  ],
  [
    "thinking with a budget",
    () => claude({ max_tokens: 4_096, thinking: { type: "enabled", budget_tokens: 2_048 } }),
  ],
  [
    "thinking in a tool loop",
    async () => {
      const asked = {
        model: "claude-sonnet-4-5",
        max_tokens: 4_096,
        thinking: { type: "enabled" as const, budget_tokens: 2_048 },
        tools: [weather],
      }
      const question = { role: "user" as const, content: "Weather in Rome?" }
      const first = await anthropic.messages.create({ ...asked, messages: [question] })
      expect(first.content[0]?.type).toBe("thinking")
      const call = first.content.find((block) => block.type === "tool_use")
      return anthropic.messages.create({
        ...asked,
        messages: [
          question,
          { role: "assistant", content: first.content },
          { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "Sunny" }] },
        ],
      })
    },
  ],
  [
    "adaptive thinking with effort",
    () =>
      claude({ model: "claude-opus-4-6", thinking: { type: "adaptive" }, output_config: { effort: "high" } }),
  ],
  ["web search", () => claude({ tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] })],
  [
    "structured output",
    async () => {
      const message = await claude({ output_config: { format: { type: "json_schema", schema: EVENT } } })
      const [block] = message.content
      expect(JSON.parse(block?.type === "text" ? block.text : "")).toMatchObject({
        name: expect.any(String),
        participants: [],
      })
      return message
    },
  ],
  [
    "a count of tokens",
    async () => {
      const counted = await anthropic.messages.countTokens({
        model: "claude-opus-5",
        system: "Be brief.",
        messages: hello,
        tools: [weather],
      })
      expect(counted.input_tokens).toBeGreaterThan(10)
      return counted
    },
  ],
  ["the list of models", async () => all(anthropic.models.list())],
  ["one model", () => anthropic.models.retrieve("claude-sonnet-4-5")],
  [
    "beta: code execution and memory",
    () =>
      betaClaude({
        betas: ["code-execution-2025-08-25"],
        tools: [
          { type: "code_execution_20250825", name: "code_execution" },
          { type: "memory_20250818", name: "memory" },
        ],
      }),
  ],
  [
    "beta: an MCP server",
    () =>
      betaClaude({
        betas: ["mcp-client-2025-11-20"],
        mcp_servers: [{ type: "url", name: "example", url: "https://example.com/mcp" }],
        tools: [{ type: "mcp_toolset", mcp_server_name: "example" }],
      }),
  ],
  [
    "beta: the computer, a shell and an editor",
    () =>
      betaClaude({
        tools: [
          { type: "computer_20250124", name: "computer", display_width_px: 800, display_height_px: 600 },
          { type: "bash_20250124", name: "bash" },
          { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
        ],
      }),
  ],
  [
    "beta: context editing",
    () =>
      betaClaude({
        betas: ["context-management-2025-06-27"],
        context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
      }),
  ],
  [
    "beta: tool search",
    () =>
      betaClaude({
        tools: [
          { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
          { ...weather, defer_loading: true },
        ],
      }),
  ],
  [
    "beta: cache diagnostics",
    async () => {
      const first = await betaClaude({ diagnostics: { previous_message_id: null } })
      expect(first.diagnostics).toBeNull()
      const next = [
        ...hello,
        { role: "assistant" as const, content: "Hi!" },
        { role: "user" as const, content: "And?" },
      ]
      const second = await betaClaude({ messages: next, diagnostics: { previous_message_id: first.id } })
      expect(second.diagnostics).toBeNull()
      const third = await betaClaude({
        messages: next,
        system: "New.",
        diagnostics: { previous_message_id: second.id },
      })
      expect(third.diagnostics?.cache_miss_reason).toMatchObject({ type: "system_changed" })
      return third
    },
  ],
]

const respond = (fields: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {}) =>
  openai.responses.create({ model: "gpt-5.6", input: "Write a story.", ...fields })

const getWeather: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "get_weather",
  parameters: WEATHER,
  strict: true,
}

const user = (content: OpenAI.Responses.ResponseInputMessageContentList): OpenAI.Responses.ResponseInput => [
  { role: "user", content },
]

const RESPONSES: Calls = [
  [
    "a text",
    async () => {
      const response = await respond()
      expect(response.output_text).not.toBe("")
      return response
    },
  ],
  ["instructions", () => respond({ instructions: "Talk like a pirate." })],
  [
    "messages",
    () =>
      respond({
        input: [
          { role: "developer", content: "Be brief." },
          { role: "user", content: "Hi" },
        ],
      }),
  ],
  [
    "a stream",
    async () => all(await openai.responses.create({ model: "gpt-5.6", input: "Hi", stream: true })),
  ],
  ["the streaming helper", () => openai.responses.stream({ model: "gpt-5.6", input: "Hi" }).finalResponse()],
  ["reasoning", () => respond({ reasoning: { effort: "high", summary: "auto" } })],
  [
    "encrypted reasoning, nothing stored",
    () => respond({ store: false, include: ["reasoning.encrypted_content"] }),
  ],
  [
    "temperature on a model without reasoning",
    () => respond({ model: "gpt-4.1", temperature: 0.2, top_p: 0.9 }),
  ],
  ["a function", () => respond({ tools: [getWeather], input: "Weather in Rome?" })],
  [
    "a function's output after previous_response_id",
    async () => {
      const first = await respond({ tools: [getWeather], input: "Weather in Rome?" })
      const call = first.output.find((item) => item.type === "function_call")
      expect(call).toBeDefined()
      const second = await respond({
        tools: [getWeather],
        previous_response_id: first.id,
        input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output: "Sunny" }],
      })
      expect(second.previous_response_id).toBe(first.id)
      return second
    },
  ],
  [
    "all of the output sent back",
    async () => {
      const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Weather in Rome?" }]
      const first = await respond({ tools: [getWeather], input })
      const outputs = first.output.flatMap((item) =>
        item.type === "function_call"
          ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "Sunny" }]
          : [],
      )
      return respond({
        tools: [getWeather],
        input: [...input, ...(first.output as OpenAI.Responses.ResponseInput), ...outputs],
      })
    },
  ],
  [
    "a conversation",
    async () => {
      const conversation = await openai.conversations.create({ metadata: { topic: "demo" } })
      await respond({ conversation: conversation.id, input: "My name is Ada." })
      const second = await respond({ conversation: conversation.id, input: "What is my name?" })
      const items = await all(openai.conversations.items.list(conversation.id))
      expect(items.length).toBeGreaterThanOrEqual(4)
      await openai.conversations.retrieve(conversation.id)
      await openai.conversations.delete(conversation.id)
      return second
    },
  ],
  ["web search", () => respond({ tools: [{ type: "web_search" }] })],
  [
    "file search",
    () =>
      respond({
        tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }],
        include: ["file_search_call.results"],
      }),
  ],
  [
    "a code interpreter",
    () => respond({ tools: [{ type: "code_interpreter", container: { type: "auto" } }] }),
  ],
  [
    "an MCP server",
    () =>
      respond({
        tools: [
          {
            type: "mcp",
            server_label: "example",
            server_url: "https://example.com/mcp",
            require_approval: "never",
          },
        ],
      }),
  ],
  ["image generation", () => respond({ tools: [{ type: "image_generation" }] })],
  [
    "the computer",
    () =>
      respond({
        tools: [
          { type: "computer_use_preview", display_width: 800, display_height: 600, environment: "browser" },
        ],
        truncation: "auto",
      }),
  ],
  ["a local shell", () => respond({ tools: [{ type: "local_shell" }] })],
  [
    "a custom tool",
    () => respond({ tools: [{ type: "custom", name: "code_exec", description: "Runs code." }] }),
  ],
  ["shell and apply_patch", () => respond({ tools: [{ type: "shell" }, { type: "apply_patch" }] })],
  [
    "allowed tools",
    () =>
      respond({
        tools: [getWeather],
        tool_choice: {
          type: "allowed_tools",
          mode: "auto",
          tools: [{ type: "function", name: "get_weather" }],
        },
      }),
  ],
  ["no tools in the list", () => respond({ tools: [] })],
  [
    "an image by URL",
    () =>
      respond({
        input: user([{ type: "input_image", image_url: "https://example.com/a.png", detail: "auto" }]),
      }),
  ],
  [
    "an image by its data",
    () =>
      respond({
        input: user([{ type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "low" }]),
      }),
  ],
  [
    "an image by file id",
    () => respond({ input: user([{ type: "input_image", file_id: "file-1", detail: "auto" }]) }),
  ],
  [
    "a file by id, URL and data",
    () =>
      respond({
        input: user([
          { type: "input_file", file_id: "file-1" },
          { type: "input_file", file_url: "https://example.com/a.pdf" },
          { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` },
        ]),
      }),
  ],
  [
    "structured output",
    async () => {
      const parsed = await openai.responses.parse({
        model: "gpt-5.6",
        input: "An event.",
        text: { format: { type: "json_schema", name: "event", strict: true, schema: EVENT } },
      })
      expect(parsed.output_parsed).toMatchObject({ participants: [] })
      return parsed
    },
  ],
  [
    "a JSON object",
    async () => {
      const response = await respond({ input: "Answer in JSON.", text: { format: { type: "json_object" } } })
      expect(JSON.parse(response.output_text)).toEqual({ rehearsal: true })
      return response
    },
  ],
  [
    "retrieving, listing and deleting",
    async () => {
      const created = await respond({ input: "Keep this." })
      const found = await openai.responses.retrieve(created.id)
      expect(found.output_text).toBe(created.output_text)
      const items = await all(openai.responses.inputItems.list(created.id))
      expect(items).toMatchObject([
        { type: "message", content: [{ type: "input_text", text: "Keep this." }] },
      ])
      await openai.responses.delete(created.id)
      await expect(openai.responses.retrieve(created.id)).rejects.toThrow(/not found/)
      return found
    },
  ],
  [
    "a count of tokens",
    async () => {
      const counted = await openai.responses.inputTokens.count({
        model: "gpt-5.6",
        input: "How long is this?",
      })
      expect(counted.input_tokens).toBeGreaterThan(3)
      return counted
    },
  ],
  ["the list of models", async () => all(await openai.models.list())],
  ["one model", () => openai.models.retrieve("gpt-5.6")],
]

const chat = (fields: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  openai.chat.completions.create({
    model: "gpt-5.6",
    messages: [{ role: "user", content: "Say hello." }],
    ...fields,
  })

const chatTool: OpenAI.ChatCompletionFunctionTool = {
  type: "function",
  function: { name: "get_weather", parameters: WEATHER, strict: true },
}

const CHAT: Calls = [
  ["a completion", () => chat()],
  [
    "developer and system messages",
    () =>
      chat({
        messages: [
          { role: "developer", content: "Be brief." },
          { role: "system", content: "Please." },
          { role: "user", content: "Hi" },
        ],
      }),
  ],
  [
    "a stream with usage",
    async () =>
      all(
        await openai.chat.completions.create({
          model: "gpt-5.6",
          messages: [{ role: "user", content: "Hi" }],
          stream: true,
          stream_options: { include_usage: true },
        }),
      ),
  ],
  [
    "the streaming helper",
    () =>
      openai.chat.completions
        .stream({ model: "gpt-5.6", messages: [{ role: "user", content: "Hi" }] })
        .finalContent(),
  ],
  [
    "sampling on a model without reasoning",
    () =>
      chat({
        model: "gpt-4o",
        temperature: 0,
        top_p: 1,
        max_tokens: 50,
        seed: 1,
        logprobs: true,
        top_logprobs: 2,
        stop: ["\n"],
      }),
  ],
  [
    "reasoning effort and verbosity",
    () => chat({ reasoning_effort: "low", verbosity: "low", max_completion_tokens: 500 }),
  ],
  ["a function", () => chat({ tools: [chatTool], tool_choice: "required", parallel_tool_calls: false })],
  [
    "a function without parameters",
    () => chat({ tools: [{ type: "function", function: { name: "get_time" } }] }),
  ],
  [
    "a tool message",
    () =>
      chat({
        tools: [chatTool],
        messages: [
          { role: "user", content: "Weather?" },
          {
            role: "assistant",
            content: null,
            tool_calls: [
              { id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } },
            ],
          },
          { role: "tool", tool_call_id: "call_1", content: "Sunny" },
        ],
      }),
  ],
  [
    "running tools with the helper",
    async () => {
      const runner = openai.chat.completions.runTools({
        model: "gpt-5.6",
        messages: [{ role: "user", content: "Weather in Rome?" }],
        tools: [
          {
            type: "function",
            function: {
              name: "get_weather",
              description: "The weather.",
              parameters: WEATHER,
              function: () => "Sunny",
              parse: JSON.parse,
            },
          },
        ],
      })
      expect(await runner.finalContent()).toContain("made 1 tool call")
      return runner
    },
  ],
  ["a custom tool", () => chat({ tools: [{ type: "custom", custom: { name: "code_exec" } }] })],
  [
    "functions of old",
    () =>
      chat({
        model: "gpt-4",
        functions: [{ name: "get_weather", parameters: WEATHER }],
        function_call: "auto",
      }),
  ],
  [
    "an image",
    () =>
      chat({
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "What is it?" },
              { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
            ],
          },
        ],
      }),
  ],
  [
    "audio",
    () =>
      chat({
        messages: [
          { role: "user", content: [{ type: "input_audio", input_audio: { data: "AA==", format: "wav" } }] },
        ],
        modalities: ["text", "audio"],
        audio: { voice: "alloy", format: "wav" },
      }),
  ],
  [
    "a file",
    () =>
      chat({
        messages: [
          {
            role: "user",
            content: [
              { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
            ],
          },
        ],
      }),
  ],
  [
    "structured output",
    async () => {
      const parsed = await openai.chat.completions.parse({
        model: "gpt-5.6",
        messages: [{ role: "user", content: "An event." }],
        response_format: { type: "json_schema", json_schema: { name: "event", strict: true, schema: EVENT } },
      })
      expect(parsed.choices[0]?.message.parsed).toMatchObject({ participants: [] })
      return parsed
    },
  ],
  [
    "a JSON object",
    () =>
      chat({
        messages: [{ role: "user", content: "Answer in JSON." }],
        response_format: { type: "json_object" },
      }),
  ],
  ["a prediction", () => chat({ model: "gpt-4o", prediction: { type: "content", content: "x" } })],
  ["web search options", () => chat({ model: "gpt-4o-search-preview", web_search_options: {} })],
  [
    "a stored completion",
    async () => {
      const created = await chat({ store: true, metadata: { topic: "demo" } })
      const found = await openai.chat.completions.retrieve(created.id)
      expect(found.choices).toEqual(created.choices)
      await openai.chat.completions.delete(created.id)
      await expect(openai.chat.completions.retrieve(created.id)).rejects.toThrow(/not found/)
      return found
    },
  ],
]

const MODEL = "gemini-2.5-flash"
const generate = (parameters: Partial<Parameters<GoogleGenAI["models"]["generateContent"]>[0]>) =>
  google.models.generateContent({ model: MODEL, contents: "Why is the sky blue?", ...parameters })
const declared = { functionDeclarations: [{ name: "get_weather", parametersJsonSchema: WEATHER }] }

const GEMINI: Calls = [
  [
    "a text",
    async () => {
      const response = await generate({})
      expect(response.text).not.toBe("")
      return response
    },
  ],
  ["a list of texts", () => generate({ contents: ["Hello.", "How are you?"] })],
  [
    "a system instruction and sampling",
    () =>
      generate({
        config: {
          systemInstruction: "You are a cat.",
          temperature: 0.1,
          topP: 0.9,
          topK: 5,
          maxOutputTokens: 100,
          stopSequences: ["END"],
        },
      }),
  ],
  ["a stream", async () => all(await google.models.generateContentStream({ model: MODEL, contents: "Hi" }))],
  [
    "a chat",
    async () => {
      const talk = google.chats.create({
        model: MODEL,
        history: [
          { role: "user", parts: [{ text: "Hi" }] },
          { role: "model", parts: [{ text: "Hello!" }] },
        ],
      })
      await talk.sendMessage({ message: "I have two dogs." })
      return all(await talk.sendMessageStream({ message: "How many paws?" }))
    },
  ],
  [
    "thinking",
    () => generate({ config: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } } }),
  ],
  [
    "a function",
    async () => {
      const response = await generate({ contents: "Weather in Rome?", config: { tools: [declared] } })
      expect(response.functionCalls).toMatchObject([{ name: "get_weather" }])
      return response
    },
  ],
  [
    "a function on Gemini 3, with its signature",
    async () => {
      const ask = { role: "user", parts: [{ text: "Weather in Rome?" }] }
      const first = await generate({ model: "gemini-3-pro", contents: [ask], config: { tools: [declared] } })
      const said = first.candidates?.[0]?.content
      if (said === undefined) throw new Error("nothing was said")
      const answer = {
        role: "user",
        parts: [
          {
            functionResponse: {
              name: "get_weather",
              id: first.functionCalls?.[0]?.id ?? "",
              response: { output: "Sunny" },
            },
          },
        ],
      }
      return generate({ model: "gemini-3-pro", contents: [ask, said, answer], config: { tools: [declared] } })
    },
  ],
  [
    "a forced function",
    () =>
      generate({
        config: {
          tools: [declared],
          toolConfig: {
            functionCallingConfig: {
              mode: FunctionCallingConfigMode.ANY,
              allowedFunctionNames: ["get_weather"],
            },
          },
        },
      }),
  ],
  ["Google search", () => generate({ config: { tools: [{ googleSearch: {} }] } })],
  [
    "code execution and URLs",
    () => generate({ config: { tools: [{ codeExecution: {} }, { urlContext: {} }] } }),
  ],
  [
    "an image",
    () => generate({ contents: [{ inlineData: { mimeType: "image/png", data: PIXEL } }, "What is it?"] }),
  ],
  [
    "a file",
    () =>
      generate({
        contents: [
          {
            role: "user",
            parts: [
              { fileData: { fileUri: "https://example.com/a.mp4", mimeType: "video/mp4" } },
              { text: "Sum up." },
            ],
          },
        ],
      }),
  ],
  [
    "structured output",
    async () => {
      const response = await generate({
        config: {
          responseMimeType: "application/json",
          responseSchema: {
            type: Type.OBJECT,
            properties: { name: { type: Type.STRING } },
            required: ["name"],
          },
        },
      })
      expect(JSON.parse(response.text ?? "")).toMatchObject({ name: expect.any(String) })
      return response
    },
  ],
  [
    "JSON by a JSON schema",
    () => generate({ config: { responseMimeType: "application/json", responseJsonSchema: EVENT } }),
  ],
  ["safety settings", () => generate({ config: { safetySettings: [] } })],
  [
    "a count of tokens",
    async () => {
      const counted = await google.models.countTokens({ model: MODEL, contents: "The quick brown fox." })
      expect(counted.totalTokens).toBeGreaterThan(3)
      return counted
    },
  ],
  ["the list of models", async () => all(await google.models.list())],
  ["one model", () => google.models.get({ model: MODEL })],
]

describe.each([
  ["@anthropic-ai/sdk", ANTHROPIC],
  ["openai (Responses)", RESPONSES],
  ["openai (Chat Completions)", CHAT],
  ["@google/genai", GEMINI],
] as const)("%s", (_, calls) => {
  it.each(calls)("%s", async (_name, call) => {
    expect(await call()).toBeTruthy()
  })
})

it("makes no fewer than a hundred different calls", () => {
  expect([ANTHROPIC, RESPONSES, CHAT, GEMINI].flat().length).toBeGreaterThanOrEqual(100)
})

async function all<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = []
  for await (const one of stream) list.push(one)
  expect(list.length).toBeGreaterThan(0)
  return list
}
