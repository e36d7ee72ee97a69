import { insert } from "../input/buffer.js"
import { editWith } from "../input/edits.js"
import type { Key, KeyEvent } from "../input/keys.js"
import { chose, withBuffer, withoutOffer } from "../state/draft.js"
import type { Draft } from "../state/ui.js"
import type { Actions } from "./actions.js"
import type { Bindings } from "./bindings.js"

/** Keys while a message is written: for what is offered, for what is bound to them, and else to write with. */
export function draftKey(event: KeyEvent, actions: Actions, bindings: Bindings): void {
  const change = (edit: (draft: Draft) => Draft) => actions.update((ui) => ({ ...ui, draft: edit(ui.draft) }))
  const { draft } = actions.ui()
  if (event.type === "key" && draft.offer !== undefined && offerKey(event, actions, change)) return
  if (bindings.deedFor(event)?.run(actions)) return
  if (event.type === "text") change((one) => withBuffer(one, insert(one.buffer, event.text)))
  else if (event.type === "paste") actions.paste(event.text)
  else if (event.type === "key") {
    const edited = editWith(event, draft.buffer, draft.clip)
    if (edited) change((one) => ({ ...withBuffer(one, edited.buffer), clip: edited.clip }))
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
