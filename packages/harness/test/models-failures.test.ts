import { once } from "node:events"
import { describe, expect, it, test } from "vitest"
import { callModel } from "../src/models/call.js"
import { ModelError } from "../src/models/error.js"
import { resolveModel } from "../src/models/resolve.js"
import {
  anthropicStream,
  asking,
  EVENTS,
  environment,
  json,
  MODELS,
  providerThat,
  rehearsalFor,
  requestOf,
  sessionOf,
} from "./models-support.js"

const call = (model: string, url: string) => callModel(resolveModel(model, environment(url)), asking(model))

async function failureOf(promise: Promise<unknown>): Promise<ModelError> {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(error instanceof ModelError)) throw new Error(`expected a ModelError, got ${error}`)
  return error
}

describe.each(MODELS)("%s", (model) => {
  it.each([429, 500, 503, 529])("may be tried again after %i", async (status) => {
    const rehearsal = await rehearsalFor({ script: [{ text: "x", fail: [{ status, retryAfter: 2 }] }] })
    const error = await failureOf(call(model, rehearsal.url))
    expect(error).toMatchObject({ status, retryable: true, retryAfter: 2000 })
    expect(error.message).toContain("rehearsed")
    expect(error.kind).toMatch(/rate|overloaded|error|EXHAUSTED|UNAVAILABLE|INTERNAL/)
  })

  it.each(["before", "middle"] as const)("may be tried again when dropped %s the answer", async (drop) => {
    const text = "One two three four five six seven eight."
    const rehearsal = await rehearsalFor({ script: [{ text, fail: [{ drop }] }] })
    const error = await failureOf(call(model, rehearsal.url))
    expect(error).toMatchObject({ retryable: true, kind: drop === "before" ? "network" : "dropped" })
  })

  it("says what an error in the middle of a stream says", async () => {
    const rehearsal = await rehearsalFor({ script: [{ text: "One two three.", fail: [{ event: 529 }] }] })
    const error = await failureOf(call(model, rehearsal.url))
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining("Overloaded") })
    expect(error.status).toBeUndefined()
  })

  it("is not tried again when the request is wrong", async () => {
    const rehearsal = await rehearsalFor({
      script: [{ text: "x", fail: [{ status: 400, message: "That will not do." }] }],
    })
    const error = await failureOf(call(model, rehearsal.url))
    expect(error).toMatchObject({
      status: 400,
      retryable: false,
      message: "The provider answered 400: That will not do.",
    })
  })
})

test.each(["anthropic/claude-opus-5-5", "openai/gpt-5.6"])(
  "%s that refuses system messages is told from any other error, and goes on with another carrier",
  async (model) => {
    const rehearsal = await rehearsalFor({
      script: [{ fail: [{ refuse: "system" }], text: "x" }, { text: "y" }],
    })
    const target = resolveModel(model, environment(rehearsal.url))
    const session = sessionOf(model)
    session.say("Hello")
    session.note({ type: "critical", text: "Mind the gap." })
    const request = requestOf(session)
    const error = await failureOf(callModel(target, request))
    expect(error).toMatchObject({ status: 400, retryable: false, refusedCarrier: "system-message" })
    if (error.refusedCarrier) session.refuseCarrier(error.refusedCarrier)
    const again = requestOf(session)
    expect((await callModel(target, again)).stop).toBe("end")
  },
)

describe("a stream", () => {
  const cutOff = async (text: string) =>
    (await providerThat((response) => void response.writeHead(200, EVENTS).end(text))).url

  it("that ends before its end was dropped, however politely", async () => {
    const whole = anthropicStream("Hello")
    const url = await cutOff(whole.slice(0, whole.indexOf("event: message_delta")))
    expect(await failureOf(call("anthropic/m", url))).toMatchObject({ kind: "dropped", retryable: true })
  })

  it("that ends in the middle of an event was dropped", async () => {
    const whole = anthropicStream("Hello")
    const url = await cutOff(whole.slice(0, whole.indexOf('"text_delta"')))
    expect(await failureOf(call("anthropic/m", url))).toMatchObject({ kind: "dropped", retryable: true })
  })

  it("that breaks after all was said was not", async () => {
    const { url } = await providerThat((response) => {
      response.writeHead(200, EVENTS)
      response.write(anthropicStream("Hello"), () => response.destroy())
    })
    expect((await call("anthropic/m", url)).parts).toEqual([{ type: "text", text: "Hello" }])
  })

  it("without a reason to stop is whole when it says that it is done", async () => {
    const url = await cutOff('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n')
    expect((await call("openai-chat/m", url)).parts).toEqual([{ type: "text", text: "Hi" }])
  })

  it("of slow tokens ends at once when aborted", async () => {
    const rehearsal = await rehearsalFor({ script: [{ text: "word ".repeat(1_000), tokenDelay: 1 }] })
    const abort = new AbortController()
    const heard: string[] = []
    const target = resolveModel("anthropic/m", environment(rehearsal.url))
    const calling = callModel(target, asking("anthropic/m"), {
      signal: abort.signal,
      onDelta: (delta) => {
        heard.push(delta.type)
        if (heard.length === 3) abort.abort(new Error("enough"))
      },
    })
    await expect(calling).rejects.toThrow("enough")
    expect(heard.length).toBeLessThan(1_000)
  })

  it("is not blamed for what its listener throws", async () => {
    const url = await cutOff(anthropicStream("Hello"))
    const onDelta = () => {
      throw new RangeError("mine")
    }
    const target = resolveModel("anthropic/m", environment(url))
    await expect(callModel(target, asking("anthropic/m"), { onDelta })).rejects.toThrow(RangeError)
  })
})

describe("a response", () => {
  it("is not made when the signal aborts while it is being prepared", async () => {
    const { url, received } = await providerThat(() => {})
    const abort = new AbortController()
    const target = resolveModel("anthropic/m", environment(url))
    const calling = callModel(target, asking("anthropic/m"), { signal: abort.signal })
    abort.abort(new Error("enough"))
    await expect(calling).rejects.toThrow("enough")
    expect(received).toEqual([])
  })

  it("that is awaited ends at once when aborted", async () => {
    const abort = new AbortController()
    const { url } = await providerThat(async (response) => {
      abort.abort(new Error("enough"))
      await once(response, "close")
    })
    const target = resolveModel("anthropic/m", environment(url))
    const calling = callModel(target, asking("anthropic/m"), { signal: abort.signal })
    await expect(calling).rejects.toThrow("enough")
  })

  it.each([
    [429, { error: { code: "insufficient_quota", message: "No money." } }, {}, false],
    [400, { error: { message: "Try." } }, { "x-should-retry": "true" }, true],
    [500, { error: { message: "Never." } }, { "x-should-retry": "false" }, false],
    [409, {}, {}, true],
    [408, {}, {}, true],
    [401, {}, {}, false],
  ])("of %i with %j and %j is retryable: %s", async (status, body, headers, retryable) => {
    const { url } = await providerThat((response) => json(response, status, body, headers))
    expect(await failureOf(call("openai/gpt-5.6", url))).toMatchObject({ status, retryable })
  })

  it.each([
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "Fri, 01 Jan 1999 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
  ])("may ask with %j to wait", async (headers, retryAfter) => {
    const { url } = await providerThat((response) => json(response, 429, {}, headers))
    expect((await failureOf(call("anthropic/m", url))).retryAfter).toBe(retryAfter)
  })

  it("of a gateway, in HTML, is quoted without its tags", async () => {
    const { url } = await providerThat((response) => {
      response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad  gateway</h1>")
    })
    expect((await failureOf(call("anthropic/m", url))).message).toBe(
      "The provider answered 502 Bad Gateway: Bad gateway",
    )
  })

  it("that redirects is not followed with the key", async () => {
    const { url, received } = await providerThat((response) => {
      response.writeHead(307, { location: "https://elsewhere.example/" }).end()
    })
    const error = await failureOf(call("anthropic/m", url))
    expect(error).toMatchObject({
      kind: "redirected",
      retryable: false,
      message: expect.stringContaining("elsewhere"),
    })
    expect(received).toHaveLength(1)
  })

  it("never comes where nobody listens", async () => {
    const error = await failureOf(call("anthropic/m", "http://127.0.0.1:1"))
    expect(error).toMatchObject({ kind: "network", retryable: true })
    expect(error.message).toContain("http://127.0.0.1:1")
  })
})
