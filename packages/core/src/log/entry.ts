import type { Carrier } from "../vocabulary/capabilities.js"
import type { Dropped, EconomyAccount } from "../vocabulary/economy.js"
import type { Frame, RebaseReason } from "../vocabulary/exchange.js"
import type { Fact } from "../vocabulary/fact.js"
import type { RuleOutcome, Silences } from "../vocabulary/ledger-page.js"
import type { ContentPart, Delivery, Message, Origin } from "../vocabulary/message.js"
import type { ModelChoice } from "../vocabulary/model.js"
import type { SamplingSettings } from "../vocabulary/model-settings.js"
import type { Reminder } from "../vocabulary/reminder.js"
import type { Reply } from "../vocabulary/reply.js"
import type { Pins } from "../vocabulary/request.js"
import type { Bill } from "../vocabulary/side.js"
import type { HeldSignals, MemoRecord, Signal } from "../vocabulary/signal.js"
import type { ToolChanges, ToolDefinition } from "../vocabulary/tool.js"

/** Raised when an older Sotto could not read what is written now. */
export const LOG_VERSION = 1

/** A model call that was cut short, and what it had finished saying. */
export interface Interruption {
  readonly request: string
  readonly kept: Reply
  readonly tokens?: Tokens
}

/** What the caller's counter said of an entry's content. Absent without a counter: the engine's estimate holds. */
type Tokens = number

/** How a message was delivered: its frame, and its content where that had to be cut. */
export interface DeliveryRecord {
  readonly id: string
  readonly frame?: Frame
  readonly content?: readonly ContentPart[]
}

/** What a compaction does to the size of a request, in tokens. */
export interface CompactionSize {
  /** Tokens of a request without the compaction. */
  readonly before: number
  /** Tokens of a request with it. */
  readonly after: number
}

/** Why a conversation was compacted. */
export type CompactionCause = "asked" | "price" | "window"

/** What a command did. One command is one entry, so that nothing is ever half written. */
export type Event =
  | {
      readonly type: "opened"
      readonly version: number
      readonly id: string
      readonly agent: string
      readonly model: ModelChoice
      /** The agent's, where it brings one along. */
      readonly own?: ModelChoice
      readonly nonce?: string
      /** Entries before this number were copied from another session, which has paid for what they tell of. */
      readonly copied?: number
    }
  | {
      readonly type: "said"
      readonly id: string
      readonly content: readonly ContentPart[]
      readonly origin: Origin
      readonly delivery: Delivery
      readonly hidden: boolean
      readonly system?: string
      readonly interrupts?: Interruption
    }
  | {
      readonly type: "edited"
      readonly id: string
      readonly content?: readonly ContentPart[]
      readonly delivery?: Delivery
      readonly interrupts?: Interruption
    }
  | { readonly type: "cancelled"; readonly id: string }
  | { readonly type: "noted"; readonly signal: Signal }
  | { readonly type: "observed"; readonly key: string; readonly fact: Fact }
  /** `own` is the model that the agent brings along; without it the session's holds. */
  | { readonly type: "agent"; readonly name: string; readonly own?: ModelChoice }
  | { readonly type: "model"; readonly model: ModelChoice }
  | StepEvent
  | { readonly type: "replied"; readonly request: string; readonly reply: Reply; readonly tokens?: Tokens }
  | {
      readonly type: "result"
      readonly callId: string
      readonly output: readonly ContentPart[]
      readonly error: boolean
      readonly tokens?: Tokens
    }
  | { readonly type: "aborted"; readonly reason?: string; readonly interrupts?: Interruption }
  /** A tool ended the turn. */
  | { readonly type: "ended"; readonly reason?: string; readonly interrupts?: Interruption }
  /** Calls that are answered "outcome unknown". */
  | { readonly type: "recovered"; readonly calls: readonly string[] }
  | {
      readonly type: "compacted"
      readonly summary: string
      /** The first exchange of the epoch that stays as it is; all before it is summarised. */
      readonly from?: number
      /** The open tool turn is closed for it, and goes on after it. */
      readonly closes?: true
      /** Who wanted it: the user, the price of going on without it, or the end of the window. */
      readonly why?: CompactionCause
      /** Estimates of what is sent without it and with it. Absent if nothing was sent yet, and in logs of an older Sotto. */
      readonly tokens?: CompactionSize
    }
  /** Leaves the conversation as it is: no id that the model sees counts this entry. */
  | ({ readonly type: "billed" } & Bill)
  | { readonly type: "snipped"; readonly ids: readonly string[] }
  /** `dropped`: results that the economy drops, because everything is written again. */
  | { readonly type: "carrier"; readonly refused: Carrier; readonly dropped?: readonly Dropped[] }
  /** The epoch goes on in the format of the Sotto that restored it. */
  | { readonly type: "format"; readonly format: number }
  | { readonly type: "imported"; readonly messages: readonly Message[] }
  /** What there is to call, where the provider can be told: at the next epoch, or by a change of tools. */
  | { readonly type: "tools"; readonly tools: readonly ToolDefinition[] }
  /** A kind was switched off or on while the session ran. */
  | { readonly type: "kind"; readonly kind: string; readonly on: boolean }
  | {
      readonly type: "rewound"
      /** The message that opened the turn to go back before. */
      readonly to: string
      /** Of the step that delivered it. */
      readonly step: number
      /** Families of facts that go back too, being the conversation's own. */
      readonly facts: readonly string[]
    }
  | {
      /** A rewind was taken back. */
      readonly type: "redone"
      /** The conversation goes on as it was before this entry. */
      readonly before: number
      /** Families of facts that go forward too. */
      readonly facts: readonly string[]
    }

/** What a boundary decided, with every rendered text, so that no rule ever runs again to restore it. */
export interface StepEvent {
  readonly type: "step"
  readonly request: string
  readonly agent: string
  readonly turn: number
  readonly step: number
  readonly last: boolean
  /** The step opens an epoch. */
  readonly epoch?: {
    readonly reasons: readonly RebaseReason[]
    readonly pins: Pins
    /** Of the system prompt and the tools. */
    readonly tokens?: Tokens
    /** Kinds that have to tell anew what the summary has replaced. */
    readonly forget: readonly string[]
    /** Results that the economy drops with it. */
    readonly dropped?: readonly Dropped[]
    /** What becomes of the reasoning of an open tool turn that the economy does not wait for. */
    readonly reasoning?: "close" | "drop"
  }
  /** What the economy's account says at this step, where the session has one. */
  readonly economy?: EconomyAccount
  /** Tools that come and go within the epoch. */
  readonly tools?: ToolChanges
  /** How the model chooses its words at this step, where the agent or the model says so. */
  readonly sampling?: SamplingSettings
  readonly delivered: readonly DeliveryRecord[]
  readonly reminders: readonly Reminder[]
  readonly outcomes: readonly RuleOutcome[]
  readonly memos: readonly MemoRecord[]
  readonly held: readonly HeldSignals[]
  /** Why rules kept silent, as far as that is not why they did at the step before. */
  readonly silences?: Silences
  /** Of everything that goes up with it. */
  readonly tokens?: Tokens
}

/**
 * One entry of the log: what a command did, with its sequence number. Plain JSON. Store it as it is, and give all of
 * them to `restoreSession`.
 */
export type Entry = Event & {
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}
