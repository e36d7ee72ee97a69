import type { Reply } from "@sotto/core"
import { decode as anthropic, decoder as anthropicStream } from "@sotto/core/anthropic"
import { decode as gemini, decoder as geminiStream } from "@sotto/core/gemini"
import { decode as openai, decoder as openaiStream } from "@sotto/core/openai"
import { decode as chat, decoder as chatStream } from "@sotto/core/openai-chat"
import type { CallResponse, HttpDialectName } from "../call.js"

const WHOLE = { anthropic, openai, "openai-chat": chat, gemini } as const
const STREAM = {
  anthropic: anthropicStream,
  openai: openaiStream,
  "openai-chat": chatStream,
  gemini: geminiStream,
} as const

/**
 * Reads what the model answered, as far as the response can be read. A response that ends early gives what came before.
 */
export function replyIn(response: CallResponse | undefined, dialect: HttpDialectName): Reply | undefined {
  if (response === undefined || (response.status ?? 200) >= 400) return undefined
  const text = response.text?.trimStart() ?? ""
  try {
    if (response.body !== undefined) return WHOLE[dialect](response.body)
    if (text.startsWith("{") || text.startsWith("[")) return WHOLE[dialect](JSON.parse(text))
  } catch {
    return undefined
  }
  return text === "" ? undefined : streamed(text, dialect)
}

function streamed(text: string, dialect: HttpDialectName): Reply | undefined {
  const stream = STREAM[dialect]()
  try {
    for (const data of dataOf(text)) stream.push(data)
  } catch {
    // What came before the damage is the reply as far as it is known.
  }
  try {
    return stream.soFar()
  } catch {
    return undefined
  }
}

function* dataOf(text: string): Generator<string> {
  for (const event of text.split(/\r?\n\r?\n/)) {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"))
    if (lines.length > 0) yield lines.map((line) => line.slice("data:".length).trim()).join("\n")
  }
}
