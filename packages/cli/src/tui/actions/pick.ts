import type { TerminalContext } from "../context.js"
import { picker } from "../state/picker.js"
import type { Picker, PickerItem } from "../state/ui.js"

/** One list at a time to choose from. */
export class PickerMenu {
  readonly #terminal: TerminalContext
  #all: readonly PickerItem[] = []
  #done: ((value: string | undefined) => void) | undefined

  constructor(terminal: TerminalContext) {
    this.#terminal = terminal
  }

  get all(): readonly PickerItem[] {
    return this.#all
  }

  /** The value that was chosen; undefined if none was. */
  pick(title: string, items: readonly PickerItem[], order?: Picker["order"]): Promise<string | undefined> {
    return new Promise((resolve) => this.ask(title, items, resolve, order))
  }

  /** The same for what must have happened before the next key is looked at, which may have come together with the choice. */
  ask(
    title: string,
    items: readonly PickerItem[],
    done: (value: string | undefined) => void,
    order: Picker["order"] = "best first",
  ): void {
    this.picked(undefined)
    this.#all = items
    this.#terminal.update((ui) => ({ ...ui, picker: picker(title, items, order) }))
    this.#done = done
  }

  picked(value: string | undefined): void {
    const done = this.#done
    this.#done = undefined
    this.#terminal.update((ui) => (ui.picker ? { ...ui, picker: undefined } : ui))
    done?.(value)
  }
}
