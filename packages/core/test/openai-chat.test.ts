import { type AssistantPart, MalformedReply } from "@sotto/core"
import { decode, decoder, encode, encodeBytes, refusedCarrier, validate } from "@sotto/core/openai-chat"
import type OpenAI from "openai"
import { describe, expect, it } from "vitest"
import {
  afterCut,
  afterReply,
  busyBoundary,
  bytes,
  fed,
  firstAndLast,
  holdsForAllHistories,
} from "./support/openai.js"
import { calls, exchange, request, start, work } from "./support/session.js"

const GPT = { model: { id: "openai-chat/gpt-5.5" } }
const QWEN = { model: { id: "openai-chat/qwen3-coder" } }

const text = (value: string) => ({ type: "text", text: value })

const message = {
  role: "assistant",
  content: "I will look.",
  refusal: null,
  reasoning_content: "let me see",
  tool_calls: [
    { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } },
    { id: "call_2", type: "function", function: { name: "bash", arguments: "" } },
  ],
}
const usage = {
  prompt_tokens: 100,
  completion_tokens: 7,
  total_tokens: 107,
  prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 20 },
}
const response = {
  object: "chat.completion",
  choices: [{ index: 0, message, finish_reason: "tool_calls" }],
  usage,
}

describe("encode", () => {
  it("gives a body of the official type", () => {
    const session = start(GPT)
    session.say("hello")
    const options = { maxTokens: 100, stream: true, temperature: 1, topP: 0.9, extra: { seed: 1 } }
    const params: OpenAI.Chat.ChatCompletionCreateParams = encode(request(session), options)
    expect(params).toEqual({
      model: "gpt-5.5",
      tools: [
        expect.objectContaining({ type: "function" }),
        {
          type: "function",
          function: {
            name: "read",
            description: "Reads a file.",
            parameters: { type: "object", properties: {} },
          },
        },
      ],
      messages: [
        { role: "system", content: [text(expect.stringContaining("reminder"))] },
        { role: "user", content: [text("hello")] },
      ],
      max_completion_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
      prompt_cache_key: session.id,
      seed: 1,
    })
  })

  it("sends a server that is only compatible nothing that is OpenAI's own", () => {
    const session = start(QWEN)
    session.say("hello")
    const { messages: _, tools: __, ...rest } = encode(request(session), { maxTokens: 100, stream: false })
    expect(rest).toEqual({ model: "qwen3-coder", max_tokens: 100, stream: false })
    expect(Object.keys(encode(request(session)))).toEqual(["model", "tools", "messages"])
  })

  it("keeps the name by which a router knows a model", () => {
    const session = start({ model: { id: "openai-chat/qwen/qwen3-coder" } })
    session.say("hello")
    expect(encode(request(session)).model).toBe("qwen/qwen3-coder")
  })

  it("takes the open weights of OpenAI's for what others serve", () => {
    const session = start({ model: { id: "openai/gpt-oss-120b" } })
    session.say("hello")
    expect(encode(request(session), { maxTokens: 9 })).toMatchObject({
      model: "openai/gpt-oss-120b",
      max_tokens: 9,
    })
  })

  it("leaves out a system message that would be empty", () => {
    const session = start(GPT)
    session.say("hello")
    const sent = request(session)
    const silent = { ...sent, pins: { ...sent.pins, system: "", tools: [] } }
    expect(encode(silent)).toEqual({
      model: "gpt-5.5",
      messages: [{ role: "user", content: [text("hello")] }],
      prompt_cache_key: session.id,
    })
    expect(bytes(encodeBytes(silent))).toBe(JSON.stringify(encode(silent)))
  })

  it("tells GPT-5.6 where its cache entries end, and no other model", () => {
    const sent = encode(busyBoundary("openai-chat/gpt-5.6"))
    const params: OpenAI.ChatCompletionCreateParams = sent
    expect(params).toMatchObject({ prompt_cache_options: { mode: "explicit" } })
    const ends = sent.messages.filter((one) => JSON.stringify(one).includes('"prompt_cache_breakpoint"'))
    expect(ends.map(({ role }) => role)).toEqual(["system", "user", "user", "developer"])
    expect(validate(sent)).toEqual([])
    for (const model of ["openai-chat/gpt-5.5", "openai-chat/qwen3-coder", "openai-chat/gpt-oss-120b"])
      expect(JSON.stringify(encode(busyBoundary(model)))).not.toMatch(/prompt_cache_(options|breakpoint)/)
  })

  it("keeps the tools and forbids calling them on the last step", () => {
    const [first, last] = firstAndLast(QWEN.model.id).map((one) => encode(one))
    expect(first?.tool_choice).toBeUndefined()
    expect(last?.tool_choice).toBe("none")
    expect(last?.tools).toEqual(first?.tools)
  })

  it("sends results first, then the user's words, then the harness's as the developer's", () => {
    const call = (id: string) => ({
      id,
      type: "function",
      function: { name: "read", arguments: `{"path":"${id}"}` },
    })
    expect(encode(busyBoundary(GPT.model.id)).messages.slice(2)).toEqual([
      { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: [text("one")] },
      { role: "tool", tool_call_id: "b", content: [text("[this call failed]"), text("two")] },
      { role: "user", content: [text("also the tests")] },
      { role: "developer", content: expect.arrayContaining([expect.objectContaining({ type: "text" })]) },
    ])
  })

  it("sends no system message but the first where the model is not known to take one", () => {
    const session = start(QWEN)
    session.say("go")
    work(session, "a")
    session.switchAgent("plan")
    const { messages } = encode(request(session))
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"])
    expect(JSON.stringify(messages.at(-1))).toContain("<system-reminder>")
  })

  it("sends text as strings to servers that take no lists", () => {
    const session = start({ model: { id: "deepseek-chat" } })
    session.say([
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ])
    work(session, "a")
    session.switchAgent("plan")
    const { messages } = encode(request(session))
    for (const { content } of messages) expect(content === null || typeof content === "string").toBe(true)
    expect(messages[1]?.content).toBe("one\n\ntwo")
    expect(validate({ model: "deepseek-chat", messages })).toEqual([])
  })

  it("sends what a tool returned beside text after all results, and says whose it is", () => {
    const session = start(GPT)
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
    const file = { type: "file", mediaType: "application/pdf", data: "BBBB", name: "spec.pdf" } as const
    session.say([{ type: "text", text: "look" }, image])
    exchange(session, calls("a", "b", "c"))
    session.result("a", [image])
    session.result("b", "plain")
    session.result("c", [{ type: "text", text: "a page" }, file])
    session.say("well?")
    const body = encode(request(session))
    const seen = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
    expect(body.messages[1]).toEqual({ role: "user", content: [text("look"), seen] })
    expect(body.messages.slice(3, 7)).toEqual([
      { role: "tool", tool_call_id: "a", content: [text("(what it returned is attached below)")] },
      { role: "tool", tool_call_id: "b", content: [text("plain")] },
      { role: "tool", tool_call_id: "c", content: [text("a page")] },
      {
        role: "user",
        content: [
          text("[returned by tool call a:]"),
          seen,
          text("[returned by tool call c:]"),
          { type: "file", file: { filename: "spec.pdf", file_data: "data:application/pdf;base64,BBBB" } },
          text("well?"),
        ],
      },
    ])
    expect(validate(body)).toEqual([])
  })

  it("shortens what is too long for the API, the same way for a call and its result", () => {
    const id = (end: string) => `chatcmpl-tool-0123456789abcdef0123456789abcde${end}`
    const parts = ["x", "y"].map(
      (end): AssistantPart => ({ type: "tool-call", id: id(end), name: "read", input: {} }),
    )
    const body = encode(afterReply("gpt-5.5", { parts }, { [id("x")]: "one", [id("y")]: "two" }))
    const called = body.messages.flatMap((one) =>
      "tool_calls" in one ? (one.tool_calls ?? []).map((call) => call.id) : [],
    )
    expect(new Set(called).size).toBe(2)
    expect(body.messages.flatMap((one) => ("tool_call_id" in one ? one.tool_call_id : []))).toEqual(called)
    expect(validate(body)).toEqual([])
  })

  it("is the same, byte for byte, in pieces and in one, while the session grows", () => {
    const session = start(QWEN)
    session.say("go")
    const sent = Array.from({ length: 40 }, (_, i) => work(session, `step-${i}`, `output ${i} – ü`))
    for (const one of [...sent, ...sent.toReversed()])
      expect(bytes(encodeBytes(one, { stream: true }))).toBe(JSON.stringify(encode(one, { stream: true })))
  })
})

describe("every random history", () => {
  it("encodes to bodies that the API would accept, append-only within an epoch", () => {
    const asDecoded = (part: AssistantPart): AssistantPart =>
      part.type === "reasoning"
        ? {
            type: "reasoning",
            text: part.text,
            verbatim: { dialect: "openai-chat", block: { reasoning_content: part.text } },
          }
        : part
    holdsForAllHistories({ encode, encodeBytes, validate }, (body) => body.messages, asDecoded, 800)
  })
})

describe("decode", () => {
  it("reads a whole response", () => {
    expect(decode(response)).toEqual({
      parts: [
        {
          type: "reasoning",
          text: "let me see",
          verbatim: { dialect: "openai-chat", block: { reasoning_content: "let me see" } },
        },
        { type: "text", text: "I will look." },
        { type: "tool-call", id: "call_1", name: "read", input: { path: "a.ts" } },
        { type: "tool-call", id: "call_2", name: "bash", input: {} },
      ],
      stop: "tool-calls",
      usage: { input: 16, output: 7, cacheRead: 64, cacheWrite: 20 },
    })
  })

  it("returns reasoning in the field in which it came", () => {
    const sent = encode(afterReply("deepseek-reasoner", decode(response), { call_1: "x", call_2: "y" }))
    expect(sent.messages[2]).toMatchObject({
      role: "assistant",
      content: "I will look.",
      reasoning_content: "let me see",
    })
    const { reasoning_content, ...rest } = message
    const routed = {
      choices: [{ message: { ...rest, reasoning: reasoning_content }, finish_reason: "tool_calls" }],
    }
    const back = encode(afterReply("qwen3-coder", decode(routed), { call_1: "x", call_2: "y" })).messages[2]
    expect(back).toMatchObject({ reasoning: "let me see" })
    expect(back).not.toHaveProperty("reasoning_content")
  })

  it("counts reasoning once that comes in two fields", () => {
    const both = { ...message, reasoning: message.reasoning_content }
    expect(decode({ choices: [{ message: both, finish_reason: "stop" }] }).parts[0]).toMatchObject({
      text: "let me see",
    })
  })

  it("sends DeepSeek's thinking models the field even where there is nothing to send back", () => {
    const said = { parts: [{ type: "text", text: "hi" }, ...calls("a").parts] } as const
    expect(encode(afterReply("deepseek-v4-pro", said, { a: "x" })).messages[2]).toHaveProperty(
      "reasoning_content",
      "",
    )
    expect(encode(afterReply("deepseek-chat", said, { a: "x" })).messages[2]).not.toHaveProperty(
      "reasoning_content",
    )
  })

  it.each([
    ["stop", { tool_calls: undefined }, "end"],
    ["stop", {}, "tool-calls"],
    ["stop", { tool_calls: undefined, content: null, refusal: "No." }, "refusal"],
    ["function_call", {}, "tool-calls"],
    ["length", {}, "length"],
    ["content_filter", {}, "filtered"],
    ["eos", { tool_calls: undefined }, "end"],
    ["model_context_window_exceeded", {}, "overflow"],
    ["cosmic_rays", {}, "other"],
  ])("tells how it ended: %s", (finish_reason, rest, stop) => {
    expect(decode({ choices: [{ message: { ...message, ...rest }, finish_reason }] }).stop).toBe(stop)
  })

  it("reads calls as compatible servers write them: no ids, arguments as an object, content in parts", () => {
    const call = (name: string, path: string) => ({ function: { name, arguments: { path } } })
    const said = { content: [text("a"), text("b")], tool_calls: [call("read", "x"), call("read", "y")] }
    expect(decode({ choices: [{ message: said, finish_reason: "stop" }] }).parts).toEqual([
      { type: "text", text: "ab" },
      { type: "tool-call", id: "", name: "read", input: { path: "x" } },
      { type: "tool-call", id: "", name: "read", input: { path: "y" } },
    ])
  })

  it("counts what DeepSeek read from its cache", () => {
    const counted = {
      prompt_tokens: 10,
      completion_tokens: 2,
      prompt_cache_hit_tokens: 6,
      prompt_cache_miss_tokens: 4,
    }
    expect(decode({ ...response, usage: counted }).usage).toEqual({
      input: 4,
      output: 2,
      cacheRead: 6,
      cacheWrite: 0,
    })
  })

  it("marks a call that the limit cut off as unfinished", () => {
    expect(decode({ choices: [{ message, finish_reason: "length" }] }).parts.slice(2)).toEqual([
      { type: "tool-call", id: "call_1", name: "read", input: { path: "a.ts" } },
      { type: "tool-call", id: "call_2", name: "bash", input: {}, unfinished: true },
    ])
  })

  it("does not take what is no completion for a reply", () => {
    for (const other of [{}, { message: "Forbidden" }, { choices: [] }, null, "<html>"])
      expect(() => decode(other)).toThrow(MalformedReply)
  })

  it.each([
    [{ error: { message: "slow down", type: "requests", code: "rate_limit_exceeded" } }, "slow down", true],
    [{ error: { message: "Provider returned error", code: 502 } }, "Provider returned error", true],
    [{ error: { message: "Bad Request", code: 400 } }, "Bad Request", false],
    [{ object: "error", message: "boom", type: "InternalServerError", code: 500 }, "boom", true],
    [{ error: "model not loaded" }, "model not loaded", true],
    [
      { choices: [{ error: { message: "overloaded", code: 503 }, finish_reason: "error" }] },
      "overloaded",
      true,
    ],
  ])("throws what the server answered instead of a message: %o", (answer, said, retryable) => {
    expect(() => decode(answer)).toThrow(expect.objectContaining({ message: said, retryable }))
    expect(() => decoder().push(answer)).toThrow(said)
  })
})

describe("decoder", () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  })
  const called = (index: number, name: string | undefined, args: string, id?: string) =>
    chunk({
      tool_calls: [
        { index, ...(id && { id, type: "function" }), function: { ...(name && { name }), arguments: args } },
      ],
    })
  const events = [
    chunk({ role: "assistant", content: null, reasoning_content: "" }),
    chunk({ reasoning_content: "let me " }),
    chunk({ reasoning_content: "see" }),
    chunk({ content: "I will" }),
    chunk({ content: " look.", reasoning_content: null }),
    called(0, "read", "", "call_1"),
    called(0, undefined, '{"path":'),
    called(0, undefined, '"a.ts"}'),
    called(1, "bash", "", "call_2"),
    chunk({}, "tool_calls"),
    { object: "chat.completion.chunk", choices: [], usage },
    "[DONE]",
  ]

  it("tells what comes as it comes, and at the end the same as the whole response", () => {
    const { deltas, reply } = fed(decoder(), events)
    expect(deltas).toEqual([
      { type: "reasoning", text: "let me " },
      { type: "reasoning", text: "see" },
      { type: "text", text: "I will" },
      { type: "text", text: " look." },
      { type: "tool-call-start", id: "call_1", name: "read" },
      { type: "tool-input", id: "call_1", text: '{"path":' },
      { type: "tool-input", id: "call_1", text: '"a.ts"}' },
      { type: "tool-call-start", id: "call_2", name: "bash" },
      { type: "tool-call", id: "call_1", name: "read", input: { path: "a.ts" } },
      { type: "tool-call", id: "call_2", name: "bash", input: {} },
    ])
    expect(reply).toEqual(decode(response))
  })

  it("gives, wherever the stream is cut, what can be kept of it", () => {
    for (let cut = 0; cut <= events.length; cut++) {
      const { reply } = fed(decoder(), events.slice(0, cut))
      const unfinished = reply.parts.some((part) => part.type === "tool-call" && part.unfinished)
      expect(unfinished, `cut at ${cut}`).toBe(cut >= 6 && cut < 10)
      const body = encode(afterCut("qwen3-coder", reply))
      expect(validate(body)).toEqual([])
      const sent = JSON.stringify(body.messages)
      expect(sent.includes("I will"), `cut at ${cut}`).toBe(cut >= 4)
      expect(sent.includes("call_1"), `cut at ${cut}`).toBe(cut >= 10)
    }
  })

  const streams: Record<string, readonly unknown[]> = {
    "ids and names in every chunk": [
      called(0, "read", '{"n":', "x"),
      called(0, "read", "1}", "x"),
      called(1, "read", '{"n":2}', "y"),
    ],
    "one index for all": [called(0, "read", '{"n":1}', "x"), called(0, "read", '{"n":2}', "y")],
    "no index": [
      chunk({ tool_calls: [{ id: "x", function: { name: "read", arguments: '{"n":1}' } }] }),
      chunk({ tool_calls: [{ id: "y", function: { name: "read", arguments: '{"n"' } }] }),
      chunk({ tool_calls: [{ function: { arguments: ":2}" } }] }),
    ],
    "the name after the id": [
      called(0, undefined, "", "x"),
      called(0, "read", '{"n":1}'),
      called(1, undefined, "", "y"),
      called(1, "read", '{"n":2}'),
    ],
    "several calls in a chunk, interleaved": [
      chunk({
        tool_calls: [0, 1].map((index) => ({
          index,
          id: "xy"[index],
          function: { name: "read", arguments: '{"n":' },
        })),
      }),
      chunk({
        tool_calls: [0, 1].map((index) => ({ index, function: { name: null, arguments: `${index + 1}}` } })),
      }),
    ],
  }
  it.each(Object.entries(streams))("tells calls apart however a server writes them: %s", (_, written) => {
    const { deltas, reply } = fed(decoder(), [...written, "[DONE]"])
    const expected = [
      { type: "tool-call", id: "x", name: "read", input: { n: 1 } },
      { type: "tool-call", id: "y", name: "read", input: { n: 2 } },
    ]
    expect(reply.parts).toEqual(expected)
    expect(deltas.filter(({ type }) => type === "tool-call")).toEqual(expected)
    expect(deltas.filter(({ type }) => type === "tool-call-start")).toHaveLength(2)
  })

  it("makes a call of arguments that are not JSON, so that the model can be told", () => {
    const { reply } = fed(decoder(), [called(0, "read", '{"path":oops', "x"), chunk({}, "tool_calls")])
    expect(reply.parts).toEqual([
      { type: "tool-call", id: "x", name: "read", input: { malformed: '{"path":oops' } },
    ])
  })
})

describe("validate refuses what the API refuses", () => {
  const say = (role: string, ...content: object[]) => ({ role, content })
  const user = say("user", text("a"))
  const call = (id: string) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })
  const assistant = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map(call) })
  const with_ = (change: object) => ({ ...assistant(), tool_calls: [{ ...call("c"), ...change }] })
  const tool = (id: string) => ({ role: "tool", tool_call_id: id, content: [text("x")] })
  const defined = {
    type: "function",
    function: { name: "read", parameters: { type: "object", properties: {} } },
  }
  const body = (messages: object[], rest: object = {}) => ({
    model: "gpt-5.6",
    tools: [defined],
    messages,
    ...rest,
  })
  const image = (url: string) => ({ type: "image_url", image_url: { url } })
  const named = (change: object) => ({
    tools: [{ ...defined, function: { ...defined.function, ...change } }],
  })

  it.each([
    ["no model", body([user], { model: undefined }), /model parameter/],
    ["no messages", body([user], { messages: undefined }), /'messages'/],
    ["an empty list of messages", body([]), /'messages': empty array/],
    ["empty content", body([say("user")]), /'messages\[0\].content': empty array/],
    ["no content", body([{ role: "user" }]), /'messages\[0\].content'/],
    [
      "an assistant that says nothing",
      body([user, { role: "assistant", content: null }]),
      /content or tool_calls must be set/,
    ],
    ["an unknown role", body([say("robot", text("a"))]), /Invalid value: 'robot'/],
    ["no role", body([{ content: "a" }]), /'messages\[0\].role'/],
    [
      "an unknown part",
      body([say("user", { type: "input_text", text: "a" })]),
      /Invalid value: 'input_text'/,
    ],
    ["text without text", body([say("user", { type: "text" })]), /'messages\[0\].content\[0\].text'/],
    [
      "an image from a tool",
      body([user, assistant("c"), { ...tool("c"), content: [image("data:image/png;base64,AAAA")] }]),
      /only allowed for messages with role 'user'/,
    ],
    [
      "a file from the assistant",
      body([user, say("assistant", { type: "file", file: {} })]),
      /Invalid value: 'file'/,
    ],
    ["an image that is no data URL", body([say("user", image("AAAA"))]), /data URL/],
    [
      "an image in a format that nobody reads",
      body([say("user", image("data:image/bmp;base64,AAAA"))]),
      /unsupported image/,
    ],
    [
      "a file without a name",
      body([say("user", { type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } })]),
      /filename/,
    ],
    [
      "a file that is no data URL",
      body([say("user", { type: "file", file: { filename: "a.pdf", file_data: "AAAA" } })]),
      /file_data/,
    ],
    [
      "calls without results",
      body([user, assistant("c", "d"), user]),
      /did not have response messages: c, d$/,
    ],
    [
      "a result too late",
      body([user, assistant("c"), user, tool("c")]),
      /did not have response messages: c$/,
    ],
    ["a result without a call", body([user, tool("c")]), /must be a response to a preceeding message/],
    [
      "a result of another call",
      body([user, assistant("c"), tool("c"), tool("d")]),
      /'tool_call_id' of 'd' not found/,
    ],
    ["two results for a call", body([user, assistant("c"), tool("c"), tool("c")]), /Duplicate value/],
    [
      "two calls with one id",
      body([user, assistant("c"), tool("c"), assistant("c"), tool("c")]),
      /Duplicate value/,
    ],
    ["an empty list of calls", body([user, assistant()]), /tool_calls': empty array/],
    ["a call without an id", body([user, with_({ id: undefined })]), /tool_calls\[0\].id/],
    [
      "a call id that is too long",
      body([user, assistant("c".repeat(41)), tool("c".repeat(41))]),
      /maximum length 40/,
    ],
    [
      "a call of an unknown type",
      body([user, with_({ type: "magic" }), tool("c")]),
      /Invalid value: 'magic'/,
    ],
    [
      "a call of what no tool can be called",
      body([user, with_({ function: { name: "a b", arguments: "{}" } }), tool("c")]),
      /pattern/,
    ],
    ["a call without arguments", body([user, with_({ function: { name: "a" } }), tool("c")]), /arguments/],
    [
      "a result without an id",
      body([user, assistant("c"), tool("c"), { ...tool("c"), tool_call_id: undefined }]),
      /tool_call_id/,
    ],
    ["no tools in the list", body([user], { tools: [] }), /'tools': empty array/],
    [
      "a tool name with a space",
      body([user], named({ name: "a b" })),
      /'tools\[0\].function.name': string does not match pattern/,
    ],
    ["a tool name that is too long", body([user], named({ name: "a".repeat(65) })), /maximum length 64/],
    ["two tools of one name", body([user], { tools: [defined, defined] }), /unique/],
    ["parameters that are no object", body([user], named({ parameters: { type: "string" } })), /JSON Schema/],
    [
      "tool_choice without tools",
      body([user], { tools: undefined, tool_choice: "none" }),
      /'tools' are specified/,
    ],
    ["an unknown tool_choice", body([user], { tool_choice: "never" }), /Invalid value: 'never'/],
    [
      "max_tokens for a model that reasons",
      body([user], { max_tokens: 9 }),
      /'max_completion_tokens' instead/,
    ],
    [
      "stream options without a stream",
      body([user], { stream_options: { include_usage: true } }),
      /when 'stream' is enabled/,
    ],
    ["a cache key that is too long", body([user], { prompt_cache_key: "k".repeat(65) }), /maximum length 64/],
  ])("%s", (_, wrong, expected) => {
    expect(validate(wrong).map(({ message }) => message)).toContainEqual(expect.stringMatching(expected))
  })

  it("a system message anywhere but first, on servers that are only compatible, and names the carrier", () => {
    const messages = [say("system", text("s")), user, say("developer", text("d"))]
    expect(validate(body(messages, { model: "qwen3-coder" }))).toEqual([
      {
        path: "messages.2",
        severity: "error",
        message: "System message must be at the beginning.",
        carrier: "system-message",
      },
    ])
    expect(validate(body(messages))).toEqual([])
  })

  it("and nothing else", () => {
    const messages = [
      say("system", text("s")),
      user,
      assistant("c", "d"),
      tool("d"),
      tool("c"),
      say("user", image("https://x.org/a.png")),
    ]
    expect(validate(body(messages, { tool_choice: "auto", stream: true, stream_options: {} }))).toEqual([])
    expect(validate(body(messages, { model: "gpt-4o", max_tokens: 9 }))).toEqual([])
  })
})

it("recognises an answer that says a carrier is not taken", () => {
  expect(refusedCarrier(400, { object: "error", message: "System message must be at the beginning." })).toBe(
    "system-message",
  )
})
