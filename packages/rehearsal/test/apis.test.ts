import { describe, expect, it } from "vitest"
import { rehearse, type ScriptStep, WHO_SPEAKS } from "../src/index.js"
import { decodeStream, decodeWhole } from "./support/decode.js"
import { ask, DIALECTS, eventsIn, post, rehearsalFor, squeezed } from "./support/http.js"

const STEP: ScriptStep = {
  reasoning: "The user greets.",
  text: "Hello to you. 你好 🙂",
  calls: [
    { name: "read", input: { path: "a.ts" } },
    { name: "read", input: { path: "b.ts" } },
  ],
}
const TOOLS = ["read"]

describe.each(DIALECTS)("%s", (dialect) => {
  it("answers whole with what the script says", async () => {
    const response = await post(await rehearsalFor({ script: [STEP] }), ask(dialect, { tools: TOOLS }))
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/json")
    const reply = decodeWhole(dialect, await response.json())
    expect(reply.stop).toBe("tool-calls")
    expect(reply.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))).toEqual([STEP.text])
    expect(reply.parts.flatMap((part) => (part.type === "tool-call" ? [part.input] : []))).toEqual([
      { path: "a.ts" },
      { path: "b.ts" },
    ])
    expect(reply.usage?.output).toBeGreaterThan(0)
  })

  it("answers any key and none, with the version in the path, twice, or not at all", async () => {
    const rehearsal = await rehearsalFor()
    const { path, body } = ask(dialect)
    const bare = path.replace(/^\/v1(beta)?/, "")
    for (const one of [bare, `/v1${bare}`, `/v1/v1${bare}`]) {
      const init = { method: "POST", body: JSON.stringify(body) }
      expect((await fetch(`${rehearsal.url}${one}`, init)).status).toBe(200)
    }
  })

  it("streams as an event stream the same that it answers whole", async () => {
    const rehearsal = await rehearsalFor({ script: [STEP] })
    const whole = decodeWhole(dialect, await (await post(rehearsal, ask(dialect, { tools: TOOLS }))).json())
    const response = await post(rehearsal, ask(dialect, { tools: TOOLS, stream: true }))
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    const streamed = decodeStream(dialect, await response.text())
    const words = (reply: typeof whole) =>
      reply.parts.map((part) => (part.type === "tool-call" ? [part.name, part.input] : part.text))
    expect(words(streamed)).toEqual(words(whole))
    expect(streamed.stop).toBe(whole.stop)
    expect(streamed.usage).toMatchObject({ output: whole.usage?.output })
  })

  it.each(["end", "length", "refusal"] as const)("says why it ended: %s", async (stop) => {
    const rehearsal = await rehearsalFor({ script: [{ text: "Well.", stop }] })
    // Where an API has no word for a refusal by the model, its filter withholds the answer.
    const told = stop === "refusal" && dialect !== "anthropic" ? "filtered" : stop
    const response = await post(rehearsal, ask(dialect))
    expect(decodeWhole(dialect, await response.json()).stop).toBe(told)
    const stream = await post(rehearsal, ask(dialect, { stream: true }))
    expect(decodeStream(dialect, await stream.text()).stop).toBe(told)
  })

  it("lists models", async () => {
    const rehearsal = await rehearsalFor({ models: ["one", "two"] })
    const headers = { anthropic: { "anthropic-version": "2023-06-01" }, gemini: { "x-goog-api-key": "k" } }[
      dialect as "anthropic" | "gemini"
    ]
    const response = await fetch(`${rehearsal.url}/v1/models`, headers ? { headers } : {})
    const list = (await response.json()) as { data?: { id: string }[]; models?: { name: string }[] }
    expect(
      list.data?.map(({ id }) => id) ?? list.models?.map(({ name }) => name.slice("models/".length)),
    ).toEqual(["one", "two"])
  })

  it("needs no HTTP", () => {
    const { body } = ask(dialect)
    const performance = rehearse(body, dialect, { model: "gemini-3-pro" })
    expect(performance).toEqual(rehearse(body, dialect, { model: "gemini-3-pro" }))
    expect(JSON.stringify(performance)).toContain(WHO_SPEAKS)
  })
})

const stream = async (dialect: (typeof DIALECTS)[number], step: ScriptStep = STEP, model?: string) => {
  const rehearsal = await rehearsalFor({ script: [step] })
  const asked = ask(dialect, { tools: TOOLS, stream: true, ...(model && { model }) })
  return eventsIn(await (await post(rehearsal, asked)).text())
}

describe("the order of events", () => {
  it("is Anthropic's", async () => {
    const events = await stream("anthropic")
    for (const { event, data } of events) expect(data).toMatchObject({ type: event })
    expect(squeezed(events.map(({ event }) => event))).toEqual([
      "message_start",
      ...["content_block_start", "ping", "content_block_delta", "content_block_stop"],
      ...["content_block_start", "content_block_delta", "content_block_stop"],
      ...["content_block_start", "content_block_delta", "content_block_stop"],
      ...["content_block_start", "content_block_delta", "content_block_stop"],
      ...["message_delta", "message_stop"],
    ])
    const deltas = events.flatMap(({ data }) =>
      data === "[DONE]" ? [] : [(data.delta as { type?: string } | undefined)?.type],
    )
    expect(squeezed(deltas.filter(Boolean))).toEqual([
      "thinking_delta",
      "signature_delta",
      "text_delta",
      "input_json_delta",
    ])
    expect(events.at(-2)?.data).toMatchObject({ delta: { stop_reason: "tool_use", stop_sequence: null } })
  })

  it("is that of OpenAI's Responses, numbered", async () => {
    const events = await stream("openai")
    expect(events.map(({ data }) => (data === "[DONE]" ? -1 : data.sequence_number))).toEqual(
      events.map((_, i) => i),
    )
    const call = [
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
    ]
    const summary = [
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
    ]
    const text = ["content_part.added", "output_text.delta", "output_text.done", "content_part.done"]
    expect(squeezed(events.map(({ event }) => event?.replace("response.", "")))).toEqual([
      ...["created", "in_progress"],
      ...["output_item.added", ...summary, "output_item.done"],
      ...["output_item.added", ...text, "output_item.done"],
      ...call,
      ...call,
      "completed",
    ])
  })

  it("is that of Chat Completions", async () => {
    const events = await stream("openai-chat")
    const chunks = events.flatMap(({ data }) => (data === "[DONE]" ? [] : [data as unknown as Chunk]))
    expect(events.at(-1)?.data).toBe("[DONE]")
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "", refusal: null })
    const what = chunks.map(({ choices: [choice] }) => {
      if (choice === undefined) return "usage"
      if (choice.finish_reason) return choice.finish_reason
      return choice.delta.tool_calls ? `call ${choice.delta.tool_calls[0]?.index}` : "content"
    })
    expect(squeezed(what)).toEqual(["content", "call 0", "call 1", "tool_calls", "usage"])
  })

  it("is Gemini's: whole responses, the last of which says why it ended", async () => {
    const events = await stream("gemini")
    const chunks = events.map(({ data }) => data as unknown as GeminiChunk)
    expect(chunks.map(({ candidates: [one] }) => one?.finishReason).filter(Boolean)).toEqual(["STOP"])
    const calls = chunks.flatMap(
      ({ candidates: [one] }) => one?.content.parts.filter((part) => part.functionCall) ?? [],
    )
    // One signature a step, on the first call.
    expect(calls.map((call) => call.thoughtSignature !== undefined)).toEqual([true, false])
  })

  it("has no signatures before Gemini 3, and no usage in a chat that does not ask for it", async () => {
    expect(JSON.stringify(await stream("gemini", STEP, "gemini-2.5-flash"))).not.toContain("thoughtSignature")
    const rehearsal = await rehearsalFor({ script: [STEP] })
    const { path, body } = ask("openai-chat", { stream: true })
    const silent = { ...body, stream_options: undefined }
    expect(await (await post(rehearsal, { path, body: silent })).text()).not.toContain("usage")
  })

  it("is a list where Gemini is not asked for events", async () => {
    const rehearsal = await rehearsalFor({ script: [STEP] })
    const { path, body } = ask("gemini", { stream: true })
    const response = await post(rehearsal, { path: path.replace("?alt=sse", ""), body })
    expect(decodeWhole("gemini", await response.json()).parts).toHaveLength(4)
  })
})

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly tool_calls?: readonly { readonly index: number }[] }
    readonly finish_reason: string | null
  }[]
}

interface GeminiChunk {
  readonly candidates: readonly {
    readonly finishReason?: string
    readonly content: {
      readonly parts: readonly { readonly functionCall?: object; readonly thoughtSignature?: string }[]
    }
  }[]
}
