import type { Entry, Session } from "@sotto/core"
import type { HarnessEvent } from "@sotto/harness"
import { emptyScreen, reduce } from "./reduce.js"
import { saidEvents, wordsOf } from "./restore.js"
import type { Screen, ScreenEvent, WaitingMessage } from "./screen.js"

/** What the screen has to ask of a conversation that goes on: events do not carry everything. */
export interface ConversationSource {
  readonly session: { readonly log: readonly Entry[] }
  waiting(): Screen["waiting"]
  model(): Omit<Extract<ScreenEvent, { type: "model-is" }>, "type">
}

export function heard(screen: Screen, event: HarnessEvent, source: ConversationSource, now: number): Screen {
  const before = event.type === "queued" ? queued(screen, event.id, source, now) : screen
  const after = reduce(before, event, now)
  return event.type === "step" ? reduce(after, { type: "model-is", ...source.model() }, now) : after
}

/** Shows that the person's words wait. The end of work in the background gets a line of its own. */
function queued(screen: Screen, id: string, { session, waiting }: ConversationSource, now: number): Screen {
  const said = session.log.findLast((entry) => entry.type === "said" && entry.id === id)
  const over = said?.type === "said" ? saidEvents(said, screen) : []
  const told = over.filter(({ type }) => type === "task-over")
  return [...told, { type: "waiting", waiting: waiting() } as const].reduce(
    (before, event) => reduce(before, event, now),
    screen,
  )
}

/** Lists what the person has said in a session and the model has not been given, oldest first. */
export function waitingIn(session: Session): readonly WaitingMessage[] {
  return session
    .queue()
    .filter(({ origin, hidden }) => origin.kind === "human" && !hidden)
    .map(({ id, content, delivery, held }) => ({ id, text: wordsOf(content), delivery, held }))
}

/** The screens of subagents, as if each had a terminal of its own. */
export class SubagentScreens {
  readonly #screens = new Map<string, Screen>()

  hear(session: Session, event: HarnessEvent, now: number): void {
    const before = this.#screens.get(session.id) ?? emptyScreen(session.id, session.agent, session.model)
    const source = { session, waiting: () => waitingIn(session), model: () => ({ model: session.model }) }
    this.#screens.set(session.id, heard(before, event, source, now))
  }

  /** Returns undefined for a subagent that has not worked since the conversation was opened. */
  of(id: string): Screen | undefined {
    return this.#screens.get(id)
  }

  clear(): void {
    this.#screens.clear()
  }
}
