import { type KeyEvent, spelled } from "../input/keys.js"
import type { ScreenFrame } from "../text/line.js"

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A key on a page: as it was pressed, and the movement that it is bound to, if it is bound to one. */
export interface Press {
  readonly event: KeyEvent
  readonly move: PageMove | undefined
  /** The letter or the name of the key, for keys of the page's own. */
  readonly name: string
}

/**
 * A view that covers the conversation: the ledger, a list to look through, a text. It is a value: what a key makes of it
 * is another page in its place, or its end. Pages lie on each other, and only the topmost is seen and gets keys.
 */
export interface ScreenPage {
  readonly name: string
  view(size: Size): ScreenFrame
  key(press: Press, size: Size): ScreenPage | "close"
  renewed(): ScreenPage
}

/** What a kind of page consists of: state, keys and view. All of them pure, but for what a key asks to be done. */
export interface PageKind<State extends object> {
  readonly name: string
  view(state: State, size: Size): ScreenFrame
  /** The state after a key, or the end of the page. */
  key(state: State, press: Press, size: Size): State | "close"
  /** The state after something has happened in the conversation; pages that show nothing of it leave this out. */
  renew?(state: State): State
}

export function pageOf<State extends object>(kind: PageKind<State>, state: State): ScreenPage {
  const { name, view, key, renew } = kind
  const page: ScreenPage = {
    name,
    view: (size) => view(state, size),
    key: (press, size) => {
      const next = key(state, press, size)
      return next === "close" ? next : next === state ? page : pageOf(kind, next)
    },
    renewed: () => {
      const next = renew?.(state) ?? state
      return next === state ? page : pageOf(kind, next)
    },
  }
  return page
}

/** The names by which pages are opened. */
export type PageName =
  | "changes"
  | "keys"
  | "ledger"
  | "mcp"
  | "permissions"
  | "sessions"
  | "subagents"
  | "tasks"
  | "transcript"

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
