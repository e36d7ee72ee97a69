import {
  type Content,
  type FunctionCallingConfigMode,
  type GenerateContentConfig,
  GenerateContentResponse,
  type Part,
  type Tool,
} from "@google/genai"
import { createSession, type Reply } from "@sotto/core"
import {
  type Body,
  decode,
  decoder,
  encode,
  encodeBytes,
  modelName,
  refusedCarrier,
  validate,
} from "@sotto/core/gemini"
import { expectAppendOnly } from "@sotto/core/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { history, optionsFor, Run } from "./support/history.js"
import { epochsOf } from "./support/oracle.js"
import { calls, exchange, request, says, start, work } from "./support/session.js"

const GEMINI = { model: { id: "google/gemini-3-pro" } } as const
const OLDER = { model: { id: "gemini-2.5-flash" } } as const
const UNSIGNED = "skip_thought_signature_validator"
const text = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()

describe("encode", () => {
  it("gives a body of the official types", () => {
    const session = start({ ...GEMINI, agent: "brief" })
    session.say("hello")
    for (const id of ["a", "b"]) work(session, id)
    const body = encode(request(session), { maxTokens: 100, temperature: 0.5, topP: 0.9 })
    const contents: Content[] = body.contents
    const tools: Tool[] | undefined = body.tools
    const mode: `${FunctionCallingConfigMode}` | undefined = body.toolConfig?.functionCallingConfig?.mode
    const config: GenerateContentConfig = { ...body.generationConfig, ...(tools && { tools }) }
    const system: Content | undefined = body.systemInstruction
    expect(contents[0]).toEqual({ role: "user", parts: [{ text: "hello" }] })
    expect(tools?.[0]?.functionDeclarations?.[0]).toEqual({
      name: "bash",
      description: "Runs a command.",
      parametersJsonSchema: { type: "object" },
    })
    expect(system?.parts).toHaveLength(1)
    expect(config).toMatchObject({ maxOutputTokens: 100, temperature: 0.5, topP: 0.9 })
    expect(mode).toBe("NONE")
  })

  it("leaves the model to the URL, by its bare name", () => {
    const session = start(GEMINI)
    session.say("hello")
    const sent = request(session)
    expect(modelName(sent)).toBe("gemini-3-pro")
    expect(encode(sent)).not.toHaveProperty("model")
  })

  it("keeps the tools and forbids calling them on the last step", () => {
    const session = start({ ...GEMINI, agent: "brief" })
    session.say("go")
    const first = encode(work(session, "a"))
    work(session, "b")
    const ending = encode(request(session))
    expect(first.toolConfig).toBeUndefined()
    expect(ending.toolConfig).toEqual({ functionCallingConfig: { mode: "NONE" } })
    expect(JSON.stringify(ending.tools)).toBe(JSON.stringify(first.tools))
  })

  it("adds what a harness sets to what it writes itself", () => {
    const session = start(GEMINI)
    session.say("go")
    const generationConfig = { thinkingConfig: { includeThoughts: true } }
    const extra = { generationConfig, cachedContent: "cachedContents/1" }
    expect(encode(request(session), { maxTokens: 7, extra })).toMatchObject({
      cachedContent: "cachedContents/1",
      generationConfig: { maxOutputTokens: 7, thinkingConfig: { includeThoughts: true } },
    })
  })

  it("sends results with what they show, and words in a content of their own; and says when a call failed", () => {
    const session = start(GEMINI)
    session.say("look")
    exchange(session, calls("a", "b", "c"))
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
    session.result("a", [image])
    session.result("b", "no such file", { error: true })
    session.result("c", [{ type: "text", text: "one" }, image, { type: "text", text: "two" }])
    session.say("and quickly")
    const shown = { inlineData: { mimeType: "image/png", data: "AAAA" } }
    const { contents } = encode(request(session))
    expect(contents.slice(-2).map(({ parts }) => parts)).toEqual([
      [
        { functionResponse: { id: "a", name: "read", response: { output: "(see what is attached)" } } },
        { functionResponse: { id: "b", name: "read", response: { error: "no such file" } } },
        { functionResponse: { id: "c", name: "read", response: { output: ["one", "two"] } } },
        shown,
        shown,
      ],
      [{ text: expect.stringContaining("and quickly") }],
    ])
  })

  it("signs calls that the model did not think of itself, where it insists on signatures", () => {
    const signatures = (model: { readonly id: string }) => {
      const session = start({ model })
      session.say("go")
      exchange(session, calls("a", "b"))
      session.result("a", "1")
      session.result("b", "2")
      const parts: Part[] = encode(request(session)).contents[1]?.parts ?? []
      return parts.map((part) => part.thoughtSignature)
    }
    expect(signatures(GEMINI.model)).toEqual([UNSIGNED, undefined])
    expect(signatures({ id: "gemini-4-argon" })).toEqual([UNSIGNED, undefined])
    expect(signatures(OLDER.model)).toEqual([undefined, undefined])
  })

  it("sends a system message as user text, should a model be said to take one", () => {
    const session = start({ model: { id: "gemini-3-pro", capabilities: { systemMessages: true } } })
    session.say("go")
    work(session, "a")
    session.switchAgent("plan")
    const body = encode(request(session))
    expect(body.contents.slice(-2).map(({ role }) => role)).toEqual(["user", "user"])
    expect(validate(body)).toEqual([])
  })

  it("is the same, byte for byte, in pieces and in one, as a session grows", () => {
    const session = start(GEMINI)
    session.say("go")
    const sent = Array.from({ length: 30 }, (_, i) => work(session, `step-${i}`))
    const bytes = sent.map((one) => text(encodeBytes(one, { maxTokens: 9 })))
    expect(bytes).toEqual(sent.map((one) => JSON.stringify(encode(one, { maxTokens: 9 }))))
    expect(sent.map((one) => text(encodeBytes(one, { maxTokens: 9 })))).toEqual(bytes)
  })

  it("is whole JSON even where there is nothing to say beside the conversation", () => {
    const session = start({ ...GEMINI, tools: [], agents: [{ name: "bare", mode: "primary", prompt: "" }] })
    session.say("hi")
    const sent = request(session)
    expect(encode(sent)).toEqual({ contents: [{ role: "user", parts: [{ text: "hi" }] }] })
    expect(text(encodeBytes(sent))).toBe(JSON.stringify(encode(sent)))
  })
})

describe("every random history", () => {
  it("encodes to bodies that the API would accept, append-only within an epoch, the same in pieces and in one", () => {
    let checked = 0
    fc.assert(
      fc.property(
        history,
        fc.constantFrom("gemini-3-pro", "gemini-2.5-flash"),
        ({ setup, commands }, model) => {
          const run = new Run(setup, createSession({ ...optionsFor(setup), model: { id: model } }))
          for (const one of commands) run.do(one)
          const sent = run.requests.filter(({ pins }) => pins.model.includes("gemini"))
          for (const one of sent) {
            const body = encode(one)
            expect(validate(body)).toEqual([])
            expect(text(encodeBytes(one))).toBe(JSON.stringify(body))
          }
          for (const epoch of epochsOf(run.session.log, sent))
            expectAppendOnly(epoch.map((one) => encode(one)))
          checked += sent.length
        },
      ),
      { seed: 20261115, numRuns: 1000 },
    )
    expect(checked).toBeGreaterThan(1000)
  })
})

/** As the API streams it: thoughts, text, two calls at once of which the first is signed. */
const CHUNKS = [
  chunk([{ text: "**Looking", thought: true }]),
  chunk([{ text: " around**", thought: true }]),
  chunk([{ text: "I will " }]),
  chunk([
    { text: "look." },
    { functionCall: { id: "f1", name: "read", args: { path: "a" } }, thoughtSignature: "c2ln" },
  ]),
  chunk([{ functionCall: { name: "list" } }]),
  {
    ...chunk([{ text: "" }], "STOP"),
    usageMetadata: {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 5,
    },
  },
]

function chunk(parts: readonly object[], finishReason?: string) {
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 1 },
    modelVersion: "gemini-3-pro",
  }
}

function fed(chunks: readonly unknown[]) {
  const stream = decoder()
  const deltas = chunks.flatMap((event) => stream.push(event))
  return { deltas, reply: stream.soFar() }
}

/** What goes back for a reply, once its calls are answered. */
function returned(reply: Reply, model: { readonly id: string } = GEMINI.model) {
  const session = start({ model })
  session.say("go")
  exchange(session, reply)
  for (let next = session.next(); next.is === "waiting"; next = session.next())
    session.result(next.calls[0]?.id ?? "", "done")
  session.say("more")
  const body = encode(request(session))
  expect(validate(body)).toEqual([])
  return body.contents[1]?.parts
}

describe("decoder", () => {
  it("tells what comes as it comes, and the whole at the end", () => {
    const { deltas, reply } = fed(CHUNKS)
    expect(deltas).toEqual([
      { type: "reasoning", text: "**Looking" },
      { type: "reasoning", text: " around**" },
      { type: "text", text: "I will " },
      { type: "text", text: "look." },
      { type: "tool-call-start", id: "f1", name: "read" },
      { type: "tool-call", id: "f1", name: "read", input: { path: "a" } },
      { type: "tool-call-start", id: "", name: "list" },
      { type: "tool-call", id: "", name: "list", input: {} },
    ])
    expect(reply).toMatchObject({
      parts: [
        { type: "reasoning", text: "**Looking around**" },
        { type: "text", text: "I will look." },
        { type: "tool-call", id: "f1", name: "read", input: { path: "a" } },
        { type: "tool-call", id: "", name: "list", input: {} },
      ],
      stop: "tool-calls",
      usage: { input: 40, output: 25, cacheRead: 60, cacheWrite: 0 },
    })
  })

  it("keeps what had come, wherever the stream is cut", () => {
    for (let count = 0; count < CHUNKS.length; count++) {
      const { deltas, reply } = fed(CHUNKS.slice(0, count))
      expect(reply.stop).toBeUndefined()
      for (const kind of ["text", "reasoning"] as const) {
        const streamed = deltas.flatMap((delta) => (delta.type === kind ? [delta.text] : [])).join("")
        expect(reply.parts.flatMap((part) => (part.type === kind ? [part.text] : [])).join("")).toBe(streamed)
      }
      const session = start(GEMINI)
      session.say("go")
      session.partial(request(session).id, reply)
      session.abort()
      session.say("again")
      expect(validate(encode(request(session)))).toEqual([])
    }
  })

  it("reads a response the same whole, in a list, and in pieces", () => {
    const parts = CHUNKS.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts))
    const whole = {
      ...CHUNKS.at(-1),
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
    }
    expect(decode(whole)).toEqual(fed(CHUNKS).reply)
    expect(decode(CHUNKS)).toEqual(fed(CHUNKS).reply)
  })

  it("returns every signature with the very part it came with", () => {
    const parts = [
      { text: "plan", thought: true, thoughtSignature: "dDE=" },
      { text: "Half " },
      { text: "and half.", thoughtSignature: "dDI=" },
      { functionCall: { id: "f1", name: "read", args: {} }, thoughtSignature: "dDM=" },
      { functionCall: { id: "f2", name: "read", args: {} } },
      { text: "", thoughtSignature: "dDQ=" },
    ]
    expect(returned(fed(parts.map((part) => chunk([part]))).reply)).toEqual(parts)
  })

  it("does not merge thoughts into words, nor anything into a signed part", () => {
    const parts = [
      { text: "a" },
      { text: "b", thought: true },
      { text: "c", thoughtSignature: "cw==" },
      { text: "d" },
    ]
    expect(
      fed([chunk(parts)]).reply.parts.map((part) => (part.type === "tool-call" ? "" : part.text)),
    ).toEqual(["a", "b", "c", "d"])
  })

  it("gives a call its own id where the model gave none, or one that was taken", () => {
    const call = { functionCall: { name: "read", args: { n: 1 } }, thoughtSignature: "c2ln" }
    const parts = returned(
      decode(
        chunk(
          [call, { functionCall: { id: "x", name: "read" } }, { functionCall: { id: "x", name: "read" } }],
          "STOP",
        ),
      ),
    )
    const ids = (parts as Part[]).map((part) => part.functionCall?.id)
    expect(new Set(ids).size).toBe(3)
    expect(ids).not.toContain(undefined)
    expect(parts?.[0]).toEqual({ ...call, functionCall: { ...call.functionCall, id: ids[0] } })
  })

  it("returns parts that it does not know as they came", () => {
    const code = { executableCode: { language: "PYTHON", code: "1" } }
    const parts = [
      code,
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
      { text: "It is 1." },
    ]
    expect(returned(decode(chunk(parts, "STOP")))).toEqual(parts)
  })

  it("says why the model stopped", () => {
    const stop = (reason: string) => decode(chunk([{ text: "x" }], reason)).stop
    expect(stop("STOP")).toBe("end")
    expect(stop("MAX_TOKENS")).toBe("length")
    expect(stop("SAFETY")).toBe("filtered")
    expect(stop("MALFORMED_FUNCTION_CALL")).toBe("malformed")
    expect(stop("NEW_REASON")).toBe("other")
    expect(decode({ promptFeedback: { blockReason: "SAFETY" } })).toMatchObject({
      parts: [],
      stop: "filtered",
      why: "SAFETY",
    })
  })

  it("reads a chunk of the official SDK, whose getter `data` holds its images", () => {
    const chunk = new GenerateContentResponse()
    const parts = [{ inlineData: { mimeType: "image/png", data: "aGk=" } }, { text: "Here." }]
    chunk.candidates = [{ content: { role: "model", parts } }]
    expect(chunk.data).toBe("aGk=")
    expect(decoder().push(chunk)).toEqual([{ type: "text", text: "Here." }])
  })

  it("throws what the API answered instead of content", () => {
    const error = { error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } }
    expect(() => decode(error)).toThrow(expect.objectContaining({ kind: "UNAVAILABLE", retryable: true }))
    expect(() => decode([error])).toThrow(expect.objectContaining({ message: "overloaded" }))
    expect(() => decoder().push({ error: { status: "INVALID_ARGUMENT", message: "no" } })).toThrow(
      expect.objectContaining({ retryable: false }),
    )
  })
})

describe("validate", () => {
  const user = (...parts: object[]) => ({ role: "user", parts })
  const model = (...parts: object[]) => ({ role: "model", parts })
  const call = (id: string, thoughtSignature?: string) => ({
    functionCall: { id, name: "read", args: {} },
    ...(thoughtSignature && { thoughtSignature }),
  })
  const answer = (id: string) => ({ functionResponse: { id, name: "read", response: { output: "x" } } })
  const go = user({ text: "go" })
  const problems = (...contents: object[]) => validate({ contents }).map(({ message }) => message)

  it("accepts a conversation with calls, thoughts and media", () => {
    expect(
      problems(
        go,
        model({ text: "hm", thought: true }, call("a", "s"), call("b")),
        user(answer("b"), answer("a"), { text: "also" }),
      ),
    ).toEqual([])
  })

  it("refuses nothing, nobody and emptiness", () => {
    expect(problems()).toEqual([expect.stringContaining("contents is not specified")])
    expect(problems(user())).toEqual([expect.stringContaining("must not be empty")])
    expect(problems(user({ text: "" }))).toEqual([expect.stringContaining("required oneof field 'data'")])
    expect(problems(user({}))).toEqual([expect.stringContaining("required oneof field 'data'")])
    expect(problems(user({ inlineData: { mimeType: "image/png", data: "" } }))).toHaveLength(1)
    expect(problems({ role: "system", parts: [{ text: "x" }] })).toEqual([
      "Please use a valid role: user, model.",
    ])
    expect(validate({ systemInstruction: { parts: [{ text: "" }] }, contents: [go] })).toHaveLength(1)
  })

  it("refuses fields that a part does not have", () => {
    expect(problems(user({ text: "x", cache_control: {} }))).toEqual([
      expect.stringContaining('Unknown name "cache_control"'),
    ])
  })

  it("refuses a model turn at the beginning or the end", () => {
    expect(problems(model({ text: "x" }), go)).toEqual([expect.stringContaining("begin with a user turn")])
    const [problem] = validate({ contents: [go, model({ text: "x" })] })
    expect(problem).toMatchObject({
      carrier: "assistant-text",
      message: expect.stringContaining("end with a user turn"),
    })
    expect(refusedCarrier(400, { error: { message: problem?.message } })).toBe("assistant-text")
    expect(refusedCarrier(400, { error: { message: "no" } })).toBeUndefined()
  })

  it("refuses calls without responses, responses without calls, and calls after the model's own words", () => {
    const number = expect.stringContaining(
      "number of function response parts is equal to the number of function call parts",
    )
    expect(problems(go, model(call("a"), call("b")), user(answer("a")))).toEqual([number])
    expect(problems(go, model(call("a")), go)).toEqual([number])
    expect(problems(user(answer("a")))).toEqual([number])
    expect(problems(go, model(call("a")))).toContainEqual(number)
    expect(problems(go, model(call("a")), user(answer("b")))).toEqual([
      expect.stringContaining("an id that no function call"),
    ])
    expect(problems(go, model({ text: "x" }), model(call("a")), user(answer("a")))).toEqual([
      expect.stringContaining("function call turn comes immediately after a user turn"),
    ])
  })

  it("refuses a step that lost its signature where another of the turn has one, and asks nothing of earlier turns", () => {
    const step = (id: string, signature?: string) => [model(call(id, signature)), user(answer(id))]
    const missing = expect.stringContaining("missing a thought_signature")
    expect(problems(go, ...step("a", "s"), ...step("b"))).toEqual([missing])
    expect(problems(go, ...step("a"), ...step("b"))).toEqual([])
    expect(problems(go, ...step("a"), model({ text: "done" }), go, ...step("b", "s"))).toEqual([])
  })

  it("refuses names that no function may have, doubles, and modes that do not exist", () => {
    const tools = (...names: string[]) => [{ functionDeclarations: names.map((name) => ({ name })) }]
    const mode = (mode: string) => ({ functionCallingConfig: { mode } })
    const check = (body: object) => validate({ contents: [go], ...body }).length
    expect(check({ tools: tools("read", "mcp:server.list-files") })).toBe(0)
    expect(check({ tools: tools("1st") })).toBe(1)
    expect(check({ tools: tools("a".repeat(129)) })).toBe(1)
    expect(check({ tools: tools("read", "read") })).toBe(1)
    expect(check({ tools: tools("read"), toolConfig: mode("NONE") })).toBe(0)
    expect(check({ tools: tools("read"), toolConfig: mode("none") })).toBe(1)
    expect(check({ toolConfig: mode("NONE") })).toBe(1)
  })
})

it("keeps a signed turn valid and append-only through a steer, a switch of agent and its end", () => {
  const session = start(GEMINI)
  const bodies: Body[] = []
  session.say("go")
  for (const id of ["a", "b", "c", "d"]) {
    const sent = request(session)
    bodies.push(encode(sent))
    const part = { functionCall: { id, name: "read", args: {} }, thoughtSignature: `sig-${id}` }
    session.reply(sent.id, decode(chunk([{ text: `because ${id}`, thought: true }, part], "STOP")))
    session.result(id, `output of ${id}`)
    if (id === "b") session.say("and the tests")
    if (id === "c") session.switchAgent("plan")
  }
  bodies.push(encode(exchange(session, says("done"))))
  for (const body of bodies) expect(validate(body)).toEqual([])
  expectAppendOnly(bodies)
  expect(JSON.stringify(bodies.at(-1)).match(/"thoughtSignature":"sig-[abcd]"/g)).toHaveLength(4)
})
