import { type Around, offerArguments, offerCommands } from "../commands/index.js"
import {
  accept,
  type Complete,
  type InputCompletion,
  sameTrigger,
  type Trigger,
  triggerIn,
} from "../input/completion.js"
import { offered, withBuffer, withoutOffer } from "../state/draft.js"
import type { Draft } from "../state/ui.js"
import type { Core } from "./core.js"

/** Offers what could be meant, as it is being typed. */
export class CompletionMenu {
  readonly #core: Core
  readonly #around: Around
  readonly #places: Complete
  #trigger: Trigger | undefined

  constructor(core: Core, around: Around, places: Complete) {
    this.#core = core
    this.#around = around
    this.#places = places
  }

  /** To be called when the text has changed. */
  async look(): Promise<void> {
    const { draft } = this.#core.store.get()
    const trigger = draft.back > 0 ? undefined : triggerIn(draft.buffer)
    if (sameTrigger(trigger, this.#trigger)) return
    this.#trigger = trigger
    if (trigger === undefined) return this.#change(withoutOffer)
    const items = trigger.kind === "mention" ? await this.#places(trigger.query) : this.#offers(trigger)
    // The answer to what was typed before is of no use any more.
    if (sameTrigger(trigger, this.#trigger)) this.#change((one) => offered(one, trigger, items))
  }

  /** Puts in what is chosen. Whether there is a command now that can be carried out. */
  accept(): boolean {
    const { draft } = this.#core.store.get()
    const chosen = draft.offer?.items[draft.offer.chosen]
    if (draft.offer === undefined || chosen === undefined) return false
    const { trigger } = draft.offer
    this.#change((one) => withoutOffer(withBuffer(one, accept(one.buffer, trigger, chosen))))
    // Typed in full, it is meant as it is.
    return trigger.kind !== "mention" && !(chosen.takesWords && chosen.text !== trigger.query)
  }

  #offers(trigger: Trigger): readonly InputCompletion[] {
    if (trigger.kind === "command") return offerCommands(trigger.query, this.#around)
    return offerArguments(trigger.command ?? "", trigger.query, this.#around)
  }

  #change(edit: (draft: Draft) => Draft): void {
    this.#core.store.update((ui) => {
      const draft = edit(ui.draft)
      return draft === ui.draft ? ui : { ...ui, draft }
    })
  }
}
