import { randomUUID } from "node:crypto"
import type { Outcome, SessionCommand, Store } from "@sotto/harness"
import { ApiError } from "../errors.js"

/** How long to wait for a holder that lives and does not answer. */
const WAIT_MS = 10_000
/** How often to look although nobody has told of a change. */
const LOOK_MS = 200
/** How often at most to look, however often changes are told of. */
const REST_MS = 25

/** What became of a command: what it returned, or that its holder has yet to carry it out. */
export type Posted = { readonly is: "done"; readonly result: unknown } | { readonly is: "waiting" }

/**
 * Has the process that holds a session carry out a command, through the store. `free` is called when nobody holds the
 * session, and may open it here, which carries out what was posted.
 */
export async function postCommand(
  store: Store,
  sessionId: string,
  command: SessionCommand,
  free: () => Promise<void>,
): Promise<Posted> {
  // A message is known by its own id: sent again, it is the same command.
  const id = command.type === "say" ? `say ${command.id}` : randomUUID()
  store.post(sessionId, { id, command })
  const started = Date.now()
  for (;;) {
    const outcome = store.outcome(sessionId, id)
    if (outcome !== undefined) return { is: "done", result: resultOf(outcome) }
    if (Date.now() - started > WAIT_MS) return { is: "waiting" }
    if (store.holder(sessionId) === undefined) await free()
    await changed(store)
  }
}

async function changed(store: Store): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const timer = setTimeout(done, LOOK_MS)
    const stop = store.onChange(done)
  })
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
}

function resultOf(outcome: Outcome): unknown {
  if (outcome.is === "done") return outcome.result
  throw new ApiError(400, outcome.code, outcome.message)
}
