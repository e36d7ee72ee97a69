import { insert, isEmpty, replaceRange } from "../input/buffer.js"
import { editWith } from "../input/editing.js"
import type { Key, KeyEvent } from "../input/keys.js"
import { vertical } from "../input/layout.js"
import { abandoned, chose, withBuffer, withoutOffer } from "../state/drafting.js"
import type { Draft } from "../state/ui.js"
import { inputWidth } from "../view/prompt.js"
import type { Actions } from "./actions.js"

/** Keys while a message is written. */
export function draftKey(event: KeyEvent, actions: Actions): void {
  const change = (edit: (draft: Draft) => Draft) => actions.update((ui) => ({ ...ui, draft: edit(ui.draft) }))
  if (event.type === "text") {
    const { draft } = actions.ui()
    if (event.text === "?" && isEmpty(draft.buffer)) actions.help()
    else change((one) => withBuffer(one, insert(one.buffer, event.text)))
  } else if (event.type === "paste") actions.paste(event.text)
  else if (event.type === "key") pressed(event, actions, change)
}

function pressed(key: Key, actions: Actions, change: (edit: (draft: Draft) => Draft) => void): void {
  const { draft } = actions.ui()
  if (draft.offer !== undefined && offerKey(key, actions, change)) return
  if (shortcut(key, actions)) return
  if (movement(key, actions, change)) return
  const edited = editWith(key, draft.buffer, draft.clip)
  if (edited) change((one) => ({ ...withBuffer(one, edited.buffer), clip: edited.clip }))
}

/** Whether the key sends, switches, stops or goes through what was said. */
function movement(key: Key, actions: Actions, change: (edit: (draft: Draft) => Draft) => void): boolean {
  const { draft } = actions.ui()
  switch (key.name) {
    case "enter":
      if (key.shift) return false
      if (key.alt) actions.submit("after-turn")
      else if (breaksLine(draft)) change(withLineBreak)
      else actions.submit("next-step")
      return true
    case "tab":
      if (key.shift) actions.nextMode()
      else actions.nextAgent()
      return true
    case "escape":
      escaped(draft, actions, change)
      return true
    case "up":
    case "down":
      verticalKey(key.name === "up" ? -1 : 1, actions, change)
      return true
    default:
      return false
  }
}

/** Whether the key was one for what is offered. */
function offerKey(key: Key, actions: Actions, change: (edit: (draft: Draft) => Draft) => void): boolean {
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
      actions.accept(key.name === "enter")
      return true
    default:
      return false
  }
}

function shortcut({ name, ctrl, alt }: Key, actions: Actions): boolean {
  if (!ctrl || alt) return false
  switch (name) {
    case "d":
      if (!isEmpty(actions.ui().draft.buffer)) return false
      actions.leave()
      return true
    case "l":
      actions.redraw()
      return true
    case "o":
      actions.unfold()
      return true
    case "r":
      actions.showAsides()
      return true
    case "z":
      actions.suspend()
      return true
    case "p":
    case "n":
      actions.travel(name === "p" ? 1 : -1)
      return true
    default:
      return false
  }
}

function escaped(draft: Draft, actions: Actions, change: (edit: (draft: Draft) => Draft) => void): void {
  if (draft.editing !== undefined) change(abandoned)
  else if (actions.ui().screen.turn) actions.interrupt()
  else actions.escapedIdle()
}

/** Within the text while there is a row to go to, then through what was said before. */
function verticalKey(by: 1 | -1, actions: Actions, change: (edit: (draft: Draft) => Draft) => void): void {
  const { draft, columns } = actions.ui()
  const moved = vertical(draft.buffer, inputWidth(columns), by)
  if (moved !== undefined) change((one) => withBuffer(one, moved))
  else if (by === -1 || draft.back > 0) actions.travel(by === -1 ? 1 : -1)
}

/** A backslash before Enter: for terminals that know no other way. */
function breaksLine({ buffer }: Draft): boolean {
  return buffer.text[buffer.cursor - 1] === "\\"
}

function withLineBreak(draft: Draft): Draft {
  const { buffer } = draft
  return withBuffer(draft, replaceRange(buffer, buffer.cursor - 1, buffer.cursor, "\n"))
}
