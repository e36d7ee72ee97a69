import type { Json } from "@sotto/core"
import type { BilledTokens } from "./reply.js"

/** One server-sent event. */
export interface ServerSentEvent {
  readonly event?: string
  readonly data: Json
  /** Brings a token: slow ones wait before it. */
  readonly token?: true
  /** What is billed if the stream ends after this event, where the event tells it. */
  readonly counted?: BilledTokens
}

/** Writes the frame as it goes over the wire. A text stands as it is: "[DONE]" has no quotes on the wire. */
export function writeFrame({ event, data }: ServerSentEvent): string {
  const text = typeof data === "string" ? data : JSON.stringify(data)
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`
}
