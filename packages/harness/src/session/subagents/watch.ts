import type { Session } from "@sotto/core"
import type { HarnessEvent } from "../../tools/events/events.js"
import type { Child } from "./child.js"

export type SubagentListener = (session: Session, event: HarnessEvent) => void

/** Subagents as the program that shows their parent follows them: what happens in each, as it happens. */
export interface SubagentControl {
  /** Returns the way to stop listening. */
  onEvent(listener: SubagentListener): () => void
}

/** Passes on what happens in the subagents of one session. */
export class SubagentWatch implements SubagentControl {
  readonly #listeners = new Set<SubagentListener>()

  onEvent(listener: SubagentListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Opens a subagent's session by `open` with an `emit` that is heard here, too. */
  async watched<C extends Child>(
    emit: (event: HarnessEvent) => void,
    open: (emit: (event: HarnessEvent) => void) => Promise<C>,
  ): Promise<C> {
    const own: { session?: Session } = {}
    const child = await open((event) => {
      emit(event)
      if (own.session !== undefined) this.#tell(own.session, event)
    })
    own.session = child.conversation.session
    return child
  }

  #tell(session: Session, event: HarnessEvent): void {
    for (const listener of this.#listeners) listener(session, event)
  }
}
