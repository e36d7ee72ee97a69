import type { KeyEvent } from "../input/keys.js"
import { DEEDS, type Deed } from "./deeds.js"
import { moveOf, PAGE_KEYS, type PageMove } from "./page-keys.js"
import { spelled } from "./spelling.js"

/** Keys of the user's own, by what they do: `{"asides": ["ctrl+e"]}`. An empty list takes its keys away. */
export type OwnKeys = Readonly<Record<string, readonly string[]>>

/** Which key does what. */
export interface Bindings {
  deedFor(event: KeyEvent): Deed | undefined
  moveFor(event: KeyEvent): PageMove | undefined
  /** Every deed with the keys it has. */
  readonly deeds: readonly Deed[]
}

/** The table of deeds, with the user's own keys in place of the usual ones. */
export function bindingsWith(own: OwnKeys = {}): Bindings {
  const deeds = DEEDS.map((deed) => {
    const keys = own[deed.name]
    // A note about the usual keys says nothing of others.
    return keys === undefined
      ? deed
      : { ...deed, keys, ...(deed.shown !== undefined && { shown: keys.join(", ") }) }
  })
  const byKey = new Map(deeds.flatMap((deed) => deed.keys.map((key) => [key, deed] as const)))
  const moves = Object.fromEntries(
    Object.entries(PAGE_KEYS).map(([move, keys]) => [move, own[`page.${move}`] ?? keys]),
  ) as Readonly<Record<PageMove, readonly string[]>>
  return {
    deeds,
    deedFor: (event) => byKey.get(spelled(event)),
    moveFor: (event) => moveOf(event, moves),
  }
}

/** "ctrl+r" as people write it: Ctrl+R. */
export function named(key: string): string {
  return key
    .split("+")
    .map((part) => (part === "escape" ? "Esc" : part.charAt(0).toUpperCase() + part.slice(1)))
    .join("+")
}
