import type { Session } from "@sotto/core"
import { prepareStep, type StepAdapter } from "@sotto/core/ai-sdk"
import {
  generateText,
  isLoopFinished,
  type LanguageModel,
  type StopCondition,
  streamText,
  type ToolSet,
  tool,
} from "ai"
import { MockLanguageModelV3, simulateReadableStream } from "ai/test"
import { expect } from "vitest"
import { z } from "zod"

type Generated = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>
type Content = Generated["content"][number]
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never
export type Prompted = MockLanguageModelV3["doGenerateCalls"][number]

export const text = (words: string): Content => ({ type: "text", text: words })

export const call = (toolCallId: string, path = toolCallId): Content => ({
  type: "tool-call",
  toolCallId,
  toolName: "read",
  input: JSON.stringify({ path }),
})

const USAGE: Generated["usage"] = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: 0 },
  outputTokens: { total: 3, text: 3, reasoning: 0 },
}

/** A model that says what is written for it, whole or as a stream, and keeps what it was asked. */
export function scripted(...script: readonly (readonly Content[] | Error)[]) {
  let said = 0
  const next = () => {
    const content = script[said++] ?? [text("(nothing more is written)")]
    if (content instanceof Error) throw content
    const called = content.some(({ type }) => type === "tool-call")
    const finishReason = { unified: called ? "tool-calls" : "stop", raw: undefined } as const
    return { content: [...content], finishReason, usage: USAGE, warnings: [] }
  }
  return new MockLanguageModelV3({
    doGenerate: async () => next(),
    doStream: async () => {
      const { content, finishReason, usage } = next()
      const chunks = [...content.flatMap(streamed), { type: "finish", finishReason, usage } as const]
      return {
        stream: simulateReadableStream<StreamPart>({ chunks, initialDelayInMs: null, chunkDelayInMs: null }),
      }
    },
  })
}

function streamed(part: Content, index: number): readonly StreamPart[] {
  const id = `${index}`
  switch (part.type) {
    case "text":
      return [
        { type: "text-start", id },
        { type: "text-delta", id, delta: part.text },
        { type: "text-end", id },
      ]
    case "reasoning": {
      const signed = part.providerMetadata ? { providerMetadata: part.providerMetadata } : {}
      return [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta: part.text },
        { type: "reasoning-end", id, ...signed },
      ]
    }
    case "tool-call":
      return [part]
    default:
      return []
  }
}

export type Read = (path: string) => string | Promise<string>

export const tools = (read: Read) => ({
  read: tool({
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => read(path),
  }),
})

export interface RunOptions {
  readonly read?: Read
  readonly tools?: ToolSet
  readonly stopWhen?: StopCondition<ToolSet>
  /** How the adapter is called, where that is what a test is about. */
  readonly prepare?: (adapter: StepAdapter, step: Parameters<StepAdapter>[0]) => ReturnType<StepAdapter>
}

/** One run of the SDK's own loop. The prompt it insists on is replaced at every step. */
export async function runSdk(
  loop: "generateText" | "streamText",
  session: Session,
  model: LanguageModel,
  {
    read = (path) => `contents of ${path}`,
    prepare = (adapter, step) => adapter(step),
    ...given
  }: RunOptions = {},
): Promise<void> {
  const adapter = prepareStep(session)
  const settings = {
    model,
    prompt: "(replaced)",
    tools: given.tools ?? tools(read),
    prepareStep: (step: Parameters<StepAdapter>[0]) => prepare(adapter, step),
    onStepFinish: adapter.onStepFinish,
    stopWhen: given.stopWhen ?? isLoopFinished(),
    maxRetries: 0,
  }
  if (loop === "generateText") {
    await generateText(settings)
    return
  }
  let failure: unknown
  const result = streamText({
    ...settings,
    onError: ({ error }) => {
      failure = error
    },
  })
  await result.consumeStream()
  if (failure !== undefined) throw failure
}

export function promptsOf({ doGenerateCalls, doStreamCalls }: MockLanguageModelV3): readonly Prompted[] {
  return [...doGenerateCalls, ...doStreamCalls]
}

/** Each list's items, cache markers aside, are the first of the next one's. */
export function expectAppended(lists: readonly (readonly unknown[])[]): void {
  const flat = lists.map((messages) => messages.flatMap(itemsOf))
  flat.forEach((items, i) => {
    const before = flat[i - 1] ?? []
    expect(items.slice(0, before.length)).toEqual(before)
  })
}

function itemsOf(message: unknown): readonly string[] {
  const { role, content } = message as { readonly role: string; readonly content: unknown }
  return (Array.isArray(content) ? content : [content]).map((part) => `${role} ${withoutMarkers(part)}`)
}

function withoutMarkers(part: unknown): string {
  const marked = /,"providerOptions":\{"anthropic":\{"cacheControl":\{"type":"ephemeral"(,"ttl":"1h")?\}\}\}/g
  return JSON.stringify(part).replaceAll(marked, "")
}
