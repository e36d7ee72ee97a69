import { pasteText } from "../actions/draft.js"
import type { TerminalContext } from "../context.js"
import { insert } from "../input/buffer.js"
import { editWith } from "../input/edits.js"
import { type Key, type KeyEvent, spelled } from "../input/keys.js"
import { chose, withBuffer, withoutOffer } from "../state/draft.js"
import { type Draft, moved, narrowed, type Picker, type PickerItem } from "../state/ui.js"
import { graphemesOf } from "../text/width.js"
import { questionKey } from "./question.js"

/** Items of a list that a page up or down passes over. */
const PICKER_PAGE = 8

/**
 * Gives a key to what is in front: a page, a question, a list, or else what is being written.
 * @param all the items of the list, of which it shows those that fit what was typed
 */
export function pressKey(event: KeyEvent, terminal: TerminalContext, all: readonly PickerItem[]): void {
  const { pages, asking, picker } = terminal.ui()
  if (pages.length > 0) pageKey(event, terminal)
  else if (asking.open.length > 0 && (unfolds(event, terminal) || questionKey(event, terminal))) return
  else if (picker) pickerKey(event, all, terminal)
  else draftKey(event, terminal)
}

/** Unfolds the diff that a question is about. It is part of the question: whoever does that has not turned away. */
function unfolds(event: KeyEvent, terminal: TerminalContext): boolean {
  const { focus, entry } = terminal.ui().asking
  if (focus !== "question" || entry !== undefined) return false
  const deed = terminal.bindings.deedFor(event)
  return deed?.name === "unfold" && deed.run(terminal) === true
}

/** Keys while a page is in front: all of them are the topmost page's. What is typed fast comes in one piece. */
function pageKey(event: KeyEvent, terminal: TerminalContext): void {
  const pressed =
    event.type === "text" ? graphemesOf(event.text).map((text) => ({ ...event, text })) : [event]
  for (const one of pressed) pressOnPage(one, terminal)
}

function pressOnPage(event: KeyEvent, terminal: TerminalContext): void {
  const { pages, columns, rows } = terminal.ui()
  const page = pages.at(-1)
  if (page === undefined) return
  const pressed = { event, move: terminal.bindings.moveFor(event), name: spelled(event) }
  const next = page.key(pressed, { columns, rows })
  terminal.update((ui) => {
    // The key may have put another page on top of it.
    const place = ui.pages.lastIndexOf(page)
    if (place < 0) return ui
    return { ...ui, pages: next === "close" ? ui.pages.toSpliced(place, 1) : ui.pages.with(place, next) }
  })
}

/** Keys while there is a list to choose from. */
function pickerKey(event: KeyEvent, all: readonly PickerItem[], terminal: TerminalContext): void {
  const { picker } = terminal.ui()
  if (picker === undefined) return
  const change = (edit: (picker: Picker) => Picker) =>
    terminal.update((ui) => (ui.picker ? { ...ui, picker: edit(ui.picker) } : ui))
  if (event.type === "text" || event.type === "paste")
    change((one) => narrowed(one, one.filter + event.text.replaceAll("\n", " "), all))
  if (event.type !== "key") return
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    down: 1,
    pageup: -PICKER_PAGE,
    pagedown: PICKER_PAGE,
    tab: 1,
  }
  const by = steps[event.name]
  if (by !== undefined) change((one) => moved(one, event.shift ? -by : by))
  else if (event.name === "enter") terminal.picked(picker.items[picker.chosen]?.value)
  else if (event.name === "escape") terminal.picked(undefined)
  else if (event.name === "backspace")
    change((one) => narrowed(one, graphemesOf(one.filter).slice(0, -1).join(""), all))
}

/** Keys while a message is written: for what is offered, for what is bound to them, and else to write with. */
function draftKey(event: KeyEvent, terminal: TerminalContext): void {
  const change = (edit: (draft: Draft) => Draft) =>
    terminal.update((ui) => ({ ...ui, draft: edit(ui.draft) }))
  const { draft } = terminal.ui()
  if (event.type === "key" && draft.offer !== undefined && offerKey(event, terminal, change)) return
  if (terminal.bindings.deedFor(event)?.run(terminal)) return
  if (event.type === "text") change((one) => withBuffer(one, insert(one.buffer, event.text)))
  else if (event.type === "paste") pasteText(terminal, event.text)
  else if (event.type === "key") {
    const edited = editWith(event, draft.buffer, draft.clip)
    if (edited) change((one) => ({ ...withBuffer(one, edited.buffer), clip: edited.clip }))
  }
}

/** True if the key was one for what is offered. */
function offerKey(
  key: Key,
  terminal: TerminalContext,
  change: (edit: (draft: Draft) => Draft) => void,
): boolean {
  if (key.ctrl || key.alt) return false
  switch (key.name) {
    case "up":
      change((draft) => chose(draft, -1))
      return true
    case "down":
      change((draft) => chose(draft, 1))
      return true
    case "escape":
      change(withoutOffer)
      return true
    case "tab":
    case "enter":
      if (key.shift) return false
      terminal.accept(key.name === "enter")
      return true
    default:
      return false
  }
}
