import Anthropic from "@anthropic-ai/sdk"
import type { Reply } from "@sotto/core"
import OpenAI from "openai"
import { describe, expect, it, test } from "vitest"
import type { ScriptedFailure, ScriptStep } from "../src/index.js"
import { decodeStream, decodeWhole } from "./support/decode.js"
import { ask, DIALECTS, post, rehearsalFor } from "./support/http.js"

const failing = (...fail: readonly ScriptedFailure[]): readonly ScriptStep[] => [
  { text: "Here I am, after all that.", calls: [{ name: "read", input: { path: "a.ts" } }], fail },
]

describe.each(DIALECTS)("%s", (dialect) => {
  it.each([429, 500, 503, 529])(
    "fails once with %i, and serves the same request sent again",
    async (status) => {
      const rehearsal = await rehearsalFor({ script: failing({ status, retryAfter: 2 }) })
      const asked = ask(dialect, { tools: ["read"], stream: true })
      const failed = await post(rehearsal, asked)
      expect(failed.status).toBe(status)
      expect(failed.headers.get("retry-after")).toBe("2")
      expect(await failed.json()).toMatchObject({
        error: expect.objectContaining({ message: expect.any(String) }),
      })
      expect(callsIn(decodeStream(dialect, await (await post(rehearsal, asked)).text()))).toEqual([
        { path: "a.ts" },
      ])
      expect(rehearsal.requests.map((seen) => seen.status)).toEqual([status, 200])
    },
  )

  it("fails as many times as the script says", async () => {
    const rehearsal = await rehearsalFor({
      script: failing({ status: 429 }, { status: 529 }, { drop: "before" }),
    })
    const statuses = []
    for (let i = 0; i < 4; i++)
      statuses.push(
        await post(rehearsal, ask(dialect)).then(
          ({ status }) => status,
          () => "dropped",
        ),
      )
    expect(statuses).toEqual([429, 529, "dropped", 200])
  })

  it.each([true, false])(
    "drops the connection before the first byte or in the middle (streaming: %s)",
    async (stream) => {
      const rehearsal = await rehearsalFor({ script: failing({ drop: "before" }, { drop: "middle" }) })
      const asked = ask(dialect, { tools: ["read"], stream })
      await expect(post(rehearsal, asked)).rejects.toThrow("fetch failed")
      const broken = await post(rehearsal, asked)
      expect(broken.status).toBe(200)
      const { text, error } = await readAsFarAsItGoes(broken)
      expect(text).toContain(stream ? "data: " : "{")
      expect(error).toBeDefined()
      expect((await post(rehearsal, asked)).status).toBe(200)
      expect(rehearsal.requests.map(({ cut }) => cut)).toEqual(["before", "middle", undefined])
    },
  )

  it("bills every answer that began, with what it had told of the tokens when it ended", async () => {
    const rehearsal = await rehearsalFor({
      script: failing({ status: 429 }, { drop: "before" }, { drop: "middle" }),
    })
    const asked = ask(dialect, { tools: ["read"], stream: true })
    await post(rehearsal, asked)
    await expect(post(rehearsal, asked)).rejects.toThrow("fetch failed")
    await readAsFarAsItGoes(await post(rehearsal, asked))
    await (await post(rehearsal, asked)).text()
    const [broken, whole] = rehearsal.billed
    expect(rehearsal.billed).toHaveLength(2)
    expect(broken?.dialect).toBe(dialect)
    // Anthropic tells the input first and one token of output, Gemini the input with every event, OpenAI all at the end.
    const told = { anthropic: 1, gemini: 0, openai: undefined, "openai-chat": undefined }[dialect]
    expect(broken?.tokens?.output).toBe(told)
    expect(whole?.tokens?.output).toBeGreaterThan(1)
    if (told !== undefined) expect(broken?.tokens?.input).toBe(whole?.tokens?.input)
    const unbroken = await rehearsalFor({ script: failing() })
    await (await post(unbroken, ask(dialect, { tools: ["read"], stream: false }))).text()
    expect(unbroken.billed).toMatchObject([{ dialect, tokens: { output: whole?.tokens?.output } }])
  })

  it("breaks off a stream with an error event, or a whole response with a status", async () => {
    const rehearsal = await rehearsalFor({ script: failing({ event: 529 }) })
    const stream = await post(rehearsal, ask(dialect, { tools: ["read"], stream: true }))
    expect(stream.status).toBe(200)
    const text = await stream.text()
    expect(() => decodeStream(dialect, text)).toThrow(expect.objectContaining({ retryable: true }))
    expect((await post(rehearsal, ask(dialect, { tools: ["read"] }))).status).toBe(529)
  })

  it("writes tool input that is not JSON", async () => {
    const rehearsal = await rehearsalFor({ script: failing({ malformed: true }) })
    const stream = await post(rehearsal, ask(dialect, { tools: ["read"], stream: true }))
    const reply = decodeStream(dialect, await stream.text())
    // Gemini gives no call at all, and says why it ended.
    if (dialect === "gemini") expect(reply).toMatchObject({ stop: "malformed" })
    else expect(callsIn(reply)).toEqual([{ malformed: '{"path":"a.ts"' }])
  })

  it("calls nothing where it may not, unless told to disobey", async () => {
    const calls = [{ name: "read", input: { path: "a.ts" } }]
    for (const disobey of [false, true]) {
      const rehearsal = await rehearsalFor({ script: [{ calls, disobey }] })
      const response = await post(rehearsal, ask(dialect, { tools: ["read"], mayCall: false }))
      const reply = decodeWhole(dialect, await response.json())
      expect(callsIn(reply)).toHaveLength(disobey ? 1 : 0)
      expect(reply.stop).toBe(disobey ? "tool-calls" : "end")
    }
  })

  it("is slow when told to", async () => {
    const rehearsal = await rehearsalFor({
      script: [{ text: "one two three four five", delay: 20, tokenDelay: 10 }],
    })
    const start = performance.now()
    await (await post(rehearsal, ask(dialect, { stream: true }))).text()
    expect(performance.now() - start).toBeGreaterThan(60)
  })
})

test("a client that leaves in the middle does not disturb the rest", async () => {
  const rehearsal = await rehearsalFor({ script: [{ text: "word ".repeat(1_000), tokenDelay: 5 }] })
  const { path, body } = ask("anthropic", { stream: true })
  const leave = new AbortController()
  const response = await fetch(`${rehearsal.url}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    signal: leave.signal,
  })
  const reader = response.body?.getReader()
  await reader?.read()
  leave.abort()
  await expect(reader?.read()).rejects.toThrow("aborted")
  expect((await post(rehearsal, ask("openai"))).status).toBe(200)
})

describe("the official SDKs", () => {
  const failures: readonly ScriptedFailure[] = [
    { status: 429, retryAfter: 0.01 },
    { status: 500, retryAfter: 0.01 },
  ]

  it("retry by themselves, with the same body, and get the step", async () => {
    const rehearsal = await rehearsalFor({ script: failing(...failures) })
    const client = new Anthropic({ apiKey: "none", baseURL: rehearsal.url })
    const { path: _, body } = ask("anthropic", { tools: ["read"] })
    const message = await client.messages.create(body as Anthropic.MessageCreateParamsNonStreaming)
    expect(message.stop_reason).toBe("tool_use")
    expect(rehearsal.requests.map(({ status }) => status)).toEqual([429, 500, 200])
  })

  it("throw their own errors", async () => {
    const rehearsal = await rehearsalFor({ script: failing(...failures, { event: 500 }, { drop: "middle" }) })
    const client = new OpenAI({ apiKey: "none", baseURL: `${rehearsal.url}/v1`, maxRetries: 0 })
    const call = async () => {
      const body = ask("openai", { stream: true }).body as OpenAI.Responses.ResponseCreateParamsStreaming
      for await (const event of await client.responses.create(body))
        if (event.type === "error") throw new Error(event.message)
    }
    await expect(call()).rejects.toThrow(OpenAI.RateLimitError)
    await expect(call()).rejects.toThrow(OpenAI.InternalServerError)
    await expect(call()).rejects.toThrow("Internal server error (rehearsed)")
    await expect(call()).rejects.toThrow()
    await expect(call()).resolves.toBeUndefined()
  })
})

function callsIn(reply: Reply): readonly unknown[] {
  return reply.parts.flatMap((part) => (part.type === "tool-call" ? [part.input] : []))
}

async function readAsFarAsItGoes(response: Response): Promise<{ text: string; error?: unknown }> {
  let text = ""
  try {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk)
  } catch (error) {
    return { text, error }
  }
  return { text }
}
