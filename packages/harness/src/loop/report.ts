import type { Message } from "@sotto/core"
import type { HarnessEvent } from "./events.js"

/** What a subagent has to say in the end. */
export interface Report {
  readonly text: string
  readonly failed: boolean
}

/** Follows a subagent by its events: a line for what it does, and how its turns end. */
export class Followed {
  readonly #show: (line: string) => void
  #error: string | undefined
  #failure: string | undefined

  constructor(show: (line: string) => void) {
    this.#show = show
  }

  hear(event: HarnessEvent): void {
    const line = lineOf(event)
    if (line !== undefined) this.#show(line)
    if (event.type === "error") this.#error = event.message
    if (event.type === "turn-end")
      this.#failure = event.reason === "error" ? (this.#error ?? "the turn failed") : undefined
  }

  /** Its last words, unless it could not go on. */
  report(view: readonly Message[]): Report {
    if (this.#failure !== undefined) return { text: `It failed: ${this.#failure}`, failed: true }
    const last = view.findLast(({ role }) => role === "assistant")
    const text = last?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? ""
    return text.trim() === ""
      ? { text: "The agent ended without a report.", failed: true }
      : { text, failed: false }
  }
}

function lineOf(event: HarnessEvent): string | undefined {
  if (event.type === "tool-call") return `${event.name} ${JSON.stringify(event.input).slice(0, 100)}`
  if (event.type === "error") return event.message
  return undefined
}
