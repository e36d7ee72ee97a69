import type { Session, ToolCallPart } from "@sotto/core"
import type { ModelLink } from "../../models/model-link.js"
import type { Environment } from "../../platform/workspace/folders.js"
import type { HarnessEvent } from "../../tools/events/events.js"
import type { Output, Tool } from "../../tools/tool.js"
import type { AskedTelemetry } from "./asked.js"

/** The way to models, and where each of them is reached. */
export interface AddressedLink extends ModelLink {
  target(model: string): { url(): Promise<string> }
}

/** A call that was carried out: what came of it, and what was run if anything was. */
export interface CarriedOut {
  readonly output: Output
  readonly ran?: unknown
}

/** Measures how long a session waits for the store. */
export interface StoreClock {
  begin(): void
  end(): void
  /** Resolves or rejects with the promise. */
  until(durable: Promise<void>): Promise<void>
  /** Milliseconds so far. */
  readonly total: number
}

/** What telemetry takes in of one session. Absent where telemetry is off, and then nothing is called. */
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
  leaseLost(): void
  close(): void
}

/** A session that is watched. */
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
  /** Makes the turn that this message opens a child of the span that the headers name. */
  sentBy(messageId: string, headers: TraceHeaders): void
  /** Sends what is left, for a limited time. Returns false if that was not enough: something still tries. */
  end(): Promise<boolean>
}

/** How telemetry is started. */
export interface TelemetryOptions {
  readonly version: string
  /** Turns are children of the span that `TRACEPARENT` names. */
  readonly inherits: boolean
  /** Shows a line to the user. Called at most once. */
  warn(line: string): void
}

/** What `@sotto/telemetry` is started with. It has no code of the harness, so the harness lends it what it needs. */
export interface TelemetryStart extends TelemetryOptions {
  readonly asked: AskedTelemetry
  readonly env: Environment
  /** Makes a function that takes the known secrets of an environment, and more, out of a text. */
  redactorFor(env: Environment, more: readonly string[]): (text: string) => string
}

/** What the package `@sotto/telemetry` exports. */
export interface TelemetryPackage {
  start(options: TelemetryStart): Promise<Telemetry>
}
