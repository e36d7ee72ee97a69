import { picker } from "../state/picking.js"
import type { PickerItem } from "../state/ui.js"
import type { Core } from "./core.js"

/** One list at a time to choose from. */
export class Picking {
  readonly #core: Core
  #all: readonly PickerItem[] = []
  #done: ((value: string | undefined) => void) | undefined

  constructor(core: Core) {
    this.#core = core
  }

  get all(): readonly PickerItem[] {
    return this.#all
  }

  /** The value that was chosen; undefined if none was. */
  pick(title: string, items: readonly PickerItem[]): Promise<string | undefined> {
    this.picked(undefined)
    this.#all = items
    this.#core.store.update((ui) => ({ ...ui, picker: picker(title, items) }))
    return new Promise((resolve) => {
      this.#done = resolve
    })
  }

  picked(value: string | undefined): void {
    this.#core.store.update((ui) => (ui.picker ? { ...ui, picker: undefined } : ui))
    this.#done?.(value)
    this.#done = undefined
  }
}
