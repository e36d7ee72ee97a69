import { type KeyEvent, spelled } from "../input/keys.js"

/** How one moves about on a page, whatever it shows. */
export type PageMove = "up" | "down" | "page-up" | "page-down" | "top" | "bottom" | "open" | "close"

/** The keys of pages. They can be bound anew like those of the conversation. */
export const PAGE_KEYS: Readonly<Record<PageMove, readonly string[]>> = {
  up: ["up", "k"],
  down: ["down", "j"],
  "page-up": ["pageup", "ctrl+b"],
  "page-down": ["pagedown", "ctrl+f", "space"],
  top: ["home", "g"],
  bottom: ["end", "G"],
  open: ["enter"],
  close: ["escape", "q"],
}

export function moveOf(event: KeyEvent, keys: Readonly<Record<PageMove, readonly string[]>> = PAGE_KEYS) {
  const pressed = spelled(event)
  const found = Object.entries(keys).find(([, bound]) => bound.includes(pressed))
  return found?.[0] as PageMove | undefined
}
