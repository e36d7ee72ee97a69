import type { Session, ToolCallPart } from "@sotto/core"
import type { HarnessEvent } from "../events/events.js"
import type { ModelLink } from "../models/model-link.js"
import type { Output, Tool } from "../tools/tool.js"
import type { Environment } from "../workspace/folders.js"
import { telemetryAsked } from "./asked.js"
import type { StoreClock } from "./store-clock.js"

/** The way to models, and where each of them is reached. */
export interface AddressedLink extends ModelLink {
  target(model: string): { url(): Promise<string> }
}

/** A call that was carried out: what came of it, and what was run if anything was. */
export interface CarriedOut {
  readonly output: Output
  readonly ran?: unknown
}

/** What telemetry takes in of one session. Where it is off there is none, and nothing is called. */
export interface SessionTelemetry {
  /** Counts what the session waits for its store. */
  readonly storeClock: StoreClock
  /** The same way to models, on which every call of the conversation is a span of its turn. */
  link(models: AddressedLink): ModelLink
  /** The same for hidden agents, which write beside the conversation. */
  writers(models: AddressedLink): ModelLink
  /** Carries out a call as a span of the turn. Subagents that it opens are below it. */
  call<T extends CarriedOut>(call: ToolCallPart, tool: Tool | undefined, work: () => Promise<T>): Promise<T>
  event(event: HarnessEvent): void
  /** The session's lease was lost to another worker. */
  leaseLost(): void
  close(): void
}

export interface SessionAbout {
  /** Whose keys are kept out of what is sent. */
  readonly env: Environment
  readonly isSubagent: boolean
}

/** Who wants to be told where a message comes from: the headers of W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/** Watches sessions for OpenTelemetry. */
export interface Telemetry {
  session(session: Session, about: SessionAbout): SessionTelemetry
  /** The turn that this message opens is a child of the span that the headers name. */
  sentBy(messageId: string, headers: TraceHeaders): void
  /** Sends what is left, for a limited time. Returns false if that was not enough: something still tries. */
  end(): Promise<boolean>
}

export interface TelemetryOptions {
  readonly version: string
  /** Turns are children of the span that `TRACEPARENT` names. */
  readonly inherits: boolean
  /** Called at most once, with a line for the user. */
  warn(line: string): void
}

/** OpenTelemetry is one for a process: everything that it runs is reported to the same place. */
let active: Telemetry | undefined

/** The telemetry of this process, if it is on. */
export function activeTelemetry(): Telemetry | undefined {
  return active
}

/** Switches telemetry on if the variables ask for it. Otherwise nothing is loaded. */
export async function startTelemetry(env: Environment, options: TelemetryOptions): Promise<void> {
  const asked = telemetryAsked(env)
  if (asked === undefined) return
  if (asked.problems.length > 0) options.warn(`Telemetry is not sent: ${asked.problems.join(" ")}`)
  if (asked.traces === undefined && asked.metrics === undefined) return
  const { Observer } = await import("./observer.js")
  active = await Observer.start(asked, env, options)
}

/** Sends what is left. Returns false if the process has to be ended by force, or it would go on trying. */
export async function endTelemetry(): Promise<boolean> {
  const ending = active
  active = undefined
  return ending === undefined || (await ending.end())
}
