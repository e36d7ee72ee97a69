import { createSession, type Reply } from "@sotto/core"
import { decode, encode, validate } from "@sotto/core/ai-sdk"
import type { ModelMessage } from "ai"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { expectAppended } from "./support/ai-sdk.js"
import { history, optionsFor, Run } from "./support/history.js"
import { epochsOf } from "./support/oracle.js"
import { calls, exchange, MODELS, request, start, work } from "./support/session.js"

const MARK = { anthropic: { cacheControl: { type: "ephemeral" } } }

describe("encode", () => {
  it("gives messages of the SDK's own type", () => {
    const session = start({ model: { id: MODELS.system } })
    session.say("hello")
    exchange(session, { parts: [{ type: "reasoning", text: "hm", signature: "s" }, ...calls("a").parts] })
    session.result("a", "output")
    session.say([{ type: "file", mediaType: "application/pdf", data: "AAAA", name: "a.pdf" }])
    const body = encode(request(session), { markers: false })
    const messages: ModelMessage[] = body.messages
    expect(messages).toEqual([
      { role: "user", content: [{ type: "text", text: "hello" }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
          { type: "tool-call", toolCallId: "a", toolName: "read", input: { path: "a" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "a",
            toolName: "read",
            output: { type: "text", value: "output" },
          },
        ],
      },
      {
        role: "user",
        content: [{ type: "file", mediaType: "application/pdf", data: "AAAA", filename: "a.pdf" }],
      },
      { role: "system", content: expect.stringContaining("sent a new message") },
    ])
    expect(body).toMatchObject({ system: expect.any(String), toolChoice: "auto" })
  })

  it("keeps reminders inside the last result as items of their own", () => {
    const session = start()
    session.say("go")
    exchange(session, calls("a"))
    session.result("a", "output")
    session.say("and the tests")
    expect(encode(request(session), { markers: false }).messages.at(-1)).toEqual({
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "a",
          toolName: "read",
          output: {
            type: "content",
            value: [
              { type: "text", text: "output" },
              {
                type: "text",
                text: expect.stringMatching(/^<system-reminder>.*and the tests.*<\/system-reminder>$/s),
              },
            ],
          },
        },
      ],
    })
  })

  it("says that a call failed, also where the output is a list", () => {
    const outputs = (words?: string) => {
      const session = start()
      session.say("go")
      exchange(session, calls("a"))
      session.result("a", "no such file", { error: true })
      if (words) session.say(words)
      const last = encode(request(session)).messages.at(-1)
      return last?.role === "tool" ? last.content.map(({ output }) => output) : []
    }
    expect(outputs()).toEqual([{ type: "error-text", value: "no such file" }])
    expect(outputs("go on")).toMatchObject([
      { type: "content", value: [{ text: "[this call failed]" }, { text: "no such file" }, {}] },
    ])
  })

  it("sends media that a tool returned by their kind", () => {
    const session = start()
    session.say("look")
    exchange(session, calls("a"))
    session.result("a", [
      { type: "image", mediaType: "image/png", data: "AAAA" },
      { type: "file", mediaType: "application/pdf", data: "BBBB", name: "b.pdf" },
    ])
    expect(encode(request(session)).messages.at(-1)).toMatchObject({
      content: [
        {
          output: {
            type: "content",
            value: [
              { type: "image-data", mediaType: "image/png", data: "AAAA" },
              { type: "file-data", mediaType: "application/pdf", data: "BBBB", filename: "b.pdf" },
            ],
          },
        },
      ],
    })
  })

  it("marks the newest user content and where the previous request ended, and never a system message", () => {
    const session = start({ model: { id: MODELS.system } })
    session.say("go")
    for (const id of ["a", "b", "c"]) work(session, id)
    session.switchAgent("plan")
    const sent = request(session)
    const { messages } = encode(sent)
    const marked = messages.flatMap(({ role, providerOptions }, i) => (providerOptions ? [[i, role]] : []))
    expect(messages.at(-1)?.role).toBe("system")
    expect(marked).toEqual([
      [messages.length - 4, "tool"],
      [messages.length - 2, "tool"],
    ])
    expect(messages[messages.length - 2]?.providerOptions).toEqual(MARK)
    expect(JSON.stringify(encode(sent, { markers: false }))).not.toContain("cacheControl")
  })

  it("forbids calls on the last step", () => {
    const session = start({ agent: "brief" })
    session.say("go")
    const steps = ["a", "b"].map((id) => encode(work(session, id)).toolChoice)
    expect([...steps, encode(request(session)).toolChoice]).toEqual(["auto", "auto", "none"])
  })
})

describe("every random history", () => {
  const MODEL_IDS = ["claude-opus-5-5", "claude-sonnet-4-5", "gpt-5.6", "gemini-3-pro", "gemini-2.5-flash"]

  it("encodes to prompts without problems, append-only within an epoch", () => {
    fc.assert(
      fc.property(history, fc.constantFrom(...MODEL_IDS), ({ setup, commands }, model) => {
        const run = new Run(setup, createSession({ ...optionsFor(setup), model: { id: model } }))
        for (const one of commands) run.do(one)
        for (const one of run.requests) expect(validate(encode(one))).toEqual([])
        for (const epoch of epochsOf(run.session.log, run.requests))
          expectAppended(epoch.map((one) => encode(one).messages))
      }),
      { seed: 20261115, numRuns: 1000 },
    )
  })
})

describe("decode", () => {
  const step = {
    content: [
      { type: "reasoning", text: "hm", providerMetadata: { anthropic: { signature: "sig" } } },
      { type: "text", text: "I will look.", providerMetadata: { openai: { itemId: "msg_1" } } },
      { type: "source", sourceType: "url", id: "1", url: "https://example.com" },
      { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a" } },
      { type: "tool-result", toolCallId: "c1", toolName: "read", input: {}, output: "contents" },
    ],
    finishReason: "tool-calls",
    usage: {
      inputTokens: 100,
      inputTokenDetails: { noCacheTokens: 30, cacheReadTokens: 60, cacheWriteTokens: 10 },
      outputTokens: 7,
    },
    response: { messages: [] },
  }

  /** What goes back for a reply, once its calls are answered. */
  function returned(reply: Reply) {
    const session = start({ model: { id: MODELS.system } })
    session.say("go")
    exchange(session, reply)
    const next = session.next()
    for (const { id } of next.is === "waiting" ? next.calls : []) session.result(id, "done")
    session.say("more")
    const body = encode(request(session))
    expect(validate(body)).toEqual([])
    return body.messages[1]?.content
  }

  it("reads a step", () => {
    expect(decode(step)).toMatchObject({
      parts: [
        { type: "reasoning", text: "hm", signature: "sig" },
        { type: "text", text: "I will look." },
        { type: "tool-call", id: "c1", name: "read", input: { path: "a" } },
      ],
      stop: "tool-calls",
      usage: { input: 30, output: 7, cacheRead: 60, cacheWrite: 10 },
    })
  })

  it("returns what only the provider understands with the part it came with", () => {
    expect(returned(decode(step))).toEqual([
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "sig" } } },
      { type: "text", text: "I will look.", providerOptions: { openai: { itemId: "msg_1" } } },
      { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a" } },
    ])
  })

  it("returns what the provider did by itself, and asks for no result of it", () => {
    const call = { toolCallId: "w1", toolName: "web_search" }
    const content = [
      { type: "tool-call", ...call, input: { query: "x" }, providerExecuted: true },
      { type: "tool-result", ...call, input: { query: "x" }, output: [{ url: "u" }], providerExecuted: true },
      { type: "text", text: "", providerMetadata: { google: { thoughtSignature: "t" } } },
      { type: "file", file: { base64: "AAAA", mediaType: "image/png" } },
      { type: "text", text: "Found." },
    ]
    expect(returned(decode({ content, finishReason: "stop" }))).toEqual([
      { type: "tool-call", ...call, input: { query: "x" }, providerExecuted: true },
      { type: "tool-result", ...call, output: { type: "json", value: [{ url: "u" }] } },
      { type: "text", text: "", providerOptions: { google: { thoughtSignature: "t" } } },
      { type: "file", data: "AAAA", mediaType: "image/png" },
      { type: "text", text: "Found." },
    ])
  })

  it("says why the model stopped", () => {
    const stop = (finishReason: string) => decode({ content: [], finishReason }).stop
    expect(["stop", "length", "content-filter", "error", "other"].map(stop)).toEqual([
      "end",
      "length",
      "filtered",
      "other",
      "other",
    ])
  })
})

describe("validate", () => {
  const user = { role: "user", content: [{ type: "text", text: "go" }] }
  const call = (...ids: string[]) => ({
    role: "assistant",
    content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "read", input: {} })),
  })
  const result = (...ids: string[]) => ({
    role: "tool",
    content: ids.map((toolCallId) => ({
      type: "tool-result",
      toolCallId,
      output: { type: "text", value: "x" },
    })),
  })
  const system = { role: "system", content: "note" }
  const problems = (...messages: object[]) =>
    validate({ system: "s", messages }).map(({ message }) => message)

  it("accepts calls with their results, and system messages after them", () => {
    expect(problems(user, call("a", "b"), result("a", "b"), user, system, call("c"), result("c"))).toEqual([])
  })

  it("refuses emptiness and strangers", () => {
    expect(problems()).toEqual(["messages must not be empty"])
    expect(problems({ role: "user", content: [] })).toHaveLength(1)
    expect(problems({ role: "user", content: [{ type: "text", text: " " }] })).toHaveLength(1)
    expect(
      problems({ role: "user", content: [{ type: "file", data: "", mediaType: "image/png" }] }),
    ).toHaveLength(1)
    expect(problems({ role: "developer", content: "x" })).toEqual([
      expect.stringContaining("Invalid message role"),
    ])
    const nothing = { type: "tool-result", toolCallId: "a", output: { type: "content", value: [] } }
    expect(problems(user, call("a"), { role: "tool", content: [nothing] })).toHaveLength(1)
  })

  it("refuses calls without results, results without calls, and doubles", () => {
    expect(problems(user, call("a", "b"), result("a"))).toEqual(["Tool result is missing for tool call b."])
    expect(problems(user, call("a", "b"))).toEqual(["Tool results are missing for tool calls a, b."])
    expect(problems(user, result("a"))).toHaveLength(1)
    expect(problems(user, call("a"), result("a", "a"))).toHaveLength(1)
    expect(problems(user, call("a", "a"), result("a"))).toHaveLength(1)
  })

  it("refuses system messages where a provider would, or would move them", () => {
    expect(problems(system, user)).toHaveLength(3)
    expect(problems(user, system, user)).toHaveLength(2)
    expect(validate({ system: "", messages: [user, system] })).toMatchObject([{ carrier: "system-message" }])
  })
})
