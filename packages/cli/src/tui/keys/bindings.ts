import type { Bindings } from "../context.js"
import { spelled } from "../input/keys.js"
import { DEEDS } from "./deeds.js"
import { type OwnKeys, takerOf } from "./own-keys.js"
import { moveOf, PAGE_KEYS, type PageMove } from "./page-keys.js"

/** The table of deeds, with the user's own keys in place of the usual ones. */
export function bindingsWith(own: OwnKeys = {}): Bindings {
  const deeds = DEEDS.map((deed) => {
    const keys = own[deed.name] ?? leftOf(deed.name, deed.keys, own)
    // A note about the usual keys says nothing of others.
    return keys === deed.keys
      ? deed
      : { ...deed, keys, ...(deed.shown !== undefined && { shown: keys.map(named).join(", ") }) }
  })
  const byKey = new Map(deeds.flatMap((deed) => deed.keys.map((key) => [key, deed] as const)))
  const moves = Object.fromEntries(
    Object.entries(PAGE_KEYS).map(([move, keys]) => [
      move,
      own[`page.${move}`] ?? leftOf(`page.${move}`, keys, own),
    ]),
  ) as Readonly<Record<PageMove, readonly string[]>>
  return {
    deeds,
    deedFor: (event) => byKey.get(spelled(event)),
    moveFor: (event) => moveOf(event, moves),
  }
}

/** The usual keys without those that are for something else now. */
function leftOf(action: string, usual: readonly string[], own: OwnKeys): readonly string[] {
  const left = usual.filter((key) => takerOf(key, action, own) === undefined)
  return left.length === usual.length ? usual : left
}

/** "ctrl+r" as people write it: Ctrl+R. */
export function named(key: string): string {
  return key
    .split("+")
    .map((part) => (part === "escape" ? "Esc" : part.charAt(0).toUpperCase() + part.slice(1)))
    .join("+")
}
