import type { Entry, Session } from "@sotto/core"
import { readSession } from "./read.js"

/**
 * Restores a log, reads everything that can be read of it, and makes the next request, as going on with it would.
 * Throws if any of that fails. Nothing is stored or sent.
 */
export function tryLog(log: readonly Entry[]): void {
  const session = readSession(log)
  session.view()
  session.asides()
  session.ledger()
  session.recover()
  const next = session.next()
  if (next.is === "waiting") for (const { id } of next.calls) session.result(id, "")
  if (next.is === "request") session.abort()
  session.say("")
  write(session)
}

function write(session: Session): void {
  const next = session.next()
  if (next.is !== "request") throw new Error(`the session is ${session.phase} after a prompt`)
  JSON.stringify([next.request.pins, [...next.request.messages]])
}
