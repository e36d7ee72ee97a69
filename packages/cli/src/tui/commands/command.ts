import type { Agent } from "@sotto/core"
import type { Workplace } from "@sotto/harness"
import type { Completion } from "../input/completion.js"
import type { PickerItem } from "../state/ui.js"
import type { Talk } from "../talk.js"

/** What a command can do to the program around it. */
export interface Around {
  readonly workplace: Workplace
  readonly agents: readonly Agent[]
  talk(): Talk
  say(text: string, tone?: "quiet" | "error"): void
  page(markdown: string): void
  pick(title: string, items: readonly PickerItem[]): Promise<string | undefined>
  /** Another session in place of this one: a stored one, or a new one. */
  openSession(id?: string): Promise<void>
  /** A text to begin with. */
  write(text: string): void
  switchAgent(name: string): void
  switchModel(name: string): void
  showLedger(): void
  quit(): void
}

export interface Command {
  readonly name: string
  /** What may follow, for people. */
  readonly argument?: string
  readonly help: string
  offers?(around: Around): readonly Completion[]
  run(around: Around, argument: string): void | Promise<void>
}
