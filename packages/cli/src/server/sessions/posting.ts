import { randomUUID } from "node:crypto"
import type { Outcome, SessionCommand, Store } from "@sotto/harness"
import { ApiError } from "../errors.js"

/** How long to wait for a holder that lives and does not answer. */
const WAIT_MS = 10_000
const LOOK_MS = 100

/** What became of a command: what it returned, or that its holder has yet to carry it out. */
export type Posted = { readonly is: "done"; readonly result: unknown } | { readonly is: "waiting" }

/**
 * Has the process that holds a session carry out a command, through the store. `gone` is called when that process has
 * ended meanwhile: it opens the session here, which carries out what was posted.
 */
export async function postCommand(
  store: Store,
  sessionId: string,
  command: SessionCommand,
  gone: () => Promise<void>,
): Promise<Posted> {
  // A message is known by its own id: sent again, it is the same command.
  const id = command.type === "say" ? `say ${command.id}` : randomUUID()
  store.post(sessionId, { id, command })
  const started = Date.now()
  for (;;) {
    const outcome = store.outcome(sessionId, id)
    if (outcome !== undefined) return { is: "done", result: resultOf(outcome) }
    if (Date.now() - started > WAIT_MS) return { is: "waiting" }
    if (store.holder(sessionId) === undefined) await gone()
    await changed(store)
  }
}

function changed(store: Store): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const timer = setTimeout(done, LOOK_MS)
    const stop = store.onChange(done)
  })
}

function resultOf(outcome: Outcome): unknown {
  if (outcome.is === "done") return outcome.result
  throw new ApiError(400, outcome.code, outcome.message)
}
