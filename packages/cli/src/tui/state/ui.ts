import { type Buffer, EMPTY } from "../input/buffer.js"
import { type InputCompletion, ranked, type Trigger } from "../input/completion.js"
import type { ScreenPage } from "../pages/page.js"
import { type Leave, NOBODY_ASKS, type QuestionQueue } from "./open-questions.js"
import type { Screen } from "./screen.js"

/** What is being written, and what is offered for it. */
export interface Draft {
  readonly buffer: Buffer
  /** What was cut out last. */
  readonly clip: string
  /** The queued message whose words these are. */
  readonly editing: string | undefined
  /** How far back in the history this is; 0 is a text of its own, kept aside meanwhile. */
  readonly back: number
  readonly own: Buffer
  readonly offer:
    | { readonly trigger: Trigger; readonly items: readonly InputCompletion[]; readonly chosen: number }
    | undefined
}

export const NEW_DRAFT: Draft = {
  ...{ buffer: EMPTY, clip: "", editing: undefined, back: 0, own: EMPTY, offer: undefined },
}

export interface PickerItem {
  readonly label: string
  readonly detail?: string
  readonly value: string
}

/** A list to choose from, narrowed by typing. */
export interface Picker {
  readonly title: string
  readonly items: readonly PickerItem[]
  readonly filter: string
  readonly chosen: number
  /** How it is narrowed: by letters, the closest first, or by words, in the order of the list. */
  readonly order: "best first" | "in order"
}

/** What of the conversation is in sight. */
export interface Shows {
  /** What the model was told and the user was not. */
  readonly asides: boolean
  /** Everything that went into calls and came out of them. */
  readonly unfolded: boolean
}

/** Everything that is drawn. */
export interface Ui {
  readonly screen: Screen
  readonly draft: Draft
  readonly asking: QuestionQueue
  readonly leave: Leave
  readonly picker: Picker | undefined
  /** What covers the conversation; the last is seen. */
  readonly pages: readonly ScreenPage[]
  readonly shows: Shows
  /** True while the tour is on: Esc leaves it. */
  readonly tour: boolean
  /** A word about what a key would do now. */
  readonly hint: string | undefined
  readonly columns: number
  readonly rows: number
  readonly now: number
}

export function newUi(screen: Screen, columns: number, rows: number, now: number): Ui {
  return {
    ...{ screen, draft: NEW_DRAFT, asking: NOBODY_ASKS, leave: "ask", picker: undefined, pages: [] },
    ...{ shows: { asides: false, unfolded: false }, tour: false, hint: undefined, columns, rows, now },
  }
}

/** Holds a value, and tells when it has changed. */
export class Observable<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  readonly get = (): T => this.#value

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  update(change: (value: T) => T): void {
    const next = change(this.#value)
    if (next === this.#value) return
    this.#value = next
    for (const listener of [...this.#listeners]) listener()
  }
}

export function picker(
  title: string,
  items: readonly PickerItem[],
  order: Picker["order"] = "best first",
): Picker {
  return { title, items, filter: "", chosen: 0, order }
}

export function moved(picker: Picker, by: number): Picker {
  const last = Math.max(0, picker.items.length - 1)
  return { ...picker, chosen: Math.max(0, Math.min(last, picker.chosen + by)) }
}

export function narrowed(picker: Picker, filter: string, all: readonly PickerItem[]): Picker {
  const items =
    picker.order === "in order"
      ? all.filter(({ label }) => hasWords(label, filter))
      : ranked(filter, all, ({ label }) => label, all.length)
  return { ...picker, filter, chosen: 0, items }
}

function hasWords(label: string, filter: string): boolean {
  const lower = label.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}
