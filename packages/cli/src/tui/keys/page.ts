import type { KeyEvent } from "../input/keys.js"
import { graphemesOf } from "../text/width.js"
import type { Actions } from "./actions.js"
import type { Bindings } from "./bindings.js"
import { spelled } from "./key-names.js"

/** Keys while a page is in front: all of them are the topmost page's. What is typed fast comes in one piece. */
export function pageKey(event: KeyEvent, actions: Actions, bindings: Bindings): void {
  const pressed =
    event.type === "text" ? graphemesOf(event.text).map((text) => ({ ...event, text })) : [event]
  for (const one of pressed) press(one, actions, bindings)
}

function press(event: KeyEvent, actions: Actions, bindings: Bindings): void {
  const { pages, columns, rows } = actions.ui()
  const page = pages.at(-1)
  if (page === undefined) return
  const pressed = { event, move: bindings.moveFor(event), name: spelled(event) }
  const next = page.key(pressed, { columns, rows })
  actions.update((ui) => {
    // The key may have put another page on top of it.
    const place = ui.pages.lastIndexOf(page)
    if (place < 0) return ui
    return { ...ui, pages: next === "close" ? ui.pages.toSpliced(place, 1) : ui.pages.with(place, next) }
  })
}
