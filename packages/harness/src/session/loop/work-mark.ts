import type { SessionLeases, SessionLog } from "../../store/contract.js"
import { StoreError } from "../../store/error.js"

/** What the mark needs of a store. */
type MarkedStore = Pick<SessionLeases, "setAtWork"> & Pick<SessionLog, "writeSoon">

/**
 * Says in the store that a session has work, so that another worker goes on with it if this one vanishes. It is said
 * before a command is entered, and comes to disk with it: who has a receipt need not send a message again.
 */
export class WorkMark {
  readonly #store: MarkedStore
  readonly #session: string
  /** What the store was told last; undefined while this worker has not told it. */
  #isOn: boolean | undefined

  constructor(store: MarkedStore, session: string) {
    this.#store = store
    this.#session = session
  }

  begin(): void {
    if (this.#isOn === true) return
    this.#store.setAtWork(this.#session, true)
    this.#isOn = true
  }

  /** Says that nothing is left to do. If the store cannot be told, another worker finds that out for itself. */
  end(): void {
    if (this.#isOn === false) return
    try {
      this.#store.setAtWork(this.#session, false)
      this.#store.writeSoon()
      this.#isOn = false
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      this.#isOn = undefined
    }
  }
}
