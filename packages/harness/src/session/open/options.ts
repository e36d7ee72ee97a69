import type { Entry, Session } from "@sotto/core"
import type { AccountSum } from "@sotto/core/economy"
import type { Gate, PermissionControl } from "../../execution/permissions/gate.js"
import type { Awaitable } from "../../platform/awaitable.js"
import type { NewSession } from "../../store/contract.js"
import type { StoreError } from "../../store/error.js"
import type { HarnessEvent } from "../../tools/events/events.js"
import type { Questions } from "../../tools/events/questions.js"
import type { TaskControl } from "../../tools/tasks/control.js"
import type { Meter } from "../limits/meter.js"
import type { Conversation } from "../loop/conversation.js"
import type { SessionCommand } from "../loop/session-commands.js"
import type { ForkedWork } from "../subagents/child.js"
import type { SubagentConvoy } from "../subagents/convoy.js"
import type { Membership } from "../subagents/team.js"
import type { SubagentControl } from "../subagents/watch.js"
import type { ProjectRuntime } from "./project-runtime.js"

/** How a conversation is opened. */
export interface OpenOptions {
  readonly workplace: ProjectRuntime
  readonly questions: Questions
  emit(event: HarnessEvent): void
  /** True if what would be asked is allowed. */
  yes(): boolean
  /**
   * True if another worker goes on with its work if this process vanishes. A caller that says so calls `rest` when the
   * session has no work.
   */
  readonly resumable?: boolean
  /** Called once, when another worker has the session, or may have it. All work has been stopped: only `close` is left. */
  lost?(error: StoreError): void
  readonly agent?: string
  readonly model?: string
  /** Whether hidden agents give the session a title and a summary, in the background, if the configuration is silent. */
  readonly titles?: boolean
  /** A stored session to go on with. */
  readonly session?: string
  /** What is said of a new session from the beginning. */
  readonly about?: Pick<NewSession, "title" | "labels" | "metadata">
  /** For a subagent: whose. */
  readonly parent?: SupervisingSession
  /** For a member of a team: its place in it. */
  readonly membership?: Membership
  /** For a copy of its parent: what it is to do. */
  readonly fork?: ForkedWork
}

/** The session that a subagent works for. */
export interface SupervisingSession {
  readonly id: string
  readonly session: Session
  /** What it may do: its subagents never may more. */
  readonly gate: Gate
  /** What its tree has cost, and may cost. */
  readonly meter: Meter
  /** The name of its provider's cache, which its subagents share. */
  readonly cacheKey: string
  /** The session that the user talks to, by its id. */
  readonly family: string
  readonly convoy: SubagentConvoy
}

/** A conversation that is open, and how to close it. */
export interface OpenConversation {
  readonly conversation: Conversation
  readonly gate: Gate
  /** What works in the background, for the frontend that shows it. */
  readonly tasks: TaskControl
  /** What its subagents do, for the frontend that shows it. */
  readonly subagents: SubagentControl
  /** What the person has allowed in this session. */
  readonly permissions: PermissionControl
  /** Gives what the session and everything that it started has cost so far. */
  account(): AccountSum
  /** Waits until it has nothing to do and nothing works for it in the background, or until the signal. */
  settled(signal: AbortSignal): Promise<void>
  /**
   * Carries out a command that came as data. Resolves with plain data once the command is on disk; rejects if it is
   * refused.
   */
  obey(command: SessionCommand): Promise<unknown>
  /** Lists the entries of the log from a number on, as far as they are on disk. */
  entriesFrom(seq: number): readonly Entry[]
  /** Carries out what other processes have posted, before anything that comes after it: wait for it. */
  takePosted(): Awaitable<void>
  /** Says that there is nothing left to do, where another worker would go on. */
  rest(): void
  /** Gives the session back and stops what it started. */
  close(): Promise<void>
  /** The same in the middle of its work, and enters nothing about it: another worker goes on, as after a crash. */
  leave(): Promise<void>
}
