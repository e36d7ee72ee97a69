import { field, jsonIn, listField, stringField } from "@sotto/core/dialect"
import type { SourceItem } from "../../call.js"
import { damaged } from "../calls.js"
import { isObject, numberOf, type SourceFields, timeOf } from "../json.js"
import type { SourceLine } from "../lines.js"
import {
  leftOut,
  type MainThread,
  partialCall,
  type SessionFile,
  type SessionStep,
  type SpokenMessage,
} from "./session-file.js"

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
 * A session of Gemini CLI. A message that comes again with the same id replaces the earlier one, and has the calls of
 * the steps since. A message of the model that says what it cost is the reply to a request.
 */
export class GeminiCliFile implements SessionFile {
  #contents: Content[] = []
  /** Messages whose cost was told: each is one call, however often it is written. */
  readonly #counted = new Set<string>()
  /** Messages and calls of the model that stand in the conversation. */
  #said = new Set<string>()
  #notices = 0
  #dropped = 0
  #title: string | undefined
  #model: string | undefined

  /** Takes what a document says of the session, beside its messages. */
  constructor(about?: unknown) {
    this.#title = stringField(about, "summary")
  }

  /** Takes a line in: a message, or the conversation as it is from now on. Returns the steps of which it has the reply. */
  add(number: number, line: SourceFields): readonly SessionStep[] {
    this.#title = stringField(line.$set, "summary") ?? stringField(line, "summary") ?? this.#title
    if (typeof line.$rewindTo === "string") this.#rewind(line.$rewindTo)
    const all = isObject(line.$set) ? line.$set.messages : line.messages
    if (!Array.isArray(all)) return typeof line.type === "string" ? this.#message(number, line) : []
    // It has just begun, or was compressed or taken back.
    this.#contents = []
    this.#said = new Set()
    this.#notices = 0
    return all.filter(isObject).flatMap((message) => this.#message(number, message))
  }

  mainThread(): MainThread {
    return {
      dialect: "gemini",
      messages: this.#contents,
      skipped: [
        ...leftOut(this.#notices, "notices of the other harness"),
        ...leftOut(this.#dropped, "messages that were taken back"),
      ],
      title: this.#title,
      model: this.#model,
    }
  }

  /** Drops the message that the user went back to, and all since. */
  #rewind(id: string): void {
    const at = this.#contents.findIndex((one) => one.id === id)
    if (at >= 0) this.#dropped += this.#contents.splice(at).length
  }

  #message(number: number, message: SourceFields): readonly SessionStep[] {
    const id = stringField(message, "id") ?? String(number)
    const parts = partsOf(message.content)
    if (message.type === "user") {
      this.#push(number, id, "user", parts)
      return []
    }
    if (message.type !== "gemini") {
      this.#notices++
      return []
    }
    const calls = listField(message, "toolCalls").filter(
      (call) => !this.#said.has(stringField(call, "id") ?? ""),
    )
    const said = [...(this.#said.has(id) ? [] : parts), ...calls.map(callPart)]
    const { tokens } = message
    this.#model = stringField(message, "model") ?? this.#model
    const isReply = isObject(tokens) && !this.#counted.has(id)
    const steps = isReply ? [this.#step(number, message, said)] : []
    if (isReply) this.#counted.add(id)
    if (parts.length > 0) this.#said.add(id)
    for (const call of calls) this.#said.add(stringField(call, "id") ?? "")
    if (said.length > 0) this.#push(number, id, "model", said)
    // Older versions have the results with the calls, and no message of the user for them.
    if (isObject(tokens)) {
      const results = calls.flatMap((call) => listField(call, "result"))
      if (results.length > 0) this.#push(number, id, "user", results)
    }
    return steps
  }

  #push(number: number, id: string, role: "user" | "model", parts: readonly unknown[]): void {
    this.#contents.push({ number, id, isOwn: false, message: { role, parts } })
  }

  #step(number: number, message: SourceFields, said: readonly unknown[]): SessionStep {
    const model = stringField(message, "model")
    const reply = {
      candidates: [{ content: { role: "model", parts: said } }],
      modelVersion: model,
      usageMetadata: {
        promptTokenCount: numberOf(message.tokens, "input") ?? 0,
        cachedContentTokenCount: numberOf(message.tokens, "cached") ?? 0,
        candidatesTokenCount: numberOf(message.tokens, "output") ?? 0,
      },
    }
    const body = { contents: this.#contents.map((one) => one.message) }
    return { number, at: timeOf(message.timestamp), model, body, reply }
  }
}

interface Content extends SpokenMessage {
  /** Of the message that it came with. */
  readonly id: string
}

/** Yields a call for each reply of a session. */
export async function* geminiCliItems(
  source: string,
  lines: AsyncIterable<SourceLine>,
): AsyncGenerator<SourceItem> {
  const file = new GeminiCliFile()
  for await (const { number, text } of lines) {
    const line = jsonIn(text)
    if (!isObject(line)) yield damaged(source, number, "is damaged")
    else
      for (const step of file.add(number, line))
        yield { type: "call", call: partialCall(source, "gemini", step) }
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
