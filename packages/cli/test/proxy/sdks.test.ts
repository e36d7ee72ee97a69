import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import { startRehearsal } from "@sotto/rehearsal"
import OpenAI from "openai"
import { describe, expect, it } from "vitest"
import { proxyTo } from "./support.js"

const TEXT = "The answer has a few words, so that it comes in pieces."
const PROMPT = "What is the answer?"

/** Has an SDK talk to the stand-in for its provider, straight or through the proxy. */
type Ask = (url: string) => Promise<{ readonly text: string; readonly pieces: number }>

const SDKS: Readonly<Record<string, Ask>> = {
  async anthropic(url) {
    const client = new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0 })
    const stream = client.messages.stream({
      model: "claude-opus-5-5",
      max_tokens: 100,
      messages: [{ role: "user", content: PROMPT }],
    })
    let pieces = 0
    stream.on("text", () => pieces++)
    return { text: await stream.finalText(), pieces }
  },
  async responses(url) {
    const client = new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 })
    let [text, pieces] = ["", 0]
    for await (const event of await client.responses.create({
      model: "gpt-5.6",
      input: PROMPT,
      stream: true,
    })) {
      if (event.type !== "response.output_text.delta") continue
      text += event.delta
      pieces++
    }
    return { text, pieces }
  },
  async chat(url) {
    const client = new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 })
    let [text, pieces] = ["", 0]
    const messages = [{ role: "user" as const, content: PROMPT }]
    for await (const chunk of await client.chat.completions.create({
      model: "gpt-5.6",
      messages,
      stream: true,
    })) {
      const delta = chunk.choices[0]?.delta.content ?? ""
      text += delta
      if (delta !== "") pieces++
    }
    return { text, pieces }
  },
  async google(url) {
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url } })
    let [text, pieces] = ["", 0]
    for await (const chunk of await client.models.generateContentStream({
      model: "gemini-3-pro",
      contents: PROMPT,
    })) {
      text += chunk.text ?? ""
      pieces++
    }
    return { text, pieces }
  },
}

describe.concurrent("the official SDKs, streaming", () => {
  it.each(Object.keys(SDKS))("%s: the same answer, of the same request", async (name) => {
    const ask = SDKS[name] as Ask
    const rehearsal = await startRehearsal({ script: [{ text: TEXT }] })
    try {
      const straight = await ask(rehearsal.url)
      const proxied = await ask((await proxyTo(rehearsal.url)).url)
      expect(straight.text).toBe(TEXT)
      expect(proxied).toEqual(straight)
      const [one, other] = rehearsal.requests
      expect(rehearsal.requests).toHaveLength(2)
      expect(JSON.stringify(other?.body)).toBe(JSON.stringify(one?.body))
    } finally {
      await rehearsal.close()
    }
  })
})

describe.concurrent("what a provider refuses reaches the SDK as its own kind of error", () => {
  it("a status", async () => {
    const rehearsal = await startRehearsal({
      script: [{ text: TEXT, fail: [{ status: 529, message: "busy" }] }],
    })
    const proxy = await proxyTo(rehearsal.url)
    const failure = await SDKS.anthropic?.(proxy.url).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Anthropic.APIError)
    expect(failure).toMatchObject({ status: 529 })
    await rehearsal.close()
  })

  it("a connection that was cut", async () => {
    const rehearsal = await startRehearsal({ script: [{ text: TEXT, fail: [{ drop: "before" }] }] })
    const proxy = await proxyTo(rehearsal.url)
    await expect(SDKS.anthropic?.(proxy.url)).rejects.toBeInstanceOf(Anthropic.APIConnectionError)
    await rehearsal.close()
  })
})
