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

/** True for a message of a session with its parts, as `opencode export` and its server give it. */
export function isOpencodeMessage(found: unknown): boolean {
  const info = field(found, "info")
  return Array.isArray(field(found, "parts")) && stringField(info, "role") !== undefined
}

interface Turn {
  readonly number: number
  readonly message: { readonly role: "user" | "assistant"; readonly content: readonly unknown[] }
  readonly isSummary: boolean
}

interface Session {
  turns: Turn[]
  /** Turns from before the last summary. */
  dropped: number
  model: string | undefined
}

/**
 * Messages of a session of opencode. A message of the assistant is a step, or several. The messages of a session follow
 * each other; those of several sessions may be mixed.
 */
export class OpencodeFile implements SessionFile {
  readonly #sessions = new Map<string, Session>()
  /** Blocks that opencode added to what the user said. */
  readonly #own = new Set<unknown>()
  readonly #about: { readonly title?: string | undefined; readonly cwd?: string | undefined }

  /** Takes what an export says of the session, beside its messages. */
  constructor(about?: unknown) {
    this.#about = { title: stringField(about, "title"), cwd: stringField(about, "directory") }
  }

  /** Takes a message in. Returns the steps of which it is the reply. */
  add(number: number, message: SourceFields): readonly SessionStep[] {
    const info = isObject(message.info) ? message.info : {}
    const session = this.#session(stringField(info, "sessionID") ?? "")
    const parts = listField(message, "parts")
    if (info.role !== "assistant") {
      session.turns.push(turn(number, "user", this.#said(parts)))
      return []
    }
    const model = stringField(info, "modelID")
    session.model = model ?? session.model
    const at = timeOf(field(info.time, "created"))
    const found: SessionStep[] = []
    for (const step of stepsOf(parts, info)) {
      const content = this.#said(step.parts)
      const reply = { type: "message", role: "assistant", model, content, ...usageOf(step.tokens) }
      const body = { model, messages: session.turns.map((one) => one.message) }
      if (content.length > 0 || step.tokens !== undefined) found.push({ number, at, model, body, reply })
      const isSummary = info.summary === true
      // A summary stands for all that was said before it.
      if (isSummary) session.dropped += session.turns.splice(0).length
      if (content.length > 0) session.turns.push(turn(number, "assistant", content, isSummary))
      const results = step.parts.flatMap(resultOf)
      if (results.length > 0) session.turns.push(turn(number, "user", results))
    }
    return found
  }

  mainThread(): MainThread {
    const [main, ...others] = [...this.#sessions.values()]
    const count = others.reduce((sum, { turns, dropped }) => sum + turns.length + dropped, 0)
    return {
      dialect: "anthropic",
      messages: main?.turns.flatMap((turn) => this.#spoken(turn)) ?? [],
      skipped: [
        ...leftOut(count, "messages of other sessions, such as those of subagents"),
        ...leftOut(main?.dropped ?? 0, "messages from before the last compaction"),
      ],
      ...this.#about,
      model: main?.model,
    }
  }

  #session(id: string): Session {
    const session = this.#sessions.get(id) ?? { turns: [], dropped: 0, model: undefined }
    this.#sessions.set(id, session)
    return session
  }

  #said(parts: readonly unknown[]): readonly unknown[] {
    return parts.flatMap((part) => {
      const blocks = said(part)
      if (field(part, "synthetic") === true) for (const block of blocks) this.#own.add(block)
      return blocks
    })
  }

  /** Makes a message of each stretch of a turn that the same one said. */
  #spoken({ number, message: { role, content }, isSummary }: Turn): readonly SpokenMessage[] {
    if (isSummary)
      return [{ number, isOwn: true, message: { role: "user", content: content.filter(isText) } }]
    const stretches: { readonly isOwn: boolean; readonly content: unknown[] }[] = []
    for (const block of content) {
      const isOwn = this.#own.has(block)
      if (stretches.at(-1)?.isOwn !== isOwn) stretches.push({ isOwn, content: [] })
      stretches.at(-1)?.content.push(block)
    }
    return stretches.map(({ isOwn, content }) => ({ number, isOwn, message: { role, content } }))
  }
}

function turn(
  number: number,
  role: "user" | "assistant",
  content: readonly unknown[],
  isSummary = false,
): Turn {
  return { number, message: { role, content }, isSummary }
}

/** Yields a call for each step of a session. */
export async function* opencodeItems(
  source: string,
  lines: AsyncIterable<SourceLine>,
): AsyncGenerator<SourceItem> {
  const file = new OpencodeFile()
  for await (const { number, text } of lines) {
    const message = jsonIn(text)
    if (!isOpencodeMessage(message) || !isObject(message)) {
      yield damaged(source, number, "is damaged")
      continue
    }
    for (const step of file.add(number, message))
      yield { type: "call", call: partialCall(source, "anthropic", step) }
  }
}

interface Step {
  readonly parts: readonly unknown[]
  readonly tokens: unknown
}

/** Lists what the model said in one message, at each of the steps that it says were finished. */
function stepsOf(parts: readonly unknown[], info: unknown): readonly Step[] {
  const steps: Step[] = []
  let open: unknown[] = []
  for (const part of parts) {
    if (stringField(part, "type") === "step-finish") {
      steps.push({ parts: open, tokens: field(part, "tokens") })
      open = []
    } else if (stringField(part, "type") !== "step-start") open.push(part)
  }
  if (steps.length === 0) return [{ parts: open, tokens: field(info, "tokens") }]
  return open.length > 0 ? [...steps, { parts: open, tokens: undefined }] : steps
}

function said(part: unknown): readonly unknown[] {
  switch (stringField(part, "type")) {
    case "text":
      return field(part, "ignored") === true ? [] : [{ type: "text", text: stringField(part, "text") ?? "" }]
    case "reasoning":
      return [{ type: "thinking", thinking: stringField(part, "text") ?? "", signature: "" }]
    case "tool":
      return [
        {
          type: "tool_use",
          id: stringField(part, "callID"),
          name: stringField(part, "tool"),
          input: field(field(part, "state"), "input") ?? {},
        },
      ]
    case "file":
      return [fileBlock(part)]
    default:
      return []
  }
}

/** Gives a file with its bytes, where the session has them, and else by its name. */
function fileBlock(part: unknown): unknown {
  const name = stringField(part, "filename") ?? ""
  const mime = stringField(part, "mime") ?? ""
  const data = /^data:[^,]*;base64,(.*)$/s.exec(stringField(part, "url") ?? "")?.[1]
  if (data === undefined || mime.startsWith("text/")) return { type: "text", text: `[${mime}: ${name}]` }
  const type = mime.startsWith("image/") ? "image" : "document"
  return { type, source: { type: "base64", media_type: mime, data }, ...(name && { title: name }) }
}

function isText(block: unknown): boolean {
  return stringField(block, "type") === "text"
}

function resultOf(part: unknown): readonly unknown[] {
  if (stringField(part, "type") !== "tool") return []
  const state = field(part, "state")
  const content = stringField(state, "output") ?? stringField(state, "error") ?? ""
  const isError = stringField(state, "status") === "error"
  return [
    {
      type: "tool_result",
      tool_use_id: stringField(part, "callID"),
      content,
      ...(isError && { is_error: true }),
    },
  ]
}

function usageOf(tokens: unknown): object {
  if (tokens === undefined) return {}
  const cache = field(tokens, "cache")
  return {
    usage: {
      input_tokens: numberOf(tokens, "input") ?? 0,
      output_tokens: numberOf(tokens, "output") ?? 0,
      cache_read_input_tokens: numberOf(cache, "read") ?? 0,
      cache_creation_input_tokens: numberOf(cache, "write") ?? 0,
    },
  }
}
