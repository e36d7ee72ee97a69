import type { Session } from "@sotto/core"
import type { HarnessEvent } from "@sotto/harness"
import { heard } from "./conversation-events.js"
import { waitingIn } from "./queue.js"
import { emptyScreen } from "./reduce.js"
import type { Screen } from "./screen.js"

/** The screens of subagents, as if each had a terminal of its own. */
export class SubagentScreens {
  readonly #screens = new Map<string, Screen>()

  hear(session: Session, event: HarnessEvent, now: number): void {
    const before = this.#screens.get(session.id) ?? emptyScreen(session.id, session.agent, session.model)
    const source = { session, waiting: () => waitingIn(session), model: () => ({ model: session.model }) }
    this.#screens.set(session.id, heard(before, event, source, now))
  }

  /** Undefined for one that has not worked since the conversation was opened. */
  of(id: string): Screen | undefined {
    return this.#screens.get(id)
  }

  clear(): void {
    this.#screens.clear()
  }
}
