import type { Delivery, Json } from "@sotto/core"
import type { HarnessEvent, Price, Question, TurnEnd } from "@sotto/harness"
import type { Tally } from "./tally.js"

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
  /** The newest lines it had to tell. */
  readonly progress: readonly string[]
}

/** What the model was told and the user was not. */
export type Told = Omit<Extract<HarnessEvent, { type: "reminder" }>, "type">

/** A piece of the conversation that is over: printed once, and never again. */
export type Item =
  /** `step` is where a message came in, if it did so while the agent worked. */
  | { readonly is: "user"; readonly id: string; readonly text: string; readonly step?: number }
  /** A block of an answer; the first of them is marked. */
  | { readonly is: "text"; readonly text: string; readonly first: boolean }
  | { readonly is: "reasoning"; readonly text: string; readonly seconds: number; readonly unfolded: boolean }
  | { readonly is: "call"; readonly call: FinishedCall; readonly unfolded: boolean }
  | { readonly is: "aside"; readonly told: Told }
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
export interface Waiting {
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
  /** Why nothing happens right now. */
  readonly pause?: string
}

/** The conversation as it is shown. */
export interface Screen {
  readonly session: string
  readonly agent: string
  readonly model: string
  readonly items: readonly Item[]
  /** What streams in: the block that may still grow, and whether others of the same answer were printed before it. */
  readonly text: string
  readonly goesOn: boolean
  readonly reasoning: { readonly text: string; readonly since: number } | undefined
  readonly calls: readonly RunningCall[]
  readonly waiting: readonly Waiting[]
  readonly todos: readonly Todo[]
  readonly turn: Turn | undefined
  readonly tally: Tally
  /** Whether asides are shown inline, and those that were not. */
  readonly asides: { readonly shown: boolean; readonly unseen: readonly Told[] }
  /** Whether calls are shown in full from now on. */
  readonly unfolded: boolean
  /** How many tasks go on beside the conversation. */
  readonly background: number
}

/** What the person at the terminal or the program around it did to the screen. */
export type ScreenEvent =
  | { readonly type: "waiting"; readonly waiting: readonly Waiting[] }
  | { readonly type: "model-is"; readonly model: string; readonly price?: Price; readonly window?: number }
  | { readonly type: "show-asides" }
  | { readonly type: "unfold" }
  | { readonly type: "notice"; readonly tone: "quiet" | "error"; readonly text: string }
  | { readonly type: "page"; readonly markdown: string }
  | { readonly type: "question"; readonly question: Question }
  | { readonly type: "background"; readonly running: number }
