import { editText, reasonOf } from "@sotto/harness"
import type { TerminalContext } from "../context.js"
import { bufferWith, expand, rewritten } from "../input/buffer.js"
import { paste } from "../input/paste.js"
import { travelled, withBuffer } from "../state/draft.js"
import { clipboardImage } from "./clipboard.js"

/** Puts a text in place of what is written. */
export function write({ update }: TerminalContext, text: string): void {
  update((ui) => ({ ...ui, draft: withBuffer(ui.draft, bufferWith(text)) }))
}

export function pasteText({ update, workplace }: TerminalContext, text: string): void {
  update((ui) => ({ ...ui, draft: withBuffer(ui.draft, paste(ui.draft.buffer, text, workplace.cwd)) }))
}

/** Puts in the image of the clipboard, or says why there is none. */
export async function pasteImage(terminal: TerminalContext): Promise<void> {
  const image = await clipboardImage(terminal.workplace.env)
  if ("path" in image) pasteText(terminal, image.path)
  else terminal.hint(image.why)
}

/** Goes through what is queued and what was said before. */
export function travel({ ui, update, history }: TerminalContext, by: 1 | -1): void {
  const { draft, screen } = ui()
  const next = travelled(draft, by, screen.waiting, history.entries)
  if (next) update((before) => ({ ...before, draft: next }))
}

/** Looks through what was said in this project, the newest first. What is chosen comes into the input, and is not sent. */
export function searchHistory({ update, history, hint, ask }: TerminalContext): void {
  const entries = [...new Set(history.entries.toReversed())]
  if (entries.length === 0) {
    hint("Nothing was said in this project yet.")
    return
  }
  const items = entries.map((text, i) => ({ value: String(i), label: text.replaceAll(/\s*\n\s*/g, " ⏎ ") }))
  const chosen = (value: string | undefined) => {
    const text = value === undefined ? undefined : entries[Number(value)]
    if (text === undefined) return
    update((ui) => ({ ...ui, draft: { ...withBuffer(ui.draft, bufferWith(text)), back: 0 } }))
  }
  ask("Search what you said:", items, chosen, "in order")
}

/** Gives what is written to the person's own editor, and takes it back as it was left there. */
export async function editOutside({ ui, update, window, workplace, say }: TerminalContext): Promise<void> {
  if (window.isLent) return
  const { buffer } = ui().draft
  try {
    const text = await window.lend(() => editText(expand(buffer), workplace))
    update((before) => ({ ...before, draft: withBuffer(before.draft, rewritten(text, buffer)) }))
  } catch (error) {
    say(reasonOf(error), "error")
  }
}
