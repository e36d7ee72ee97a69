import type { Call, HttpDialectName } from "../../call.js"

/** A step of a session file: what is known of the request, and what is known of the reply. */
export interface SessionStep {
  readonly number: number
  readonly at?: number | undefined
  readonly model?: string | undefined
  readonly body: unknown
  readonly reply: unknown
}

/**
 * Makes a call of which only part is known: agents keep the conversation, and neither their tools nor what they add to
 * it.
 */
export function partialCall(source: string, dialect: HttpDialectName, step: SessionStep): Call {
  const { number, at, model, body, reply } = step
  return {
    source,
    number,
    dialect,
    body,
    partial: true,
    ...(model !== undefined && { model }),
    ...(at !== undefined && { at }),
    response: { body: reply },
  }
}
