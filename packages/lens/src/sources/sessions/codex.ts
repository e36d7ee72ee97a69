import { field, jsonIn, listField, stringField } from "@sotto/core/dialect"
import type { SourceItem } from "../../call.js"
import { damaged } from "../calls.js"
import { isObject, numberOf, type SourceFields, timeOf } from "../json.js"
import type { SourceLine } from "../lines.js"
import { isOnlyOwnWords } from "./own-words.js"
import {
  leftOut,
  type MainThread,
  OtherLines,
  partialCall,
  type SessionFile,
  type SpokenMessage,
} from "./session-file.js"

const LINES = new Set([
  "session_meta",
  "response_item",
  "turn_context",
  "event_msg",
  "compacted",
  "world_state",
])

/** True for a line of `~/.codex/sessions/…/rollout-*.jsonl`. */
export function isCodexLine(found: unknown): boolean {
  return LINES.has(stringField(found, "type") ?? "") && isObject(field(found, "payload"))
}

/** What the model says; everything else in the list is said to it. */
const SAID = /^(reasoning|\w+_call|tool_search_call|program)$/

/** A session file of Codex: the items of the Responses API as they were sent and received. */
export class CodexFile implements SessionFile {
  readonly #others = new OtherLines()
  #items: SpokenMessage[] = []
  #dropped = 0
  #title: string | undefined
  #cwd: string | undefined
  #instructions: string | undefined
  #model: string | undefined

  /** Gives the request that would be made now. */
  get body(): object {
    const [model, instructions] = [this.#model, this.#instructions]
    return {
      model,
      ...(instructions !== undefined && { instructions }),
      input: this.#items.map(({ message }) => message),
    }
  }

  get model(): string | undefined {
    return this.#model
  }

  add(number: number, { type, payload }: SourceFields): void {
    switch (type) {
      case "session_meta":
        this.#instructions =
          stringField(payload, "instructions") ?? stringField(field(payload, "base_instructions"), "text")
        this.#cwd ??= stringField(payload, "cwd")
        break
      case "turn_context":
        this.#model = stringField(payload, "model") ?? this.#model
        break
      case "response_item":
        this.#items.push(spoken(number, sentItem(payload)))
        break
      case "compacted":
        this.#compacted(number, payload)
        break
      case "event_msg":
        this.#event(payload)
        break
      case "world_state":
      case "token_usage_record":
        break
      default:
        this.#others.add(type)
    }
  }

  /** Begins anew with what a compaction left. */
  #compacted(number: number, payload: unknown): void {
    const summary = stringField(payload, "message") ?? ""
    const history = listField(payload, "replacement_history").map(sentItem)
    const items = history.length === 0 ? [summaryItem(summary)] : history
    this.#dropped += this.#items.length
    this.#items = items.map((item) => {
      const isSummary = summary !== "" && !isSaid(item) && wordsOf(item).includes(summary)
      return { ...spoken(number, item), ...(isSummary && { isOwn: true }) }
    })
  }

  #event(payload: unknown): void {
    switch (stringField(payload, "type")) {
      case "thread_name_updated":
        this.#title = stringField(payload, "thread_name") ?? this.#title
        break
      case "thread_rolled_back": {
        // The user went back: what was said since does not count any more.
        const prompts = this.#items.flatMap((one, i) => (isPrompt(one) ? [i] : []))
        const turns = numberOf(payload, "num_turns") ?? 0
        const start = turns > 0 ? (prompts.at(-turns) ?? prompts[0]) : undefined
        if (start !== undefined) this.#dropped += this.#items.splice(start).length
      }
    }
  }

  mainThread(): MainThread {
    return {
      dialect: "openai",
      messages: this.#items.map(({ message, ...one }) => ({ ...one, message: asUser(message) })),
      skipped: [
        ...this.#others.skipped(),
        ...leftOut(this.#dropped, "items that were taken back, or are from before the last compaction"),
      ],
      title: this.#title,
      model: this.#model,
      cwd: this.#cwd,
    }
  }
}

interface Open {
  readonly number: number
  readonly at: number | undefined
  readonly body: object
  readonly output: unknown[]
  /** Something was said to the model since: what it says next belongs to another reply. */
  answered: boolean
}

/** Yields a call for each reply of a file, with what it cost. */
export async function* codexItems(
  source: string,
  lines: AsyncIterable<SourceLine>,
): AsyncGenerator<SourceItem> {
  const file = new CodexFile()
  let open: Open | undefined

  const finished = (usage?: unknown): SourceItem[] => {
    if (open === undefined) return []
    const { number, at, output } = open
    const { model } = file
    const body = { ...open.body, model }
    const reply = { object: "response", model, output, ...usageOf(usage) }
    open = undefined
    return [{ type: "call", call: partialCall(source, "openai", { number, at, model, body, reply }) }]
  }

  for await (const { number, text } of lines) {
    const line = jsonIn(text)
    const payload = field(line, "payload")
    if (!isObject(line) || payload === undefined) {
      yield damaged(source, number, "is damaged")
      continue
    }
    switch (stringField(line, "type")) {
      case "response_item": {
        const item = sentItem(payload)
        if (isSaid(item)) {
          if (open?.answered) yield* finished()
          open ??= { number, at: timeOf(line.timestamp), body: file.body, output: [], answered: false }
          open.output.push(item)
        } else if (open !== undefined) open.answered = true
        break
      }
      case "token_usage_record":
        yield* finished(field(payload, "usage"))
        break
      case "event_msg":
        // Before 0.160 or so, this is the only word about the cost.
        if (stringField(payload, "type") === "token_count")
          yield* finished(field(field(payload, "info"), "last_token_usage"))
        break
      case "compacted":
        yield* finished()
        break
    }
    file.add(number, line)
  }
  yield* finished()
}

function spoken(number: number, item: unknown): SpokenMessage {
  return { number, message: item, isOwn: stringField(item, "role") === "developer" }
}

function isSaid(item: unknown): boolean {
  if (SAID.test(stringField(item, "type") ?? "")) return true
  return stringField(item, "role") === "assistant"
}

/** True for what opens a turn. Codex speaks as the user too, between tags or under a heading of its own. */
function isPrompt({ message, isOwn }: SpokenMessage): boolean {
  return !isOwn && stringField(message, "role") === "user" && !isOnlyOwnWords(wordsOf(message))
}

function wordsOf(item: unknown): string {
  return listField(item, "content")
    .map((part) => stringField(part, "text") ?? "")
    .join("\n")
}

/** Gives an item as it goes over the wire, without what Codex notes about it for itself. */
function sentItem(payload: unknown): unknown {
  if (!isObject(payload)) return payload
  const { internal_chat_message_metadata_passthrough: _, id: __, ...item } = payload
  return item
}

/** Makes a developer message a user message: in a session file it is never the system prompt. */
function asUser(item: unknown): unknown {
  return isObject(item) && item.role === "developer" ? { ...item, role: "user" } : item
}

function summaryItem(text: string): unknown {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] }
}

function usageOf(usage: unknown): object {
  const input = numberOf(usage, "input_tokens")
  if (input === undefined) return {}
  return {
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: numberOf(usage, "cached_input_tokens") ?? 0 },
      output_tokens: numberOf(usage, "output_tokens") ?? 0,
    },
  }
}
