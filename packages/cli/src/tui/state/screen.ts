import type { Delivery, Json, ThinkLevel } from "@sotto/core"
import type {
  AccountFigures,
  AttachedEvent,
  CompactedEvent,
  HarnessEvent,
  Question,
  TurnEnd,
} from "@sotto/harness"
import type { UsageTally } from "./tally.js"

export interface FinishedCall {
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly output: string
  readonly error: boolean
  readonly seconds: number
}

export interface RunningCall {
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly startedAt: number
  /** Since when it waits for the person's permission, and milliseconds that it has waited before. */
  readonly asked: number | undefined
  readonly waited: number
  /** The newest lines it had to tell. */
  readonly progress: readonly string[]
}

/** A command that the person ran with `!`. */
export interface TypedCommand {
  readonly command: string
  readonly output: string
  readonly failed: boolean
}

/** A call that the model is still writing. */
export type IncomingCall = Omit<Extract<HarnessEvent, { type: "tool-input" }>, "type">

/** What the model was told and the user was not. */
export type Told = Omit<Extract<HarnessEvent, { type: "reminder" }>, "type">

/** A piece of the conversation that is over. Whether asides are shown, and calls in full, is up to the view. */
export type ScreenItem =
  /** `step` is where a message came in, if it did so while the agent worked. */
  | { readonly is: "user"; readonly id: string; readonly text: string; readonly step?: number }
  /** What a message brought along. */
  | { readonly is: "attached"; readonly name: string; readonly what: string }
  /** A block of an answer; the first of them is marked. One that is joined goes on with the list above it. */
  | { readonly is: "text"; readonly text: string; readonly first: boolean; readonly joined?: true }
  | { readonly is: "reasoning"; readonly text: string; readonly seconds: number }
  | { readonly is: "call"; readonly call: FinishedCall }
  /** A command that the person ran themselves. */
  | { readonly is: "typed"; readonly ran: TypedCommand }
  /** Work in the background that is over. */
  | {
      readonly is: "task"
      readonly task: "agent" | "command"
      readonly failed: boolean
      readonly text: string
    }
  | { readonly is: "aside"; readonly told: Told }
  /** A compaction, and the summary that the model is told. */
  | { readonly is: "compacted"; readonly done: Omit<CompactedEvent, "type"> }
  | { readonly is: "notice"; readonly tone: "quiet" | "error"; readonly text: string }
  | { readonly is: "page"; readonly markdown: string }
  /** What was asked, where it was too long to stand above the answers. */
  | { readonly is: "question"; readonly question: Question }
  | {
      readonly is: "turn"
      readonly reason: TurnEnd
      readonly steps: number
      readonly seconds: number
      readonly output: number
    }

/** A message of the user's that has not been delivered yet. */
export interface WaitingMessage {
  readonly id: string
  readonly text: string
  readonly delivery: Delivery
  /** The turn was interrupted: it goes with the next prompt. */
  readonly held: boolean
}

export interface Todo {
  readonly content: string
  readonly status: string
}

interface Turn {
  readonly startedAt: number
  readonly step: number
  readonly output: number
  /** The request failed, and is made again at that time. */
  readonly retry?: { readonly at: number; readonly attempt: number; readonly reason: string }
}

/** The conversation as it is shown. */
export interface Screen {
  readonly session: string
  readonly agent: string
  readonly model: string
  /** How much the model thinks, where anybody has said so and the model can be told. */
  readonly think: ThinkLevel | undefined
  readonly items: readonly ScreenItem[]
  /**
   * What streams in: the block that may still grow, and whether others of the same answer were printed before it, or items
   * of the same list.
   */
  readonly text: string
  readonly goesOn: boolean | "joined"
  readonly reasoning: { readonly text: string; readonly since: number } | undefined
  readonly calls: readonly RunningCall[]
  readonly incoming: readonly IncomingCall[]
  /** A command of the person's own that runs, with the newest lines it printed. */
  readonly typed:
    | { readonly command: string; readonly startedAt: number; readonly progress: readonly string[] }
    | undefined
  readonly waiting: readonly WaitingMessage[]
  /** What messages that still wait bring along. */
  readonly attached: readonly AttachedEvent[]
  readonly todos: readonly Todo[]
  readonly turn: Turn | undefined
  readonly tally: UsageTally
  /** How many tasks go on beside the conversation. */
  readonly background: number
}

/** What the person at the terminal or the program around it did to the screen. */
export type ScreenEvent =
  | { readonly type: "waiting"; readonly waiting: readonly WaitingMessage[] }
  | {
      readonly type: "model-is"
      readonly model: string
      readonly window?: number
      readonly think?: ThinkLevel
    }
  | { readonly type: "account-is"; readonly account: AccountFigures }
  /** The person is asked whether a call may run, or no longer. */
  | { readonly type: "asked" | "answered"; readonly call: string }
  | ({ readonly type: "task-over" } & Omit<Extract<ScreenItem, { is: "task" }>, "is">)
  | { readonly type: "line"; readonly tone: "quiet" | "error"; readonly text: string }
  | { readonly type: "page"; readonly markdown: string }
  | { readonly type: "question"; readonly question: Question }
  | { readonly type: "background"; readonly running: number }
  /** A command of the person's own began, printed a line, or is over. */
  | { readonly type: "typed-begins"; readonly command: string }
  | { readonly type: "typed-prints"; readonly line: string }
  | ({ readonly type: "typed-ends" } & TypedCommand)
