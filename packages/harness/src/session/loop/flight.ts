import type { Reply, Request, Session } from "@sotto/core"
import type { ModelLink } from "../../models/model-link.js"
import type { HarnessEvent } from "../../tools/events/events.js"

/** The model call that is under way, if one is: what of it has come, and whether it is still of use. */
export class Flight {
  readonly #session: Session
  readonly #link: ModelLink
  #abort = new AbortController()
  #request: Request | undefined
  #said: (() => Reply) | undefined

  constructor(session: Session, link: ModelLink) {
    this.#session = session
    this.#link = link
  }

  /**
   * Makes the call ready, and sends it after what it has to wait for, which each attempt asks anew. Throws when it
   * fails or is cut short; whether anybody still waits for it says `isAwaited`.
   */
  async call(
    request: Request,
    after: () => Promise<void>,
    tell: (event: HarnessEvent) => void,
  ): Promise<Reply> {
    if (this.#abort.signal.aborted) this.#abort = new AbortController()
    this.#request = request
    try {
      return await this.#link.call(request, {
        signal: this.#abort.signal,
        after,
        onDelta: tell,
        onRetry: tell,
        onPartial: (said) => {
          this.#said = said
        },
      })
    } finally {
      this.#request = undefined
      this.#said = undefined
    }
  }

  isAwaited(request: Request): boolean {
    const { pending } = this.#session
    return pending.is === "request" && pending.request.id === request.id
  }

  /** Keeps what the model has said so far when its call is cut short. */
  keepWords(): void {
    if (this.#request && this.#said) this.#session.partial(this.#request.id, this.#said())
  }

  dropIfStale(): void {
    if (this.#request && !this.isAwaited(this.#request)) this.drop()
  }

  drop(): void {
    this.#abort.abort()
  }
}
