import type { Json } from "../vocabulary/json.js"
import type {
  ContentPart,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../vocabulary/message.js"
import { LONE_SURROGATE } from "../vocabulary/unicode.js"

/** What an importer made of a transcript. */
export interface Imported {
  /** For `session.importMessages`. */
  readonly messages: readonly Message[]
  /** What was left out or had to be replaced, and why, in the order of the transcript. */
  readonly skipped: readonly Skipped[]
}

/** Something of a transcript that did not come over as it was. */
export interface Skipped {
  /** Where it stood: "3.content.0", or "line 12" of a file. */
  readonly at: string
  /** What it was, and what became of it. */
  readonly what: string
}

/** How an importer reads a transcript that another harness wrote. */
export interface ImportOptions {
  /** Names the place of a message for `skipped`, by its number in the list. Unless given, the number is its place. */
  readonly at?: (message: number) => string
  /**
   * Splits a text of the user's side, or of a tool's result, and marks as `synthetic` what the other harness said for
   * itself. Unless given, every text is taken as it is.
   */
  readonly readText?: (
    text: string,
    from: { readonly message: number; readonly isResult: boolean },
  ) => readonly Pick<TextPart, "text" | "synthetic">[]
}

interface Call {
  /** As the transcript has it. */
  readonly original: string | undefined
  readonly name: string
  readonly id: string
  answered: boolean
}

/** The longest name of a tool that every provider takes. */
const LONGEST_NAME = 64

/**
 * Gathers messages. Supplies ids where they are missing or taken, and finds the call that a result answers, by its id,
 * by its name, or by the order of the calls.
 */
export class Transcript {
  readonly #options: ImportOptions
  readonly #messages: Message[] = []
  readonly #skipped: Skipped[] = []
  readonly #messageIds = new Set<string>()
  readonly #callIds = new Set<string>()
  /** Calls of the newest reply: only those can still be answered. */
  #calls: Call[] = []
  #isInReply = false
  /** The number of the message that is being read. */
  #number = 0

  constructor(options: ImportOptions = {}) {
    this.#options = options
  }

  /** Begins to read a message of the list. Returns its place, for `skip`. */
  begin(number: number): string {
    this.#number = number
    return this.#options.at?.(number) ?? String(number)
  }

  /** True while the first message of the list is read: only that one can be the system prompt. */
  get isAtFirst(): boolean {
    return this.#number === 0
  }

  /** Reads a text of the user's side, or of a result. */
  text(text: unknown, isResult = false): readonly ContentPart[] {
    const { readText } = this.#options
    if (readText === undefined || typeof text !== "string") return textPart(text)
    const pieces = readText(text, { message: this.#number, isResult })
    return pieces.flatMap((piece) => textPart(piece.text, piece.synthetic))
  }

  skip(at: string, what: string): void {
    this.#skipped.push({ at, what })
  }

  /** Adds a message with parts; leaves out one without. */
  add(role: Message["role"], parts: readonly Part[], id: unknown, agent?: string): void {
    this.#isInReply = false
    if (parts.length === 0) return
    const wanted = typeof id === "string" && id !== "" ? id : `import-${this.#messages.length + 1}`
    const unique = free(wanted, this.#messageIds)
    this.#messages.push({ id: unique, role, parts, ...(agent !== undefined && { agent }) })
  }

  /** Adds a call of the assistant message that is added next. */
  call(id: unknown, name: unknown, input: unknown): ToolCallPart {
    if (!this.#isInReply && this.#messages.at(-1)?.role !== "assistant") this.#calls = []
    this.#isInReply = true
    const original = typeof id === "string" && id !== "" ? id : undefined
    const called = toolName(name)
    const unique = free(original ?? `call-${this.#callIds.size + 1}`, this.#callIds)
    this.#calls.push({ original, name: called, id: unique, answered: false })
    return { type: "tool-call", id: unique, name: called, input: plain(input) }
  }

  /**
   * Adds a result for the call that it names. One whose call is not there keeps its id: the session quotes it as text.
   */
  result(
    id: unknown,
    name: unknown,
    output: readonly ContentPart[],
    error: boolean,
    at: string,
  ): ToolResultPart {
    const call = this.#callOf(id, name)
    if (call) call.answered = true
    else this.skip(at, "the call of this result is not in the transcript: the result is quoted as text")
    const callId = call?.id ?? (typeof id === "string" && id !== "" ? id : "unknown")
    return { type: "tool-result", callId, output, ...(error && { error: true }) }
  }

  /** Adds a result for a call that is at hand. */
  answer({ id }: ToolCallPart, output: readonly ContentPart[], error: boolean): ToolResultPart {
    for (const call of this.#calls) if (call.id === id) call.answered = true
    return { type: "tool-result", callId: id, output, ...(error && { error: true }) }
  }

  finish(): Imported {
    return { messages: wellFormed(this.#messages) as readonly Message[], skipped: this.#skipped }
  }

  #callOf(id: unknown, name: unknown): Call | undefined {
    const open = this.#calls.filter((call) => !call.answered)
    if (typeof id === "string" && id !== "") return open.find((call) => call.original === id)
    if (typeof name === "string" && name !== "") return open.find((call) => call.name === toolName(name))
    return open[0]
  }
}

/** Makes a text part; none for a blank text, which providers refuse. */
export function textPart(text: unknown, synthetic = false): readonly ContentPart[] {
  if (typeof text !== "string" || text.trim() === "") return []
  return [{ type: "text", text, ...(synthetic && { synthetic: true }) }]
}

const LONE_SURROGATES = new RegExp(LONE_SURROGATE, "g")

/** Replaces halves of surrogate pairs, which providers answer with 400. Assistant text is never repaired later. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.replace(LONE_SURROGATES, "\uFFFD")
  if (Array.isArray(value)) return value.map(wellFormed)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [wellFormed(key), wellFormed(inner)]))
}

function free(wanted: string, taken: Set<string>): string {
  let id = wanted
  for (let n = 2; taken.has(id); n++) id = `${wanted}-${n}`
  taken.add(id)
  return id
}

/** Makes a name that every provider takes: theirs, as far as it is one. */
function toolName(name: unknown): string {
  if (typeof name !== "string" || name.trim() === "") return "unnamed"
  return name
    .replace(/[^\w-]/g, "_")
    .replace(/^[^a-zA-Z_]/, "_$&")
    .slice(0, LONGEST_NAME)
}

/** Makes plain data of any value: a transcript that was never written out may hold more. */
function plain(value: unknown): Json {
  try {
    return JSON.parse(JSON.stringify(value ?? {}) ?? "{}")
  } catch {
    return {}
  }
}
