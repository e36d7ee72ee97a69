import type { Agent, Session } from "@sotto/core"
import type { Gate, Grants } from "../../execution/permissions/gate.js"
import type { ProcessGuard } from "../../execution/programs/command.js"
import type { Collector } from "../../sources/collector.js"
import type { TurnHooks } from "../../sources/hooks/turn-hooks.js"
import type { SessionSnapshots } from "../../sources/snapshots/session-snapshots.js"
import type { Source } from "../../sources/source.js"
import type { HarnessEvent } from "../../tools/events/events.js"
import type { KnownFiles } from "../../tools/file-views/known-files.js"
import type { Tasks } from "../../tools/tasks/tasks.js"
import type { Tool } from "../../tools/tool.js"
import type { Meter } from "../limits/meter.js"
import type { Commands } from "../loop/commands.js"
import type { Durability } from "../loop/durability.js"
import type { EventFeed } from "../loop/event-feed.js"
import type { Flight } from "../loop/flight.js"
import type { PostedListener } from "../loop/posted.js"
import type { CommandTarget } from "../loop/session-commands.js"
import type { WorkMark } from "../loop/work-mark.js"
import type { SubagentWatch } from "../subagents/watch.js"
import type { HiddenAgentParts } from "../summaries/ask.js"
import type { Titles } from "../summaries/titles.js"
import type { SessionTelemetry } from "../telemetry/telemetry.js"
import type { OpenOptions } from "./options.js"

/*
 * How a session comes to life. Each phase is a function from the type of the phase before it to its own, so that it can
 * use only what is there already.
 *
 * | type | what it has more than the one before | made by |
 * | --- | --- | --- |
 * | `OpenOptions` | the project's configuration, and what the caller wants | the caller |
 * | `LoggedSession` | the session, its log in the store, its account | `openSession` |
 * | `CommandedSession` | commands, the events that are shown, the way to the model | `takeCommands` |
 * | `PermittedSession` | what the agent may do | `setPermissions` |
 * | `EquippedSession` | tools, tasks, subagents, known files | `equip` |
 * | `InformedSession` | sources and hooks | `startSources` |
 * | `RunnableSession` | the loop, and commands that others post | `startLoop` |
 * | `OpenConversation` | nothing: what the caller is given of all that | `handle` |
 */

/** A session, new or as it was left, whose entries go to the store and whose cost is counted. */
export interface LoggedSession {
  readonly options: OpenOptions
  readonly session: Session
  readonly durability: Durability
  readonly meter: Meter
}

/** The hidden agents that write beside the conversation. */
export interface SessionWriters {
  /** Aborted when the session is closed or lost: the writers stop. */
  readonly left: AbortController
  writing(signal: AbortSignal): HiddenAgentParts
  /** Undefined where no list shows the session, or where titles are not wanted. */
  readonly titles: Titles | undefined
}

/** A session that takes commands and shows what becomes of them. */
export interface CommandedSession extends LoggedSession, SessionWriters {
  readonly telemetry: SessionTelemetry | undefined
  emit(event: HarnessEvent): void
  /** Emits an error in these words, or a notice. */
  report(message: string, as?: "error" | "notice"): void
  readonly showing: EventFeed
  readonly flight: Flight
  readonly commands: Commands
  readonly workMark: WorkMark | undefined
  /** Undefined where the session has no lease that could end. */
  readonly guard: ProcessGuard | undefined
}

/** A session whose agent is held to its permissions. */
export interface PermittedSession extends CommandedSession {
  /** Gives the agent that the session has now. */
  agent(): Agent
  readonly grants: Grants
  readonly gate: Gate
  /** True while calls that would be asked about run without a question. */
  allowed(): boolean
}

/** A session with its tools, and with what they share. */
export interface EquippedSession extends PermittedSession {
  readonly tasks: Tasks
  readonly subagents: SubagentWatch
  /** By name: what the model can call now. */
  readonly tools: ReadonlyMap<string, Tool>
  /** Offers these tools beside those that the session always has. */
  offer(more: readonly Tool[]): void
  readonly files: KnownFiles
  /** What steps do to files, and the way back. */
  readonly snapshots: SessionSnapshots
}

/** A session with everything that notices something for the model. */
export interface InformedSession extends EquippedSession {
  readonly hooks: TurnHooks
  readonly sources: readonly Source[]
  readonly collector: Collector
}

/** A session that works. */
export interface RunnableSession extends InformedSession {
  /** What a command that comes as data acts on. */
  readonly target: CommandTarget
  readonly posted: PostedListener
}
