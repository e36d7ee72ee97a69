import type { Request } from "@sotto/core"
import * as aiSdk from "@sotto/core/ai-sdk"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"

/** A provider's wire format, read without any of the code that wrote it. */
export interface Wire {
  readonly name: string
  /** The models whose requests the provider's own validator knows what to make of. */
  readonly speaksTo: RegExp
  bytes(request: Request): string
  /** What the provider would refuse about the body of a request. */
  problems(request: Request): readonly unknown[]
  /** The field with the conversation, and that with the content of a message. */
  readonly conversation: "messages" | "input" | "contents"
}

const whole = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()

export const WIRES: readonly Wire[] = [
  {
    name: "anthropic",
    speaksTo: /claude/,
    bytes: (request) => whole(anthropic.encodeBytes(request)),
    problems: (request) =>
      anthropic.validateSent(anthropic.encode(request), { betas: anthropic.betasOf(request) }),
    conversation: "messages",
  },
  {
    name: "openai",
    speaksTo: /gpt/,
    bytes: (request) => whole(openai.encodeBytes(request)),
    problems: (request) => openai.validate(openai.encode(request)),
    conversation: "input",
  },
  {
    name: "openai-chat",
    speaksTo: /gpt/,
    bytes: (request) => whole(openaiChat.encodeBytes(request)),
    problems: (request) => openaiChat.validate(openaiChat.encode(request)),
    conversation: "messages",
  },
  {
    name: "gemini",
    speaksTo: /gemini/,
    bytes: (request) => whole(gemini.encodeBytes(request)),
    problems: (request) => gemini.validateSent(gemini.encode(request), { model: gemini.modelName(request) }),
    conversation: "contents",
  },
  {
    name: "ai-sdk",
    speaksTo: /./,
    bytes: (request) => JSON.stringify(aiSdk.encode(request)),
    problems: (request) => aiSdk.validate(aiSdk.encode(request)),
    conversation: "messages",
  },
]

/** What a provider caches of a body: everything before the conversation, and the messages, cache markers aside. */
export interface Sent {
  readonly head: string
  readonly messages: readonly string[]
  readonly texts: readonly SentText[]
}

/** A text that a model reads, and who it takes for its author. */
interface SentText {
  readonly by: "system" | "user"
  /** Which message of the conversation it is in; -1 for system prompt and tools. */
  readonly message: number
  readonly text: string
}

type Fields = Readonly<Record<string, unknown>>

const HEAD = ["model", "system", "instructions", "systemInstruction", "tools"]
const SDK_MARKER = /^\{"anthropic":\{"cacheControl":\{"type":"ephemeral"(,"ttl":"1h")?\}\}\}$/
const isMarker = (key: string, value: unknown) =>
  key === "cache_control" || (key === "providerOptions" && SDK_MARKER.test(JSON.stringify(value)))
const written = (value: unknown) =>
  JSON.stringify(value, (key, inner) => (isMarker(key, inner) ? undefined : inner)) ?? ""

export function readSent({ conversation }: Wire, bytes: string): Sent {
  const body: Fields = JSON.parse(bytes)
  const messages = body[conversation] as readonly Fields[]
  const head = HEAD.map((field) => body[field])
  return {
    head: written(head),
    messages: messages.map(written),
    texts: [
      ...head
        .flatMap((field) => textsIn(field))
        .map((text) => ({ by: "system", message: -1, text }) as const),
      ...messages.flatMap((message, i) => {
        const by = message.role === "system" || message.role === "developer" ? "system" : "user"
        // The conversation of a chat begins with the system prompt.
        const at = by === "system" && i === 0 ? -1 : i
        return saidByModel(message)
          ? []
          : textsIn(message).map((text) => ({ by, message: at, text }) as const)
      }),
    ],
  }
}

function saidByModel({ role, type }: Fields): boolean {
  return role === "assistant" || role === "model" || type === "function_call" || type === "reasoning"
}

/** Names, types, ids and data: what stands for something, and is not read as words. */
const NO_WORDS =
  /^(?:type|role|name|toolName|id|.*_id|toolCallId|data|url|image_url|file_data|media_type|mimeType|mediaType|detail)$/

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (value === null || typeof value !== "object") return []
  return Object.entries(value).flatMap(([key, inner]) =>
    NO_WORDS.test(key) || key === "cache_control" || key === "providerOptions" ? [] : textsIn(inner),
  )
}
