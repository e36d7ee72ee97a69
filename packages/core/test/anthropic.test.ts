import type Anthropic from "@anthropic-ai/sdk"
import { createSession, type Reply, type Request } from "@sotto/core"
import {
  BINDING_BETA,
  type Body,
  betasOf,
  decode,
  decoder,
  encode,
  encodeBytes,
  refusedCarrier,
  validate,
  validateSent,
} from "@sotto/core/anthropic"
import { expectAppendOnly, signThinking } from "@sotto/core/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { history, optionsFor, Run } from "./support/history.js"
import { epochsOf } from "./support/oracle.js"
import { calls, exchange, MODELS, request, says, start, work } from "./support/session.js"

const text = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()

describe("encode", () => {
  it("gives a body of the official type", () => {
    const session = start({ model: { id: MODELS.system } })
    session.say("hello")
    const params: Anthropic.MessageCreateParams = encode(request(session), { maxTokens: 100, stream: true })
    expect(params).toMatchObject({ model: "claude-opus-5-5", max_tokens: 100, stream: true })
    expect(params.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }] },
    ])
  })

  it("keeps the tools and forbids calling them on the last step", () => {
    const session = start({ agent: "brief" })
    session.say("go")
    const first = encode(work(session, "a"))
    work(session, "b")
    const last = encode(request(session))
    expect(first.tool_choice).toBeUndefined()
    expect(last.tool_choice).toEqual({ type: "none" })
    expect(last.tools).toEqual(first.tools)
  })

  it("marks the last tool, the system, the newest user content and where the previous request ended", () => {
    const session = start()
    session.say("go")
    for (const id of ["a", "b", "c"]) work(session, id)
    const body = encode(request(session))
    const marked = body.messages.flatMap((message, i) =>
      JSON.stringify(message).includes("cache_control") ? [i] : [],
    )
    expect(marked).toEqual([body.messages.length - 3, body.messages.length - 1])
    expect(body.tools?.map((tool) => "cache_control" in tool)).toEqual([false, true])
    expect(body.system?.[0]?.cache_control).toEqual({ type: "ephemeral" })
  })

  it("never marks a system message: such a breakpoint was reported never to hit", () => {
    const session = start({ model: { id: MODELS.system } })
    session.say("go")
    work(session, "a")
    session.switchAgent("plan")
    const body = encode(request(session))
    expect(body.messages.at(-1)?.role).toBe("system")
    expect(JSON.stringify(body.messages.at(-1))).not.toContain("cache_control")
    expect(JSON.stringify(body.messages.at(-2))).toContain("cache_control")
  })

  it("sends what a tool returned as blocks, and says when it failed", () => {
    const session = start()
    session.say("look")
    exchange(session, calls("a", "b"))
    session.result("a", [{ type: "image", mediaType: "image/png", data: "AAAA" }])
    session.result("b", "no such file", { error: true })
    expect(encode(request(session)).messages.at(-1)?.content).toMatchObject([
      {
        type: "tool_result",
        tool_use_id: "a",
        content: [{ type: "image", source: { media_type: "image/png" } }],
      },
      {
        type: "tool_result",
        tool_use_id: "b",
        is_error: true,
        content: [{ type: "text", text: "no such file" }],
      },
    ])
  })

  it("is the same, byte for byte, in pieces and in one", () => {
    fc.assert(
      fc.property(history, ({ setup, commands }) => {
        const run = new Run(setup, createSession(optionsFor(setup)))
        for (const one of commands) {
          run.do(one)
          const sent = run.session.phase === "awaiting-reply" ? run.next() : undefined
          if (sent?.is === "request")
            expect(text(encodeBytes(sent.request))).toBe(JSON.stringify(encode(sent.request)))
        }
      }),
      { seed: 20261115, numRuns: 300 },
    )
  })

  it("gives the same bytes again for a request that has long been answered", () => {
    const session = start()
    session.say("go")
    const first = work(session, "a")
    const before = text(encodeBytes(first))
    for (let i = 0; i < 50; i++) encodeBytes(work(session, `step-${i}`))
    expect(text(encodeBytes(first))).toBe(before)
  })
})

describe("every random history", () => {
  it("encodes to bodies that the API would accept, append-only within an epoch", () => {
    fc.assert(
      fc.property(history, ({ setup, commands }) => {
        const run = new Run(setup, createSession(optionsFor(setup)))
        for (const one of commands) run.do(one)
        const claude = run.requests.filter(({ pins }) => pins.model.includes("claude"))
        for (const one of claude) {
          // A refused carrier leaves a model with less than the validator knows of it; more it never gets.
          expect(validate(encode(one))).toEqual([])
        }
        for (const epoch of epochsOf(run.session.log, claude))
          expectAppendOnly(epoch.map((one) => encode(one)))
      }),
      { seed: 20261115, numRuns: 1000 },
    )
  })
})

describe("decode", () => {
  const response = {
    type: "message",
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "redacted_thinking", data: "opaque" },
      { type: "text", text: "I will look." },
      { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.ts" } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 7, cache_creation_input_tokens: 3 },
  }

  it("reads a whole response", () => {
    expect(decode(response)).toMatchObject({
      parts: [
        { type: "reasoning", text: "hm", signature: "sig" },
        { type: "reasoning" },
        { type: "text", text: "I will look." },
        { type: "tool-call", id: "toolu_1", name: "read", input: { path: "a.ts" } },
      ],
      stop: "tool-calls",
      usage: { input: 10, output: 5, cacheRead: 7, cacheWrite: 3 },
    })
  })

  it("returns thinking, redacted thinking and calls exactly as they came", () => {
    const session = start()
    session.say("go")
    exchange(session, decode(response))
    session.result("toolu_1", "contents")
    expect(encode(request(session)).messages[1]).toEqual({ role: "assistant", content: response.content })
  })

  it("keeps text between calls that comes back as thinking with nothing in it", () => {
    const empty = {
      ...response,
      content: [{ type: "thinking", thinking: "", signature: "s" }, response.content[3]],
    }
    const session = start({ model: { id: MODELS.system } })
    session.say("go")
    exchange(session, decode(empty))
    session.result("toolu_1", "contents")
    expect(encode(request(session)).messages[1]).toEqual({ role: "assistant", content: empty.content })
  })

  it("throws what the API answered instead of a message", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
    expect(() => decode(error)).toThrow(
      expect.objectContaining({ kind: "overloaded_error", retryable: true }),
    )
  })
})

describe("decoder", () => {
  const events = [
    { type: "message_start", message: { usage: { input_tokens: 10, cache_read_input_tokens: 4 } } },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "let me " } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "see" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
    { type: "content_block_stop", index: 0 },
    { type: "ping" },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Look" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "ing." } },
    { type: "content_block_stop", index: 1 },
    {
      type: "content_block_start",
      index: 2,
      content_block: { type: "tool_use", id: "t1", name: "read", input: {} },
    },
    { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"path":' } },
    { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '"a"}' } },
    { type: "content_block_stop", index: 2 },
    {
      type: "content_block_start",
      index: 3,
      content_block: { type: "tool_use", id: "t2", name: "list", input: {} },
    },
    { type: "content_block_stop", index: 3 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ]

  function fed(count: number) {
    const stream = decoder()
    const deltas = events.slice(0, count).flatMap((event) => stream.push(event))
    return { deltas, reply: stream.soFar() }
  }

  it("tells what comes as it comes, and the whole at the end", () => {
    const { deltas, reply } = fed(events.length)
    expect(deltas).toEqual([
      { type: "reasoning", text: "let me " },
      { type: "reasoning", text: "see" },
      { type: "text", text: "Look" },
      { type: "text", text: "ing." },
      { type: "tool-call-start", id: "t1", name: "read" },
      { type: "tool-input", id: "t1", text: '{"path":' },
      { type: "tool-input", id: "t1", text: '"a"}' },
      { type: "tool-call", id: "t1", name: "read", input: { path: "a" } },
      { type: "tool-call-start", id: "t2", name: "list" },
      { type: "tool-call", id: "t2", name: "list", input: {} },
    ])
    expect(reply).toEqual({
      parts: [
        { type: "reasoning", text: "let me see", signature: "sig" },
        { type: "text", text: "Looking." },
        { type: "tool-call", id: "t1", name: "read", input: { path: "a" } },
        { type: "tool-call", id: "t2", name: "list", input: {} },
      ],
      stop: "tool-calls",
      usage: { input: 10, output: 9, cacheRead: 4, cacheWrite: 0 },
    } satisfies Reply)
  })

  it("gives, wherever the stream is cut, what can be kept of it", () => {
    for (let cut = 0; cut <= events.length; cut++) {
      const session = start()
      session.say("go")
      const sent = request(session)
      session.partial(sent.id, fed(cut).reply)
      session.abort()
      session.say("again")
      const body = encode(request(session))
      expect(validate(body)).toEqual([])
      expect(JSON.stringify(body).includes("let me see"), `cut at ${cut}`).toBe(cut >= 5)
      expect(JSON.stringify(body).includes("Look"), `cut at ${cut}`).toBe(cut >= 9)
      expect(JSON.stringify(body).includes('"t1"'), `cut at ${cut}`).toBe(cut >= 15)
    }
  })

  it("makes a call of input that is not JSON, so that the model can be told", () => {
    const stream = decoder()
    for (const event of events) stream.push(JSON.parse(JSON.stringify(event).replace('\\"a\\"}', "oops")))
    expect(stream.end().parts).toContainEqual({
      type: "tool-call",
      id: "t1",
      name: "read",
      input: { malformed: '{"path":oops' },
    })
  })

  it("throws an error that comes mid-stream", () => {
    expect(() =>
      decoder().push({ type: "error", error: { type: "rate_limit_error", message: "slow down" } }),
    ).toThrow("slow down")
  })
})

describe("validate refuses what the API refuses", () => {
  const user = (...content: object[]) => ({ role: "user", content })
  const assistant = (...content: object[]) => ({ role: "assistant", content })
  const words = (value: string) => ({ type: "text", text: value })
  const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} })
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: [words("x")] })
  const system = { role: "system", content: [words("note")] }
  const tool = { name: "read", description: "", input_schema: { type: "object" } }
  const body = (messages: object[], rest: object = {}) => ({
    model: "claude-opus-5-5",
    max_tokens: 10,
    tools: [tool],
    messages,
    ...rest,
  })

  it.each([
    ["no model", { ...body([user(words("a"))]), model: undefined }, /model/],
    ["no max_tokens", { ...body([user(words("a"))]), max_tokens: undefined }, /max_tokens/],
    ["no messages", body([]), /at least one message/],
    ["an assistant first", body([assistant(words("a")), user(words("b"))]), /first message/],
    ["empty content", body([user()]), /non-empty content/],
    ["blank text", body([user(words(" \n"))]), /non-whitespace/],
    [
      "a call without a result",
      body([user(words("a")), assistant(use("t")), user(words("b"))]),
      /without `tool_result`/,
    ],
    [
      "text before a result",
      body([user(words("a")), assistant(use("t")), user(words("b"), result("t"))]),
      /without `tool_result`/,
    ],
    ["a result without a call", body([user(result("t"))]), /unexpected `tool_use_id`/],
    [
      "two results for a call",
      body([user(words("a")), assistant(use("t")), user(result("t"), result("t"))]),
      /single result/,
    ],
    [
      "two calls with one id",
      body([
        user(words("a")),
        assistant(use("t")),
        user(result("t")),
        assistant(use("t")),
        user(result("t")),
      ]),
      /must be unique/,
    ],
    ["a system message first", body([system]), /must directly follow a user turn/],
    [
      "a system message between a call and its result",
      body([user(words("a")), assistant(use("t")), system, user(result("t"))]),
      /follow a user turn/,
    ],
    [
      "a user message after a system message",
      body([user(words("a")), system, user(words("b"))]),
      /directly follow a system/,
    ],
    [
      "a system message on an older model",
      body([user(words("a")), system], { model: "claude-sonnet-4-5" }),
      /role 'system' is not supported/,
    ],
    ["prefill on a newer model", body([user(words("a")), assistant(words("I"))]), /prefill/],
    [
      "five breakpoints",
      body([
        user(...Array.from({ length: 5 }, () => ({ ...words("a"), cache_control: { type: "ephemeral" } }))),
      ]),
      /maximum of 4/,
    ],
    ["a tool name with a space", body([user(words("a"))], { tools: [{ ...tool, name: "a b" }] }), /pattern/],
    ["two tools of one name", body([user(words("a"))], { tools: [tool, tool] }), /unique/],
    [
      "forced tool use on a model that always thinks",
      body([user(words("a"))], { tool_choice: { type: "any" } }),
      /tool_choice/,
    ],
    [
      "tool_choice without tools",
      body([user(words("a"))], { tools: [], tool_choice: { type: "none" } }),
      /providing tools/,
    ],
    [
      "thinking switched off on a model that always thinks",
      body([user(words("a"))], { thinking: { type: "disabled" } }),
      /thinking/,
    ],
    [
      "thinking without a signature",
      body([user(words("a")), assistant({ type: "thinking", thinking: "x" }, words("b")), user(words("c"))]),
      /signature/,
    ],
    ["an unknown role", body([{ role: "tool", content: [words("a")] }]), /role/],
  ])("%s", (_, wrong, expected) => {
    expect(validate(wrong).map(({ message }) => message)).toContainEqual(expect.stringMatching(expected))
  })

  it("but not what it accepts: turns in several messages, text as a string, tools of its own", () => {
    const parts = [
      user(words("a")),
      { role: "user", content: "b" },
      assistant(words("c")),
      assistant(use("t"), use("u")),
      user(result("t")),
      user(result("u"), words("d")),
    ]
    const tools = [tool, { type: "web_search_20250305", name: "web_search" }]
    expect(validate(body(parts, { tools, system: "as a string" }))).toEqual([])
  })

  it("and names the carrier where another would do", () => {
    const problems = validate(body([user(words("a")), system], { model: "claude-sonnet-4-5" }))
    expect(problems).toEqual([expect.objectContaining({ path: "messages.1", carrier: "system-message" })])
  })

  it("thinking that was signed in another conversation, on models that tie it", () => {
    const before = body([user(words("a"))])
    const thinking = { type: "thinking", thinking: "hm", signature: signThinking(before) }
    const later = (first: string, model = before.model) =>
      body([user(words(first)), assistant(thinking, words("b")), user(words("c"))], { model })
    expect(validate(later("a"))).toEqual([])
    expect(validate(later("A"))).toEqual([expect.objectContaining({ path: "messages.1.content.0" })])
    expect(validate({ ...later("A"), prefix_mismatch_behavior: "drop" })).toEqual([])
    expect(validate(later("A", "claude-sonnet-5"))).toEqual([])
    expect(validate({ ...later("a"), tools: [{ ...tool, description: "other" }] })).toHaveLength(1)
  })

  it("a request to drop such thinking without the beta that it needs", () => {
    const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } }
    const asking = { ...body([user(words("a"))]), thinking }
    expect(validate(asking)).toEqual([])
    expect(validateSent(asking, { betas: [BINDING_BETA] })).toEqual([])
    expect(validateSent(asking, { betas: [] })).toEqual([
      expect.objectContaining({ path: "thinking.block_binding" }),
    ])
  })
})

it("thinking signed for its conversation stays valid through a whole turn, a switch and a steer", () => {
  const session = start({ model: { id: MODELS.system } })
  const bodies: Body[] = []
  const step = (sent: Request, id: string) => {
    const body = encode(sent)
    bodies.push(body)
    session.reply(sent.id, {
      parts: [{ type: "reasoning", text: "hm", signature: signThinking(body) }, ...calls(id).parts],
    })
    session.result(id, `output of ${id}`)
  }
  session.say("go")
  for (const id of ["a", "b", "c", "d"]) {
    step(request(session), id)
    if (id === "b") session.say("and the tests")
    if (id === "c") session.switchAgent("plan")
  }
  bodies.push(encode(exchange(session, says("done"))))
  for (const body of bodies) expect(validate(body)).toEqual([])
  expectAppendOnly(bodies)
})

it("drops thinking that a refused carrier has cut loose, on models that tie it to what came before", () => {
  const session = start({ model: { id: MODELS.system } })
  const think = (sent: Request, id: string) => {
    const signature = signThinking(encode(sent))
    session.reply(sent.id, { parts: [{ type: "reasoning", text: "hm", signature }, ...calls(id).parts] })
    session.result(id, "output")
  }
  session.note({ type: "critical", text: "Mind the gap." })
  session.say("go")
  think(request(session), "a")
  think(request(session), "b")
  request(session)
  session.refuseCarrier("system-message")
  const again = encode(request(session))
  expect(JSON.stringify(again)).not.toContain('"thinking"')
  expect(validate(again)).toEqual([])
})

it("recognises an answer that says a carrier is not taken", () => {
  const answer = (message: string) => ({ type: "error", error: { type: "invalid_request_error", message } })
  expect(refusedCarrier(400, answer("role 'system' is not supported on this model"))).toBe("system-message")
  expect(refusedCarrier(400, answer('messages: Unexpected role "system".'))).toBe("system-message")
  expect(refusedCarrier(400, answer("This model does not support assistant message prefill."))).toBe(
    "assistant-text",
  )
  expect(refusedCarrier(400, answer("max_tokens: Field required"))).toBeUndefined()
  expect(
    refusedCarrier(400, answer("prompt is too long: 210000 tokens (system and messages)")),
  ).toBeUndefined()
  expect(refusedCarrier(400, answer("system: text content blocks must be non-empty"))).toBeUndefined()
  expect(refusedCarrier(429, answer("role 'system' is not supported on this model"))).toBeUndefined()
})

describe("tools that come and go within an epoch", () => {
  const tool = (name: string) => ({
    name,
    description: `does ${name}`,
    inputSchema: { type: "object" } as const,
  })

  it("travel as blocks of a system message, with the betas they need, and the list stays as it was sent", () => {
    const session = start({ model: { id: MODELS.system }, tools: [tool("read"), tool("gone")] })
    session.say("go")
    const first = exchange(session, says("ok"))
    session.offerTools([tool("read"), tool("late")])
    session.say("go on")
    const second = request(session)
    const bodies = [encode(first), encode(second)]
    expectAppendOnly(bodies)
    expect(bodies.map(validate)).toEqual([[], []])
    expect(bodies[1]?.messages.at(-1)).toEqual({
      role: "system",
      content: [
        { type: "text", text: expect.any(String) },
        { type: "tool_removal", tool: { type: "tool_reference", name: "gone" } },
        {
          type: "tool_addition",
          tool: {
            type: "tool_definition",
            definition: { name: "late", description: "does late", input_schema: { type: "object" } },
          },
        },
      ],
    })
    expect(betasOf(first)).toEqual([])
    expect(betasOf(second)).toHaveLength(2)
  })

  it("are listed anew where the model turns out not to take system messages", () => {
    const session = start({ model: { id: MODELS.system }, tools: [tool("read")] })
    session.say("go")
    exchange(session, says("ok"))
    session.offerTools([tool("read"), tool("late")])
    session.say("go on")
    request(session)
    session.refuseCarrier("system-message")
    const sent = request(session)
    expect(betasOf(sent)).toEqual([])
    expect(encode(sent).tools?.map(({ name }) => name)).toEqual(["late", "read"])
  })
})
