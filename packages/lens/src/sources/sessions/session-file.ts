import type { Skipped } from "@sotto/core/import"
import type { Call, HttpDialectName } from "../../call.js"
import type { SourceFields } from "../json.js"

/** One message of a conversation, in the words of the API that its file is read in. */
export interface SpokenMessage {
  /** The line of the file that it stands in, counted from 1. */
  readonly number: number
  readonly message: unknown
  /** True if the agent said it for itself: a summary, a note, what surrounds it. */
  readonly isOwn: boolean
}

/** The conversation that the user of an agent would go on with: its newest branch, from the last compaction on. */
export interface MainThread {
  readonly dialect: "anthropic" | "openai" | "gemini"
  readonly messages: readonly SpokenMessage[]
  /** What the file holds beside it. */
  readonly skipped: readonly Skipped[]
  readonly title?: string | undefined
  readonly model?: string | undefined
  readonly cwd?: string | undefined
}

/** A session file of an agent, read line by line. */
export interface SessionFile {
  add(number: number, line: SourceFields): unknown
  mainThread(): MainThread
}

/** Counts the lines of a file that are no messages, by their type. */
export class OtherLines {
  readonly #counts = new Map<string, number>()

  add(type: unknown): void {
    const name = typeof type === "string" && type !== "" ? type : "no type"
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  skipped(): readonly Skipped[] {
    return [...this.#counts].flatMap(([type, count]) =>
      leftOut(count, `lines that are no messages (${type})`),
    )
  }
}

/** Says for `skipped` how many of something were left out; nothing if there are none. */
export function leftOut(count: number, what: string): readonly Skipped[] {
  return count > 0 ? [{ at: "", what: `${what}: ${count}` }] : []
}

/** A step of a session file: what is known of the request, and what is known of the reply. */
export interface SessionStep {
  readonly number: number
  readonly at?: number | undefined
  readonly model?: string | undefined
  readonly body: unknown
  readonly reply: unknown
}

/**
 * Makes a call of which only part is known: agents keep the conversation, and neither their tools nor what they add to
 * it.
 */
export function partialCall(source: string, dialect: HttpDialectName, step: SessionStep): Call {
  const { number, at, model, body, reply } = step
  return {
    source,
    number,
    dialect,
    body,
    partial: true,
    ...(model !== undefined && { model }),
    ...(at !== undefined && { at }),
    response: { body: reply },
  }
}
