import { editText, reasonOf } from "@sotto/harness"
import { expand, rewritten } from "../input/buffer.js"
import { withBuffer } from "../state/draft.js"
import type { TerminalWindow } from "../terminal/window.js"
import type { Core } from "./core.js"

/** What is written goes to the person's own editor, and comes back as it was left there. */
export async function editOutside(core: Core, window: TerminalWindow): Promise<void> {
  if (window.isLent) return
  const { store, workplace, say } = core
  const { buffer } = store.get().draft
  try {
    const text = await window.lend(() => editText(expand(buffer), workplace))
    store.update((ui) => ({ ...ui, draft: withBuffer(ui.draft, rewritten(text, buffer)) }))
  } catch (error) {
    say(reasonOf(error), "error")
  }
}
