import type { Delta, Reply } from "@sotto/core"
import { WHO_SPEAKS } from "@sotto/rehearsal"
import { describe, expect, it, onTestFinished, test } from "vitest"
import { callModel } from "../src/models/call.js"
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

const STEP = { text: "I read it: naïve 🙂.", calls: [{ name: "read", input: { path: "a.ts" } }] }

describe.each(MODELS)("%s", (model) => {
  it("streams, and gives the reply that the stream brought", async () => {
    const rehearsal = await rehearsalFor({ script: [STEP] })
    const deltas: Delta[] = []
    let said: (() => Reply) | undefined
    const partials: Reply[] = []
    const reply = await callModel(resolveModel(model, environment(rehearsal.url)), asking(model), {
      onDelta: (delta) => {
        deltas.push(delta)
        if (said) partials.push(said())
      },
      onPartial: (read) => {
        said = read
      },
      encode: { maxTokens: 500 },
    })
    const text = (parts: readonly { type: string; text?: string }[]) =>
      parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
    expect(text(deltas)).toBe(STEP.text)
    expect(text(reply.parts)).toBe(STEP.text)
    expect(deltas.at(-1)).toMatchObject({ type: "tool-call", name: "read", input: { path: "a.ts" } })
    expect(reply).toMatchObject({ stop: "tool-calls", usage: { output: expect.any(Number) } })
    expect(partials).toHaveLength(deltas.length)
    expect(text(partials.at(-1)?.parts ?? [])).toBe(STEP.text)
    expect(JSON.stringify(rehearsal.requests[0]?.body)).toContain("500")
  })

  it("goes on with the session, append-only, through to its end", async () => {
    const rehearsal = await rehearsalFor({ script: [STEP, { text: "Done." }] })
    const target = resolveModel(model, environment(rehearsal.url))
    const session = sessionOf(target.name)
    session.say("Read it")
    const first = requestOf(session)
    session.reply(first.id, await callModel(target, first))
    const waiting = session.next()
    for (const { id } of waiting.is === "waiting" ? waiting.calls : []) session.result(id, "its content")
    const second = requestOf(session)
    session.reply(second.id, await callModel(target, second))
    expect(session.next().is).toBe("idle")
    expect(rehearsal.requests.map(({ status }) => status)).toEqual([200, 200])
  })
})

test("the body has its length, and the key goes in its header", async () => {
  const { url, received } = await providerThat((response) => {
    response.writeHead(200, EVENTS).end(anthropicStream("Hi"))
  })
  const words = "ü🙂".repeat(20_000)
  await callModel(
    resolveModel("anthropic/claude-opus-5-5", environment(url)),
    asking("anthropic/claude-opus-5-5", words),
  )
  const [seen] = received
  expect(seen).toMatchObject({
    path: "/v1/messages",
    headers: { "x-api-key": "key-a", "anthropic-version": "2023-06-01", "content-type": "application/json" },
  })
  expect(seen?.headers["content-length"]).toBe(String(Buffer.byteLength(seen?.body ?? "")))
  expect(seen?.headers["transfer-encoding"]).toBeUndefined()
  expect(JSON.parse(seen?.body ?? "")).toMatchObject({ model: "claude-opus-5-5", stream: true })
  expect(seen?.body).toContain(words)
})

test("a call that is stopped just before it is sent leaves no clock behind", async () => {
  const { url } = await providerThat((response) => void response.end())
  const stopping = new AbortController()
  const clocks = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
  const before = clocks()
  const call = callModel(resolveModel("anthropic/m", environment(url)), asking("anthropic/m"), {
    signal: stopping.signal,
    after: async () => {
      stopping.abort(new Error("stopped"))
      // Until the connection has closed, too.
      for (let i = 0; i < 20; i++) await new Promise(setImmediate)
    },
  })
  await expect(call).rejects.toThrow("stopped")
  expect(clocks()).toBe(before)
})

test("a character that comes in two pieces stays whole", async () => {
  const { url } = await providerThat(async (response) => {
    response.writeHead(200, EVENTS)
    response.socket?.setNoDelay(true)
    for (const byte of Buffer.from(anthropicStream("naïve ", "🙂🙃 ", "終わり")))
      await new Promise((resolve) => response.write(Uint8Array.of(byte), resolve))
    response.end()
  })
  const reply = await callModel(resolveModel("anthropic/m", environment(url)), asking("anthropic/m"))
  expect(reply.parts).toEqual([{ type: "text", text: "naïve 🙂🙃 終わり" }])
})

test("a server that does not stream is understood all the same", async () => {
  const { url } = await providerThat((response) =>
    json(response, 200, {
      choices: [
        {
          message: { content: "Hi", tool_calls: [{ id: "c1", function: { name: "read", arguments: "{}" } }] },
          finish_reason: "tool_calls",
        },
      ],
    }),
  )
  const deltas: Delta[] = []
  const onDelta = (delta: Delta) => deltas.push(delta)
  const reply = await callModel(resolveModel("openai-chat/m", environment(url)), asking("openai-chat/m"), {
    onDelta,
  })
  expect(reply.stop).toBe("tool-calls")
  expect(deltas.map(({ type }) => type)).toEqual(["text", "tool-call-start", "tool-call"])
})

describe("the rehearsal", () => {
  it.each(["rehearsal/tour", "rehearsal/claude-opus-5-5", "rehearsal/gpt-5.6", "rehearsal/gemini-3-pro"])(
    "plays %s without a key, and says what it is",
    async (model) => {
      const target = resolveModel(model, {})
      onTestFinished(() => target.close())
      const reply = await callModel(target, asking(target.name))
      expect(JSON.stringify(reply.parts)).toContain(WHO_SPEAKS)
    },
  )

  it("plays a script, is started once, and can be closed and used again", async () => {
    const target = resolveModel("rehearsal/tour", {}, { script: { steps: [{ text: "As written." }] } })
    expect(await target.url()).toBe(await target.url())
    expect((await callModel(target, asking(target.name))).parts).toEqual([
      { type: "text", text: "As written." },
    ])
    await target.close()
    await target.close()
    expect((await callModel(target, asking(target.name))).stop).toBe("end")
    await target.close()
  })
})

describe("a gateway that refuses cache breakpoints", () => {
  const stream = (text: string) => {
    const item = { type: "message", role: "assistant", content: [{ type: "output_text", text }] }
    const response = { id: "resp_1", status: "completed", output: [item], usage: { input_tokens: 3 } }
    return [
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join("")
  }

  it("is asked again without them at once, and from then on", async () => {
    const { url, received } = await providerThat((response) => {
      const { body = "" } = received.at(-1) ?? {}
      if (body.includes("prompt_cache_options"))
        return json(response, 400, {
          error: { message: "Unrecognized request argument: prompt_cache_options" },
        })
      response.writeHead(200, EVENTS).end(stream("Hello."))
    })
    const model = "openai/gpt-5.6"
    const target = resolveModel(model, { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "key" })
    let asked = 0
    const after = async () => {
      asked++
    }
    for (let call = 0; call < 2; call++) {
      const reply = await callModel(target, asking(model), { after })
      expect(reply.parts).toMatchObject([{ type: "text", text: "Hello." }])
    }
    expect(received.map(({ body }) => body.includes("prompt_cache_options"))).toEqual([true, false, false])
    // Each attempt waits for the disk.
    expect(asked).toBe(3)
  })

  it("that refuses something else is not asked again", async () => {
    const { url, received } = await providerThat((response) =>
      json(response, 400, { error: { message: "Unknown parameter: tools" } }),
    )
    const model = "openai/gpt-5.6"
    const target = resolveModel(model, { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "key" })
    await expect(callModel(target, asking(model))).rejects.toThrow("Unknown parameter: tools")
    expect(received).toHaveLength(1)
  })
})
