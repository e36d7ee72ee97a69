import type { Epoch } from "../epoch/epoch.js"
import type { Compaction } from "../epoch/rebase.js"
import { Inbox, type Queued } from "../inbox/inbox.js"
import { type Clock, RuleMemory } from "../rules/memory.js"
import type { Carrier } from "../vocabulary/capabilities.js"
import type { EconomyAccount } from "../vocabulary/economy.js"
import type { ContinueReason, Exchange, Result } from "../vocabulary/exchange.js"
import { Facts } from "../vocabulary/fact.js"
import type { LedgerPage, Silences } from "../vocabulary/ledger-page.js"
import type { Message, ToolCallPart } from "../vocabulary/message.js"
import type { DialectName, ModelChoice } from "../vocabulary/model.js"
import type { Stop } from "../vocabulary/reply.js"
import type { Request } from "../vocabulary/request.js"
import type { ToolDefinition } from "../vocabulary/tool.js"

/** A call the model made, and its outcome once there is one. */
export interface OpenCall {
  readonly call: ToolCallPart
  /** The id the provider gave it, where that could not serve as ours. */
  readonly givenId: string
  result: Result | undefined
}

/** From a prompt to the model's final answer. */
interface Turn {
  readonly number: number
  readonly step: number
  readonly last: boolean
  /** The first of this epoch's exchanges that belongs to it. */
  readonly from: number
  /** What the turn went on after although the model had made no call: each of these happens once in a turn. */
  readonly wentOnAfter: readonly Stop[]
}

/** Everything that follows from the log. Only `fold` changes it. */
export interface EngineState {
  id: string
  seq: number
  /** Entries so far that the conversation knows nothing of: `nextNumber` does not count them. */
  billed: number
  nonce: string | undefined
  agent: string
  answeredBy: string | undefined
  /** The one that requests are for: the agent's own, or the session's. */
  model: ModelChoice
  /** The session's, for agents that bring none along. */
  chosen: ModelChoice
  /** By model, as `modelKey` names it: a carrier once refused is not tried again. */
  readonly refused: Map<string, Carrier[]>
  readonly facts: Facts
  readonly inbox: Inbox
  readonly memory: RuleMemory
  clock: Clock
  turns: number
  turn: Turn | undefined
  /** None before the first step; until then `adopted` holds what was imported. */
  epoch: Epoch | undefined
  adopted: Exchange[]
  /** The request that has gone out and has no reply yet. */
  flight: Request | undefined
  /** The newest request that has a reply. */
  newest: Request | undefined
  calls: readonly OpenCall[]
  readonly callIds: Set<string>
  /** The turn takes another step although no result calls for one. */
  goesOn: ContinueReason | undefined
  compaction: Compaction | undefined
  readonly snipped: Set<string>
  modelSwitched: boolean
  /** Back to an earlier prompt: what was sent after it is gone. */
  rewound: boolean
  /** What there is to call, if it is not what the session began with. */
  tools: readonly ToolDefinition[] | undefined
  /** Whether the model may not have been told of `tools` yet. */
  toolsDue: boolean
  /** Kinds that were switched on or off while the session ran. */
  readonly switched: Map<string, boolean>
  readonly transcript: Message[]
  readonly pages: LedgerPage[]
  /** Why rules kept silent when they last did. */
  silences: Silences
  /** The provider's id of the newest reply that came with cache diagnostics, and the API that it came from. */
  diagnosed: { readonly message: string; readonly dialect: DialectName | undefined } | undefined
  /** As the economy left it with the last step. */
  account: EconomyAccount | undefined
  /** When the provider's cache was last used, by the log. */
  cacheUsedAt: number | undefined
}

export function emptyState(channelsWake: boolean): EngineState {
  return {
    id: "",
    seq: 0,
    billed: 0,
    nonce: undefined,
    agent: "",
    answeredBy: undefined,
    model: { id: "" },
    chosen: { id: "" },
    refused: new Map(),
    facts: new Facts(),
    inbox: new Inbox(channelsWake),
    memory: new RuleMemory(),
    clock: { steps: 0, turns: 0 },
    turns: 0,
    turn: undefined,
    epoch: undefined,
    adopted: [],
    flight: undefined,
    newest: undefined,
    calls: [],
    callIds: new Set(),
    goesOn: undefined,
    compaction: undefined,
    snipped: new Set(),
    modelSwitched: false,
    rewound: false,
    tools: undefined,
    toolsDue: false,
    switched: new Map(),
    transcript: [],
    pages: [],
    silences: {},
    diagnosed: undefined,
    account: undefined,
    cacheUsedAt: undefined,
  }
}

/** Gives the number of which ids of the next entry are made that the model may see. */
export function nextNumber({ seq, billed }: EngineState): number {
  return seq - billed
}

/** Names a model by its dialect too: what it refuses over one it may take over another. */
export function modelKey(id: string, dialect = ""): string {
  return `${dialect}\n${id}`
}

export function unanswered(state: EngineState): readonly OpenCall[] {
  return state.calls.filter(({ result }) => result === undefined)
}

/** True if all results of a step are in and the model has not been told. */
export function hasResults(state: EngineState): boolean {
  return state.calls.length > 0 && unanswered(state).length === 0
}

/** True if the turn takes another step, with or without a new message. */
export function isOwed(state: EngineState): boolean {
  return state.goesOn !== undefined || hasResults(state)
}

/** Lists what of the inbox a boundary would deliver now. */
export function dueIn({ inbox, turn }: EngineState): readonly Queued[] {
  return turn === undefined ? inbox.forTurn() : inbox.forStep()
}

export function exchangesOf(state: EngineState): readonly Exchange[] {
  return state.epoch?.exchanges ?? state.adopted
}
