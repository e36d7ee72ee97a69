import { type Entry, restoreSession, type Session, SottoError } from "@sotto/core"
import { type Awaitable, whenThere } from "../platform/awaitable.js"
import { reasonOf } from "../platform/text/errors.js"
import type { SessionLog, StoreUpkeep } from "./contract.js"
import { damagedSession } from "./error.js"

/** Says where a store is, for an error that names it. */
type StorePath = Pick<StoreUpkeep, "path">

/** Restores a session of the store, for reading only. */
export function readStored(store: SessionLog & StorePath, sessionId: string): Awaitable<Session> {
  // Of the options only the agents' names are not constant, and they come from the log.
  const read = (log: readonly Entry[]) =>
    restoring(store, sessionId, () => readSession(log), ["damaged-log", "bad-input"])
  return whenThere(store.load(sessionId), read)
}

/**
 * Restores a session of the store. A log that cannot be restored is the session's damage, for which there is a remedy;
 * `damage` has the codes of the errors that mean this.
 */
export function restoring<T>(
  store: StorePath,
  sessionId: string,
  restore: () => T,
  damage: readonly SottoError["code"][] = ["damaged-log"],
): T {
  try {
    return restore()
  } catch (error) {
    const isDamage = error instanceof SottoError ? damage.includes(error.code) : error instanceof TypeError
    if (!isDamage) throw error
    throw damagedSession(store.path, sessionId, `the log (${reasonOf(error).replace(/\.$/, "")})`, error)
  }
}

/** Restores the session of a log, for reading only: whatever agents the log names are taken to exist. */
export function readSession(log: readonly Entry[]): Session {
  const names = new Set(
    log.flatMap((entry) => {
      if (entry.type === "opened") return [entry.agent]
      return entry.type === "agent" ? [entry.name] : []
    }),
  )
  const agents = [...names].map((name) => ({ name }))
  return restoreSession({ agents, model: { id: "unknown" }, now: () => 0, newId: () => "unknown" }, log)
}
