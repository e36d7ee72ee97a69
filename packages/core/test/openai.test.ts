import { type AssistantPart, MalformedReply } from "@sotto/core"
import {
  decode,
  decoder,
  encode,
  encodeBytes,
  refusedCarrier,
  refusesBreakpoints,
  validate,
  withoutBreakpoints,
} from "@sotto/core/openai"
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

const GPT = { model: { id: "openai/gpt-5.5" } }

const reasoningItem = {
  id: "rs_1",
  type: "reasoning",
  summary: [
    { type: "summary_text", text: "first" },
    { type: "summary_text", text: "second" },
  ],
  encrypted_content: "gAAAA",
}
const messageItem = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  phase: "commentary",
  content: [{ type: "output_text", text: "I will look.", annotations: [] }],
}
const callItem = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "call_1",
  name: "read",
  arguments: '{"path":"a.ts"}',
}
const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 64, cache_write_tokens: 20 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 107,
}
const response = {
  object: "response",
  status: "completed",
  error: null,
  incomplete_details: null,
  output: [reasoningItem, messageItem, callItem],
  usage,
}

describe("encode", () => {
  it("gives a body of the official type", () => {
    const session = start(GPT)
    session.say("hello")
    const options = {
      maxTokens: 100,
      stream: true,
      temperature: 1,
      topP: 0.9,
      extra: { reasoning: { effort: "low" } },
    }
    const params: OpenAI.Responses.ResponseCreateParams = encode(request(session), options)
    expect(params).toEqual({
      model: "gpt-5.5",
      instructions: expect.stringContaining("reminder"),
      tools: [
        expect.objectContaining({ type: "function", name: "bash", strict: false }),
        {
          type: "function",
          name: "read",
          description: "Reads a file.",
          parameters: { type: "object", properties: {} },
          strict: false,
        },
      ],
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] }],
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: session.id,
      max_output_tokens: 100,
      stream: true,
      reasoning: { effort: "low" },
    })
  })

  it("tells GPT-5.6 where its cache entries end: after the system prompt, and after each boundary", () => {
    const sent = encode(busyBoundary("openai/gpt-5.6"))
    const params: OpenAI.Responses.ResponseCreateParams = sent
    expect(params).toMatchObject({ prompt_cache_options: { mode: "explicit" } })
    expect(sent.instructions).toBeUndefined()
    expect(sent.input[0]).toMatchObject({
      role: "developer",
      content: [{ text: expect.stringMatching(/reminder/) }],
    })
    const ends = sent.input.map((item) => JSON.stringify(item).includes('"prompt_cache_breakpoint"'))
    const kinds = sent.input.map((item) => ("role" in item ? item.role : item.type))
    expect(kinds.filter((_, i) => ends[i])).toEqual(["developer", "user", "user", "developer"])
    expect(ends.at(-1)).toBe(true)
    expect(validate(sent)).toEqual([])
  })

  it("marks the last result where nothing is said beside it", () => {
    const sent = encode(afterReply("gpt-5.6", calls("a", "b"), { a: "one", b: "two" }))
    const outputs = sent.input.filter((item) => item.type === "function_call_output")
    expect(outputs.map((item) => JSON.stringify(item).includes("prompt_cache_breakpoint"))).toEqual([
      false,
      true,
    ])
  })

  it("keeps the tools and forbids calling them on the last step", () => {
    const [first, last] = firstAndLast(GPT.model.id).map((one) => encode(one))
    expect(first?.tool_choice).toBeUndefined()
    expect(last?.tool_choice).toBe("none")
    expect(last?.tools).toEqual(first?.tools)
  })

  it("sends results first, then the user's words, then the harness's as the developer's", () => {
    expect(encode(busyBoundary(GPT.model.id)).input.slice(1)).toEqual([
      { type: "function_call", call_id: "a", name: "read", arguments: '{"path":"a"}' },
      { type: "function_call", call_id: "b", name: "read", arguments: '{"path":"b"}' },
      { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "one" }] },
      {
        type: "function_call_output",
        call_id: "b",
        output: ["[this call failed]", "two"].map((text) => ({ type: "input_text", text })),
      },
      { type: "message", role: "user", content: [{ type: "input_text", text: "also the tests" }] },
      {
        type: "message",
        role: "developer",
        content: expect.arrayContaining([expect.objectContaining({ type: "input_text" })]),
      },
    ])
  })

  it("sends images and files as data URLs, from the user and from tools", () => {
    const session = start(GPT)
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
    const file = { type: "file", mediaType: "application/pdf", data: "BBBB", name: "spec.pdf" } as const
    session.say([{ type: "text", text: "look" }, image, file])
    exchange(session, calls("a"))
    session.result("a", [image, { ...file, name: undefined } as never])
    const sent = encode(request(session))
    const seen = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" }
    const read = { type: "input_file", filename: "spec.pdf", file_data: "data:application/pdf;base64,BBBB" }
    expect(sent.input[0]).toMatchObject({ content: [{ text: "look" }, seen, read] })
    expect(sent.input.at(-1)).toMatchObject({ output: [seen, { ...read, filename: "document.pdf" }] })
    expect(validate(sent)).toEqual([])
  })

  it("asks for encrypted reasoning only where a model reasons: the others refuse to be asked", () => {
    for (const [id, asks] of [
      ["gpt-5.6", true],
      ["o4-mini", true],
      ["gpt-4.1", false],
      ["gpt-5-chat-latest", false],
    ] as const) {
      const session = start({ model: { id } })
      session.say("hello")
      const body = encode(request(session))
      expect(body.include !== undefined, id).toBe(asks)
      expect(validate(body)).toEqual([])
    }
  })

  it("shortens what is too long for the API, the same way for a call and its result", () => {
    const id = (end: string) => `chatcmpl-tool-${"0123456789".repeat(6)}${end}`
    const parts = ["x", "y"].map(
      (end): AssistantPart => ({ type: "tool-call", id: id(end), name: "bad name!", input: [1] }),
    )
    const sent = afterReply("gpt-5.5", { parts }, { [id("x")]: "one", [id("y")]: "two" })
    const items = encode(sent).input.slice(1) as readonly { call_id: string }[]
    const [x, y, ...outputs] = items.map((item) => item.call_id)
    expect(outputs).toEqual([x, y])
    expect(x).not.toBe(y)
    expect(items[0]).toMatchObject({ name: "bad_name_", arguments: '{"value":[1]}' })
    expect(validate(encode(sent))).toEqual([])
  })

  it("is the same, byte for byte, in pieces and in one, while the session grows", () => {
    const session = start(GPT)
    session.say("go")
    const sent = Array.from({ length: 40 }, (_, i) => work(session, `step-${i}`, `output ${i} – ü`))
    for (const one of sent) expect(bytes(encodeBytes(one))).toBe(JSON.stringify(encode(one)))
    for (const one of sent.toReversed()) expect(bytes(encodeBytes(one))).toBe(JSON.stringify(encode(one)))
  })
})

describe("every random history", () => {
  it("encodes to bodies that the API would accept, append-only within an epoch", () => {
    const asDecoded = (part: AssistantPart): AssistantPart => {
      if (part.type !== "reasoning" || part.signature === undefined) return part
      const block = {
        type: "reasoning",
        id: `rs_${part.signature}`,
        summary: [],
        encrypted_content: part.signature,
      }
      return { ...part, verbatim: { dialect: "openai", block } }
    }
    holdsForAllHistories({ encode, encodeBytes, validate }, (body) => body.input, asDecoded, 800)
  })
})

describe("decode", () => {
  it("reads a whole response", () => {
    expect(decode(response)).toEqual({
      parts: [
        {
          type: "reasoning",
          text: "first\n\nsecond",
          signature: "gAAAA",
          verbatim: { dialect: "openai", block: reasoningItem },
        },
        {
          type: "text",
          text: "I will look.",
          verbatim: { dialect: "openai", block: { phase: "commentary" } },
        },
        { type: "tool-call", id: "call_1", name: "read", input: { path: "a.ts" } },
      ],
      stop: "tool-calls",
      usage: { input: 16, output: 7, cacheRead: 64, cacheWrite: 20 },
    })
  })

  it("returns reasoning as it came, the label of a message, and the call", () => {
    const sent = afterReply("gpt-5.5", decode(response), { call_1: "contents" })
    expect(encode(sent).input.slice(1, 4)).toEqual([
      reasoningItem,
      { type: "message", role: "assistant", content: "I will look.", phase: "commentary" },
      { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a.ts"}' },
    ])
    expect(validate(encode(sent))).toEqual([])
  })

  it("does not return reasoning that is neither stored nor encrypted", () => {
    const { encrypted_content: _, ...unsigned } = reasoningItem
    const reply = decode({ ...response, output: [unsigned, callItem] })
    expect(reply.parts[0]).toEqual({ type: "reasoning", text: "first\n\nsecond" })
    expect(JSON.stringify(encode(afterReply("gpt-5.6", reply, { call_1: "x" })))).not.toContain("rs_1")
    const claimed: AssistantPart = {
      type: "reasoning",
      text: "",
      verbatim: { dialect: "openai", block: unsigned },
    }
    const parts = [claimed, ...calls("a").parts]
    expect(JSON.stringify(encode(afterReply("gpt-5.6", { parts }, { a: "x" })))).not.toContain("rs_1")
  })

  it("does not return reasoning of which nothing came", () => {
    const later = { ...reasoningItem, id: "rs_2" }
    const sent = afterCut("gpt-5.6", decode({ ...response, output: [reasoningItem, messageItem, later] }))
    expect(JSON.stringify(encode(sent))).toContain("rs_1")
    expect(JSON.stringify(encode(sent))).not.toContain("rs_2")
    expect(validate(encode(sent))).toEqual([])
  })

  it("returns items that it does not know as they came", () => {
    const search = {
      id: "ws_1",
      type: "web_search_call",
      status: "completed",
      action: { type: "search", query: "x" },
    }
    const sent = afterReply("gpt-5.5", decode({ ...response, output: [search, callItem] }), { call_1: "x" })
    expect(encode(sent).input[1]).toEqual(search)
    expect(validate(encode(sent))).toEqual([])
  })

  it.each([
    ["an answer", { output: [messageItem] }, "end"],
    ["calls", {}, "tool-calls"],
    ["the limit", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
    ["a filter", { status: "incomplete", incomplete_details: { reason: "content_filter" } }, "filtered"],
    [
      "a refusal",
      { output: [{ type: "message", content: [{ type: "refusal", refusal: "No." }] }] },
      "refusal",
    ],
  ])("tells how it ended: %s", (_, rest, stop) => {
    expect(decode({ ...response, ...rest }).stop).toBe(stop)
  })

  it("does not take a cancelled response, or anything that is no response, for a reply", () => {
    expect(() => decode({ ...response, status: "cancelled" })).toThrow(MalformedReply)
    for (const other of [{}, { message: "Forbidden" }, null, "<html>", []])
      expect(() => decode(other)).toThrow(MalformedReply)
  })

  it("marks a call that the limit cut off as unfinished", () => {
    const cut = { ...callItem, status: "incomplete", arguments: "" }
    expect(decode({ ...response, status: "incomplete", output: [cut] }).parts).toEqual([
      { type: "tool-call", id: "call_1", name: "read", input: { malformed: "" }, unfinished: true },
    ])
  })

  it.each([
    [
      { message: "Rate limit reached", type: "tokens", code: "rate_limit_exceeded" },
      "rate_limit_exceeded",
      true,
    ],
    [{ message: "sorry", type: "server_error", code: null }, "server_error", true],
    [
      { message: "You exceeded your quota", type: "insufficient_quota", code: "insufficient_quota" },
      "insufficient_quota",
      false,
    ],
    [{ message: "No.", type: "invalid_request_error", code: null }, "invalid_request_error", false],
  ])("throws what the API answered instead of a response: %o", (error, kind, retryable) => {
    expect(() => decode({ error })).toThrow(
      expect.objectContaining({ message: error.message, kind, retryable }),
    )
  })
})

describe("decoder", () => {
  const begun = { ...response, status: "in_progress", output: [], usage: null }
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { id: "rs_1", type: "reasoning", summary: [] },
    },
    { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0 },
    { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "first" },
    { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 1 },
    { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 1, delta: "second" },
    { type: "response.output_item.done", output_index: 0, item: reasoningItem },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: { ...messageItem, content: [], status: "in_progress" },
    },
    {
      type: "response.content_part.added",
      output_index: 1,
      content_index: 0,
      part: { type: "output_text", text: "" },
    },
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "I will" },
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: " look." },
    { type: "response.output_text.done", output_index: 1, content_index: 0, text: "I will look." },
    { type: "response.output_item.done", output_index: 1, item: messageItem },
    {
      type: "response.output_item.added",
      output_index: 2,
      item: { ...callItem, arguments: "", status: "in_progress" },
    },
    { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"path":' },
    { type: "response.function_call_arguments.delta", output_index: 2, delta: '"a.ts"}' },
    { type: "response.function_call_arguments.done", output_index: 2, arguments: '{"path":"a.ts"}' },
    { type: "response.output_item.done", output_index: 2, item: callItem },
    { type: "response.completed", response },
  ]
  const at = (type: string, nth = 0) =>
    events.flatMap((event, i) => (event.type === type ? [i + 1] : []))[nth] ?? 0

  it("tells what comes as it comes, and at the end the same as the whole response", () => {
    const { deltas, reply } = fed(decoder(), events)
    expect(deltas).toEqual([
      { type: "reasoning", text: "first" },
      { type: "reasoning", text: "\n\n" },
      { type: "reasoning", text: "second" },
      { type: "text", text: "I will" },
      { type: "text", text: " look." },
      { type: "tool-call-start", id: "call_1", name: "read" },
      { type: "tool-input", id: "call_1", text: '{"path":' },
      { type: "tool-input", id: "call_1", text: '"a.ts"}' },
      { type: "tool-call", id: "call_1", name: "read", input: { path: "a.ts" } },
    ])
    expect(reply).toEqual(decode(response))
  })

  it("gives, wherever the stream is cut, what can be kept of it", () => {
    for (let cut = 0; cut <= events.length; cut++) {
      const { reply } = fed(decoder(), events.slice(0, cut))
      const unfinished = reply.parts.some((part) => part.type === "tool-call" && part.unfinished)
      expect(unfinished, `cut at ${cut}`).toBe(
        cut >= at("response.output_item.added", 2) && cut < at("response.output_item.done", 2),
      )
      const body = encode(afterCut("gpt-5.6", reply))
      expect(validate(body)).toEqual([])
      const sent = JSON.stringify(body.input)
      expect(sent.includes("gAAAA"), `cut at ${cut}`).toBe(cut >= at("response.output_item.done"))
      expect(sent.includes("I will"), `cut at ${cut}`).toBe(cut >= at("response.output_text.delta"))
      expect(sent.includes("call_1"), `cut at ${cut}`).toBe(cut >= at("response.output_item.done", 2))
    }
  })

  it("makes a call of arguments that are not JSON, so that the model can be told", () => {
    const broken = events.map((event) => JSON.parse(JSON.stringify(event).replaceAll('\\"a.ts\\"}', "oops")))
    expect(fed(decoder(), broken).reply.parts.at(-1)).toEqual({
      type: "tool-call",
      id: "call_1",
      name: "read",
      input: { malformed: '{"path":oops' },
    })
  })

  it("hears a refusal, and reasoning that is not summarised", () => {
    const refusal = { type: "message", id: "msg_2", content: [{ type: "refusal", refusal: "No." }] }
    const { deltas, reply } = fed(decoder(), [
      { type: "response.output_item.added", output_index: 0, item: { id: "rs_2", type: "reasoning" } },
      { type: "response.reasoning_text.delta", output_index: 0, delta: "hm" },
      { type: "response.output_item.added", output_index: 2, item: { ...refusal, content: [] } },
      { type: "response.refusal.delta", output_index: 2, delta: "No." },
      { type: "response.output_item.done", output_index: 2, item: refusal },
      { type: "response.completed", response: { status: "completed" } },
    ])
    expect(deltas).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "No." },
    ])
    expect(reply).toEqual({
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "No." },
      ],
      stop: "refusal",
    })
  })

  it("keeps what an incomplete response had", () => {
    const incomplete = {
      ...response,
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    }
    const { reply } = fed(decoder(), [
      ...events.slice(0, at("response.output_text.delta")),
      { type: "response.incomplete", response: incomplete },
    ])
    expect(reply).toMatchObject({
      parts: [{ signature: "gAAAA" }, { text: "I will" }],
      stop: "length",
      usage: { output: 7 },
    })
  })

  it.each([
    [{ type: "error", code: "rate_limit_exceeded", message: "slow down", param: null }, "slow down", true],
    [{ type: "error", error: { type: "invalid_request_error", code: null, message: "bad" } }, "bad", false],
    [{ type: "response.failed", response: { error: { code: "server_error", message: "oh" } } }, "oh", true],
    [{ type: "response.failed", response: { error: { code: "invalid_image", message: "no" } } }, "no", false],
  ])("throws an error that comes mid-stream: %o", (event, message, retryable) => {
    expect(() => decoder().push(event)).toThrow(expect.objectContaining({ message, retryable }))
  })
})

describe("validate refuses what the API refuses", () => {
  const words = { type: "input_text", text: "a" }
  const user = (...content: object[]) => ({ type: "message", role: "user", content })
  const call = (id: string, rest: object = {}) => ({
    type: "function_call",
    call_id: id,
    name: "read",
    arguments: "{}",
    ...rest,
  })
  const output = (id: string, ...content: object[]) => ({
    type: "function_call_output",
    call_id: id,
    output: content.length > 0 ? content : "x",
  })
  const tool = {
    type: "function",
    name: "read",
    parameters: { type: "object", properties: {} },
    strict: false,
  }
  const body = (input: object[], rest: object = {}) => ({
    model: "gpt-5.6",
    tools: [tool],
    input,
    store: false,
    ...rest,
  })
  const image = (url: string) => user({ type: "input_image", image_url: url })

  it.each([
    ["no model", body([user(words)], { model: undefined }), /'model'/],
    ["no input", body([user(words)], { input: undefined }), /'input'/],
    ["empty input", body([]), /'input': empty array/],
    ["empty content", body([user()]), /'input\[0\].content': empty array/],
    ["no content", body([{ role: "user" }]), /'input\[0\].content'/],
    ["an unknown role", body([{ role: "tool", content: "x" }]), /Invalid value: 'tool'/],
    ["an unknown item", body([{ type: "thought" }]), /Invalid value: 'thought'/],
    ["an item of no type", body([{}]), /'input\[0\].type'/],
    ["text without text", body([user({ type: "input_text" })]), /'input\[0\].content\[0\].text'/],
    [
      "what only users say, from the assistant",
      body([{ role: "assistant", content: [words] }]),
      /Supported values are: 'output_text' and 'refusal'/,
    ],
    [
      "an image from the developer",
      body([{ ...image("data:image/png;base64,AA=="), role: "developer" }]),
      /Supported values are: 'input_text'\./,
    ],
    ["an image that is no data URL", body([image("AAAA")]), /data URL/],
    [
      "an image in a format that nobody reads",
      body([image("data:image/bmp;base64,AAAA")]),
      /unsupported image/,
    ],
    ["an image without a URL", body([user({ type: "input_image" })]), /image_url/],
    [
      "a file without a name",
      body([user({ type: "input_file", file_data: "data:application/pdf;base64,AAAA" })]),
      /filename/,
    ],
    [
      "a file that is no data URL",
      body([user({ type: "input_file", filename: "a.pdf", file_data: "AAAA" })]),
      /file_data/,
    ],
    [
      "a call without an output",
      body([user(words), call("c")]),
      /No tool output found for function call c\./,
    ],
    [
      "an output without a call",
      body([user(words), output("c")]),
      /No tool call found for function call output with call_id c\./,
    ],
    ["an output before its call", body([output("c"), call("c")]), /No tool call found/],
    ["two outputs for a call", body([call("c"), output("c"), output("c")]), /Duplicate function call output/],
    ["two calls with one id", body([call("c"), output("c"), call("c")]), /Duplicate function call found/],
    ["a call without an id", body([{ ...call("c"), call_id: undefined }]), /call_id/],
    ["an output without an id", body([{ ...output("c"), call_id: undefined }]), /call_id/],
    ["an output of nothing", body([call("c"), { ...output("c"), output: undefined }]), /'input\[1\].output'/],
    [
      "an empty output",
      body([call("c"), { ...output("c"), output: [] }]),
      /'input\[1\].output': empty array/,
    ],
    ["a call id that is too long", body([call("c".repeat(65)), output("c".repeat(65))]), /maximum length 64/],
    ["a call of what no tool can be called", body([call("c", { name: "a b" }), output("c")]), /pattern/],
    ["a call without arguments", body([call("c", { arguments: undefined }), output("c")]), /arguments/],
    [
      "reasoning that nobody can find",
      body([{ ...reasoningItem, encrypted_content: null }, call("c"), output("c")]),
      /Items are not persisted/,
    ],
    [
      "reasoning without what it led to",
      body([reasoningItem, user(words)]),
      /without its required following item/,
    ],
    ["reasoning at the end", body([user(words), reasoningItem]), /without its required following item/],
    [
      "reasoning twice",
      body([reasoningItem, reasoningItem, call("c"), output("c")]),
      /Duplicate item found with id rs_1/,
    ],
    [
      "reasoning without a summary",
      body([{ ...reasoningItem, summary: undefined }, call("c"), output("c")]),
      /summary/,
    ],
    [
      "encrypted reasoning of a model that has none",
      body([user(words)], { model: "gpt-4o", include: ["reasoning.encrypted_content"] }),
      /Encrypted content/,
    ],
    [
      "a tool of an unknown type",
      body([user(words)], { tools: [{ ...tool, type: "magic" }] }),
      /Invalid value: 'magic'/,
    ],
    [
      "a tool without a name",
      body([user(words)], { tools: [{ ...tool, name: undefined }] }),
      /'tools\[0\].name'/,
    ],
    ["a tool name with a space", body([user(words)], { tools: [{ ...tool, name: "a b" }] }), /pattern/],
    [
      "a tool name that is too long",
      body([user(words)], { tools: [{ ...tool, name: "a".repeat(65) }] }),
      /maximum length 64/,
    ],
    ["two tools of one name", body([user(words)], { tools: [tool, tool] }), /unique/],
    [
      "parameters that are no object",
      body([user(words)], { tools: [{ ...tool, parameters: { type: "string" } }] }),
      /JSON Schema/,
    ],
    [
      "an object that says nothing of its properties",
      body([user(words)], { tools: [{ ...tool, parameters: { type: "object" } }] }),
      /missing properties/,
    ],
    [
      "tool_choice without tools",
      body([user(words)], { tools: undefined, tool_choice: "none" }),
      /'tools' are specified/,
    ],
    ["an unknown tool_choice", body([user(words)], { tool_choice: "never" }), /Invalid value: 'never'/],
    ["too few tokens to say anything", body([user(words)], { max_output_tokens: 8 }), /below minimum/],
    [
      "a cache key that is too long",
      body([user(words)], { prompt_cache_key: "k".repeat(65) }),
      /maximum length 64/,
    ],
  ])("%s", (_, wrong, expected) => {
    expect(validate(wrong).map(({ message }) => message)).toContainEqual(expect.stringMatching(expected))
  })

  it("tool_choice goes without tools where the conversation brings them along, as Codex does", () => {
    const tools = { type: "additional_tools", id: "at_1", role: "developer", tools: [] }
    const given = body([tools, user(words)], { tools: undefined, tool_choice: "auto" })
    expect(validate(given).filter(({ path }) => path.startsWith("tool"))).toEqual([])
  })

  it("and nothing else", () => {
    const input = [
      user(words),
      reasoningItem,
      call("c"),
      output("c"),
      { role: "assistant", content: "b" },
      image("https://x.org/a.png"),
    ]
    expect(validate(body(input, { tool_choice: "none" }))).toEqual([])
    expect(validate({ model: "gpt-5.6", input: "hello" })).toEqual([])
  })
})

it.each([
  [
    400,
    "Invalid value: 'developer'. Supported values are: 'system', 'assistant', 'user', 'function', and 'tool'.",
  ],
  [400, "Unsupported value: 'messages[3].role' does not support 'developer' with this model."],
  [
    400,
    "Failed to deserialize the JSON body into the target type: messages[1].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool` at line 1 column 58",
  ],
  [400, "System message must be at the beginning."],
  [
    500,
    "While executing CallExpression at line 85\nError: Jinja Exception: System message must be at the beginning.",
  ],
  [
    400,
    "Input tag 'developer' found using 'role' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'",
  ],
  [400, "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'"],
  [400, "Unexpected role 'system' after role 'tool'"],
  [400, "System role not supported"],
  [422, "Input should be 'system', 'user', 'assistant', or 'tool'"],
])("recognises an answer that says a carrier is not taken: %i %s", (status, message) => {
  expect(refusedCarrier(status, { error: { message } })).toBe("system-message")
  expect(refusedCarrier(status, { message })).toBe("system-message")
  expect(refusedCarrier(status, { detail: [{ loc: ["body", "messages", 2, "role"], msg: message }] })).toBe(
    "system-message",
  )
  expect(refusedCarrier(429, { error: { message } })).toBeUndefined()
})

it.each([
  "Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
  "messages[0].role: unknown variant `robot`, expected one of `system`, `user`, `assistant`, `tool`",
  "This model's maximum context length is 128000 tokens. Please reduce the length of the messages.",
  "No tool output found for function call call_1.",
  "Unexpected system error",
])("takes no other answer for one: %s", (message) => {
  expect(
    refusedCarrier(400, { error: { message, input: "System message must be at the beginning." } }),
  ).toBeUndefined()
})

describe("a server that refuses cache breakpoints", () => {
  const refusal = { status: 400, body: { error: { message: "Unknown parameter: 'prompt_cache_options'." } } }

  it("is told by its answer, and no other answer is taken for that", () => {
    expect(refusesBreakpoints(refusal)).toBe(true)
    expect(refusesBreakpoints({ ...refusal, status: 429 })).toBe(false)
    const question = "Unknown parameter: 'prompt_cache_options.comparison_response_id'."
    expect(refusesBreakpoints({ status: 400, message: question })).toBe(false)
    expect(
      refusesBreakpoints({ status: 400, body: { error: { message: "Unknown parameter: 'tools'." } } }),
    ).toBe(false)
  })

  it("gets the same request without them, in objects as in bytes", () => {
    const request = busyBoundary("gpt-5.6")
    const plain = withoutBreakpoints(request)
    const without = JSON.parse(
      JSON.stringify(encode(request), (key, value) => (key.startsWith("prompt_cache_o") ? undefined : value)),
      (key, value) => (key === "prompt_cache_breakpoint" ? undefined : value),
    )
    expect(encode(plain)).toEqual(without)
    const bytes = encodeBytes(plain).map((piece) => new TextDecoder().decode(piece))
    expect(JSON.parse(bytes.join(""))).toEqual(without)
    // The session's own requests keep theirs.
    expect(JSON.stringify(encode(request))).toContain("prompt_cache_breakpoint")
  })
})
