import { type Context, type Span, SpanStatusCode, type Tracer } from "@opentelemetry/api"
import type { Instruments } from "./instruments.js"
import { ATTRIBUTE } from "./names.js"

/** What the sessions of a process share: where spans and figures go. */
export interface TelemetryParts {
  readonly tracer: Tracer
  readonly instruments: Instruments
  /** Of the call that runs: what it opens is below it. */
  readonly running: { run<T>(context: Context, work: () => T): T }
  /** Finds the sender of the first of these messages that has a known one. */
  senderOf(messages: readonly string[]): Context | undefined
}

/** Takes secrets out of content. Given only where content is asked for. */
export type Redactor = (text: string) => string

/** Marks a span as failed, by a class of errors that has few members. */
export function fail(span: Span, type: string): void {
  span.setAttribute(ATTRIBUTE.error, type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Seconds since a moment of `performance.now()`. */
export function since(began: number): number {
  return (performance.now() - began) / 1000
}
