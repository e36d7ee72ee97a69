import type { Entry } from "@sotto/core"
import type { HarnessEvent } from "@sotto/harness"
import { reduce } from "./reduce.js"
import { saidEvents } from "./restore.js"
import type { Screen, ScreenEvent } from "./screen.js"

/** What the screen has to ask of a conversation that goes on: events do not carry everything. */
export interface ConversationSource {
  readonly session: { readonly log: readonly Entry[] }
  waiting(): Screen["waiting"]
  model(): Omit<Extract<ScreenEvent, { type: "model-is" }>, "type">
}

/** The screen after an event of a live conversation. */
export function heard(screen: Screen, event: HarnessEvent, source: ConversationSource, now: number): Screen {
  const before = event.type === "queued" ? queued(screen, event.id, source, now) : screen
  const after = reduce(before, event, now)
  return event.type === "step" ? reduce(after, { type: "model-is", ...source.model() }, now) : after
}

/** The person's words wait; that work in the background is over is worth a line of its own. */
function queued(screen: Screen, id: string, { session, waiting }: ConversationSource, now: number): Screen {
  const said = session.log.findLast((entry) => entry.type === "said" && entry.id === id)
  const over = said?.type === "said" ? saidEvents(said, screen) : []
  const told = over.filter(({ type }) => type === "task-over")
  return [...told, { type: "waiting", waiting: waiting() } as const].reduce(
    (before, event) => reduce(before, event, now),
    screen,
  )
}
