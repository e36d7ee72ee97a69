import type { Message } from "@sotto/core"
import { textOf } from "../../platform/text/text.js"
import type { HarnessEvent, TurnEnd } from "../../tools/events/events.js"

/** What a subagent has to say in the end. */
export interface SubagentReport {
  readonly text: string
  readonly failed: boolean
}

/** Follows a subagent by its events: a line for what it does, and how its turns end. */
export class Follower {
  readonly #show: (line: string) => void
  #error: string | undefined
  #end: TurnEnd = "done"

  constructor(show: (line: string) => void) {
    this.#show = show
  }

  hear(event: HarnessEvent): void {
    const line = lineOf(event)
    if (line !== undefined) this.#show(line)
    if (event.type === "error") this.#error = event.message
    if (event.type === "turn-end") this.#end = event.reason
  }

  /** Its last words, and what kept it from finishing, if something did. */
  report(view: readonly Message[]): SubagentReport {
    if (this.#end === "error") return { text: `It failed: ${this.#error ?? "the turn failed"}`, failed: true }
    const last = view.findLast(({ role }) => role === "assistant")
    const text = textOf(last?.parts ?? [])
    const note = UNFINISHED[this.#end]
    if (text.trim() === "") return { text: note ?? "The agent ended without a report.", failed: true }
    return note === undefined ? { text, failed: false } : { text: `${text}\n\n[${note}]`, failed: true }
  }
}

/** Ends after which the last words are not the report that was asked for. */
const UNFINISHED: Readonly<Partial<Record<TurnEnd, string>>> = {
  length: "The agent's answer was cut at the limit on output.",
  refused: "The agent's model refused to go on.",
  filtered: "The provider's filter withheld the agent's answer.",
  overflow: "The agent's context is full.",
  limit: "The agent reached a limit that the user has set.",
}

function lineOf(event: HarnessEvent): string | undefined {
  if (event.type === "tool-call") return `${event.name} ${JSON.stringify(event.input).slice(0, 100)}`
  if (event.type === "error") return event.message
  return undefined
}
