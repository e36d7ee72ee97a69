import type { TerminalContext } from "../context.js"
import { bufferWith, expand, insert } from "../input/buffer.js"
import { editWith } from "../input/edits.js"
import type { Key, KeyEvent } from "../input/keys.js"
import {
  type AnswerDraft,
  type Option,
  type QuestionQueue,
  turnedTo,
  wroteOn,
} from "../state/open-questions.js"

/** Keys while something is asked. Whether the key was for the question; if not, it is for what is being written. */
export function questionKey(event: KeyEvent, terminal: TerminalContext): boolean {
  const { asking } = terminal.ui()
  const change = (edit: (asking: QuestionQueue) => QuestionQueue) =>
    terminal.update((ui) => ({ ...ui, asking: edit(ui.asking) }))
  if (asking.entry) return entryKey(event, asking.entry, terminal, change)
  const isTab = event.type === "key" && event.name === "tab" && !event.shift
  if (asking.focus !== "question") {
    if (isTab && asking.focus === "draft" && terminal.ui().draft.offer === undefined) {
      change(turnedTo)
      return true
    }
    // It has only just appeared: a user who types has not seen it, and goes on writing.
    change(wroteOn)
    return false
  }
  if (isTab) {
    change(wroteOn)
    return true
  }
  const options = optionsIn(asking)
  if (event.type === "text") {
    const chosen = /^[1-9]$/.test(event.text) ? Number(event.text) - 1 : -1
    if (options[chosen] !== undefined) {
      choose(chosen, terminal, change)
      return true
    }
  }
  if (event.type === "key" && choiceKey(event, asking, options.length, terminal, change)) return true
  change(wroteOn)
  return false
}

type Change = (edit: (asking: QuestionQueue) => QuestionQueue) => void

function choiceKey(
  { name, ctrl, alt }: Key,
  asking: QuestionQueue,
  count: number,
  terminal: TerminalContext,
  change: Change,
): boolean {
  if (ctrl || alt) return false
  switch (name) {
    case "up":
    case "down": {
      const by = name === "up" ? -1 : 1
      change((one) => ({ ...one, choice: (one.choice + by + count) % count }))
      return true
    }
    case "enter":
      choose(asking.choice, terminal, change)
      return true
    case "escape":
      change(wroteOn)
      return true
    default:
      return false
  }
}

function choose(option: number, terminal: TerminalContext, change: Change): void {
  const words = optionsIn(terminal.ui().asking)[option]?.words
  if (words === undefined) terminal.answer(option, "")
  else change((asking) => ({ ...asking, choice: option, entry: { option, buffer: bufferWith(words) } }))
}

/** Words that go with an answer. They are the answer's alone: the draft is not touched. */
function entryKey(event: KeyEvent, entry: AnswerDraft, terminal: TerminalContext, change: Change): boolean {
  const write = (buffer: AnswerDraft["buffer"]) =>
    change((asking) => ({ ...asking, entry: { ...entry, buffer } }))
  if (event.type === "text" || event.type === "paste") write(insert(entry.buffer, event.text))
  if (event.type !== "key") return true
  if (event.name === "escape") change((asking) => ({ ...asking, entry: undefined }))
  else if (event.name === "enter" && !event.shift) terminal.answer(entry.option, expand(entry.buffer).trim())
  else {
    const edited = editWith(event, entry.buffer, "")
    if (edited) write(edited.buffer)
  }
  return true
}

function optionsIn({ open }: QuestionQueue): readonly Option[] {
  return open[0]?.options ?? []
}
