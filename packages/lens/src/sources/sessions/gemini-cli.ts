import { field, listField, stringField } from "@sotto/core/dialect"
import type { SourceItem } from "../../call.js"
import { damaged } from "../calls.js"
import { isObject, numberOf, parsed, type SourceFields, timeOf } from "../json.js"
import type { SourceLine } from "../lines.js"
import { partialCall } from "./partial.js"

/** True for a line of `~/.gemini/tmp/…/chats/*.jsonl`: the session, a change of it, or a message. */
export function isGeminiCliLine(found: unknown): boolean {
  if (stringField(found, "sessionId") !== undefined && stringField(found, "projectHash") !== undefined)
    return true
  const isMessage = stringField(found, "type") === "user" || stringField(found, "type") === "gemini"
  return isMessage && stringField(found, "id") !== undefined && stringField(found, "timestamp") !== undefined
}

/** True for a session as older versions write it: one document, with its messages in a list. */
export function isGeminiCliDocument(found: unknown): boolean {
  return isGeminiCliLine(found) && Array.isArray(field(found, "messages"))
}

/**
 * Reads a session. A message that comes again with the same id replaces the earlier one, and has the calls of the steps
 * since. A message of the model that says what it cost is the reply to a request.
 */
export async function* geminiCliItems(
  source: string,
  lines: AsyncIterable<SourceLine>,
): AsyncGenerator<SourceItem> {
  const chat = new Chat(source)
  for await (const { number, text } of lines) {
    const line = parsed(text)
    if (!isObject(line)) yield damaged(source, number, "is damaged")
    else yield* chat.take(number, line)
  }
}

class Chat {
  readonly #source: string
  #contents: unknown[] = []
  /** Messages whose cost was told: each is one call, however often it is written. */
  readonly #counted = new Set<string>()
  /** Messages and calls of the model that stand in the conversation. */
  #said = new Set<string>()

  constructor(source: string) {
    this.#source = source
  }

  *take(number: number, line: SourceFields): Generator<SourceItem> {
    const all = isObject(line.$set) ? line.$set.messages : line.messages
    if (!Array.isArray(all)) {
      if (typeof line.type === "string") yield* this.#message(number, line)
      return
    }
    // The conversation as it is from now on: it has just begun, or was compressed or taken back.
    this.#contents = []
    this.#said = new Set()
    for (const message of all) if (isObject(message)) yield* this.#message(number, message)
  }

  *#message(number: number, message: SourceFields): Generator<SourceItem> {
    const id = stringField(message, "id") ?? String(number)
    const parts = partsOf(message.content)
    if (message.type === "user") {
      this.#contents.push({ role: "user", parts })
      return
    }
    if (message.type !== "gemini") return
    const calls = listField(message, "toolCalls").filter(
      (call) => !this.#said.has(stringField(call, "id") ?? ""),
    )
    const said = [...(this.#said.has(id) ? [] : parts), ...calls.map(callPart)]
    const { tokens } = message
    if (isObject(tokens) && !this.#counted.has(id)) {
      this.#counted.add(id)
      yield this.#call(number, message, said)
    }
    this.#said.add(id)
    for (const call of calls) this.#said.add(stringField(call, "id") ?? "")
    if (said.length > 0) this.#contents.push({ role: "model", parts: said })
    // Older versions have the results with the calls, and no message of the user for them.
    if (isObject(tokens)) {
      const results = calls.flatMap((call) => listField(call, "result"))
      if (results.length > 0) this.#contents.push({ role: "user", parts: results })
    }
  }

  #call(number: number, message: SourceFields, said: readonly unknown[]): SourceItem {
    const model = stringField(message, "model")
    const at = timeOf(message.timestamp)
    const body = { contents: [...this.#contents] }
    const reply = {
      candidates: [{ content: { role: "model", parts: said } }],
      modelVersion: model,
      usageMetadata: {
        promptTokenCount: numberOf(message.tokens, "input") ?? 0,
        cachedContentTokenCount: numberOf(message.tokens, "cached") ?? 0,
        candidatesTokenCount: numberOf(message.tokens, "output") ?? 0,
      },
    }
    return { type: "call", call: partialCall(this.#source, "gemini", { number, at, model, body, reply }) }
  }
}

function partsOf(content: unknown): readonly unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }]
  if (!Array.isArray(content)) return isObject(content) ? [partOf(content)] : []
  return content.map((part) => (isObject(part) ? partOf(part) : { text: part }))
}

/**
 * Gives a part as it is compared. A call is first written without its signature and later with it: that says nothing of
 * the wire.
 */
function partOf({ thoughtSignature: _, ...part }: SourceFields): unknown {
  return isObject(part.functionCall) ? callPart(part.functionCall) : part
}

function callPart(call: unknown): unknown {
  return {
    functionCall: { id: stringField(call, "id"), name: stringField(call, "name"), args: field(call, "args") },
  }
}
