import { bufferWith } from "../input/buffer.js"
import { withBuffer } from "../state/draft.js"
import type { Core } from "./core.js"
import type { PickerMenu } from "./pick.js"

/** Looks through what was said in this project, the newest first. What is chosen comes into the input, and is not sent. */
export function searchHistory({ store, history, hint }: Core, picking: PickerMenu): void {
  const entries = [...new Set(history.entries.toReversed())]
  if (entries.length === 0) {
    hint("Nothing was said in this project yet.")
    return
  }
  const items = entries.map((text, i) => ({ value: String(i), label: text.replaceAll(/\s*\n\s*/g, " ⏎ ") }))
  const chosen = (value: string | undefined) => {
    const text = value === undefined ? undefined : entries[Number(value)]
    if (text === undefined) return
    store.update((ui) => ({ ...ui, draft: { ...withBuffer(ui.draft, bufferWith(text)), back: 0 } }))
  }
  picking.ask("Search what you said:", items, chosen, "in order")
}
