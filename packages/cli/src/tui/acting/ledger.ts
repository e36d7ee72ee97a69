import type { LedgerActions } from "../keys/actions.js"
import { settingsFiles } from "../settings/places.js"
import { writeReminder } from "../settings/write.js"
import { kindsOf, type Ledger } from "../state/ledger.js"
import { type Core, guarded } from "./core.js"

/** The page of the ledger, and what can be done on it. */
export class LedgerPage implements LedgerActions {
  readonly #core: Core
  /** Until a step tells it, the ledger does not know. */
  #switched = new Map<string, boolean>()

  constructor(core: Core) {
    this.#core = core
  }

  /** Another session has switches of its own. */
  reset(): void {
    this.#switched = new Map()
  }

  show(): void {
    this.#core.stage().redraw(() => this.#set((ui) => this.#read(ui)))
  }

  close(): void {
    this.#core.stage().redraw(() => this.#core.store.update((ui) => ({ ...ui, ledger: undefined })))
  }

  forSession(): void {
    const kind = this.#chosen()
    if (kind === undefined) return
    const on = !kind.on
    guarded(this.#core, () => {
      this.#switch(kind.kind, on)
      this.#renew(`${kind.kind} is ${on ? "on" : "off"} for this session, from the next step`)
    })
  }

  forGood(where: "project" | "user"): void {
    const kind = this.#chosen()
    if (kind === undefined) return
    const { workplace } = this.#core
    const path = settingsFiles(workplace.cwd, workplace.env, workplace.config.files)[where]
    const on = !kind.on
    guarded(this.#core, () => {
      writeReminder(path, kind.kind, on)
      this.#switch(kind.kind, on)
      this.#renew(`${kind.kind} is ${on ? "on" : "off"} for good, by ${path}`)
    })
  }

  #switch(kind: string, on: boolean): void {
    this.#core.talk().conversation.setReminder(kind, on)
    this.#switched.set(kind, on)
  }

  #chosen(): Ledger["kinds"][number] | undefined {
    const { ledger } = this.#core.store.get()
    return ledger?.kinds[ledger.chosen]
  }

  /** The list anew, with the same kind chosen wherever it stands now. */
  #renew(message: string): void {
    const kind = this.#chosen()?.kind
    this.#set((before) => {
      const ledger = { ...this.#read(before), message }
      return {
        ...ledger,
        chosen: Math.max(
          0,
          ledger.kinds.findIndex((one) => one.kind === kind),
        ),
      }
    })
  }

  #read(before: Ledger | undefined): Ledger {
    const { store } = this.#core
    const talk = this.#core.talk()
    const kinds = kindsOf(talk.session.ledger(), talk.session.asides(), this.#switched)
    const context = store.get().screen.tally.context
    return { kinds, context, chosen: before?.chosen ?? 0, open: false, asks: false, message: undefined }
  }

  #set(change: (ledger: Ledger | undefined) => Ledger): void {
    this.#core.store.update((ui) => ({ ...ui, ledger: change(ui.ledger) }))
  }
}
