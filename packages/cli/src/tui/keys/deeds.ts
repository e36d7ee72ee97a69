import { insert, isEmpty, replaceRange } from "../input/buffer.js"
import { vertical } from "../input/layout.js"
import { abandoned, withBuffer } from "../state/draft.js"
import type { Draft } from "../state/ui.js"
import { inputWidth } from "../view/prompt.js"
import type { Actions } from "./actions.js"

/** Something that keys do while a message is written. Its name is what a key is bound to. */
export interface Deed {
  readonly name: string
  /** The keys that do it, unless the user has chosen others: "ctrl+r", "shift+tab". */
  readonly keys: readonly string[]
  /** For the list of keys; left out of it if there is none. */
  readonly help?: string
  /** How the keys are written in that list, where their names alone would not say it. */
  readonly shown?: string
  /** False if it does not apply now: then the key does what it would do unbound. */
  run(actions: Actions): boolean | undefined
}

const done = (work: (actions: Actions) => void) => (actions: Actions) => {
  work(actions)
  return true
}

/** One entry for each. Who adds one adds it here, and nowhere else. */
export const DEEDS: readonly Deed[] = [
  {
    name: "send",
    keys: ["enter"],
    help: "send; while the agent works: reaches it at the next step",
    run: done((actions) => {
      // A backslash before Enter: for terminals that know no other way to a new line.
      if (isBeforeCursor(actions.ui().draft, "\\")) change(actions, withLineBreak)
      else actions.submit("next-step")
    }),
  },
  {
    name: "send-after-turn",
    keys: ["alt+enter"],
    help: "while it works: wait until the turn is over",
    run: done((actions) => actions.submit("after-turn")),
  },
  {
    name: "new-line",
    keys: ["ctrl+j", "shift+enter"],
    shown: "Ctrl+J, Shift+Enter, \\\\ Enter",
    help: "a new line",
    run: done((actions) => change(actions, (draft) => withBuffer(draft, insert(draft.buffer, "\n")))),
  },
  {
    name: "interrupt",
    keys: ["escape"],
    help: "interrupt; what you wrote and queued is kept",
    run: done((actions) => {
      if (actions.ui().draft.editing !== undefined) change(actions, abandoned)
      else if (actions.ui().screen.turn || actions.ui().screen.typed) actions.interrupt()
      else actions.escapedIdle()
    }),
  },
  {
    name: "up",
    keys: ["up"],
    shown: "↑ in an empty input",
    help: "edit the newest queued message; then the history",
    run: done((actions) => move(actions, -1)),
  },
  { name: "down", keys: ["down"], run: done((actions) => move(actions, 1)) },
  { name: "older", keys: ["ctrl+p"], run: done((actions) => actions.travel(1)) },
  { name: "newer", keys: ["ctrl+n"], run: done((actions) => actions.travel(-1)) },
  {
    name: "search-history",
    keys: ["ctrl+s"],
    help: "search what you said in this project",
    run: done((actions) => actions.searchHistory()),
  },
  {
    name: "edit-outside",
    keys: ["ctrl+g"],
    help: "write in your own editor ($VISUAL, $EDITOR)",
    run: done((actions) => actions.editOutside()),
  },
  {
    name: "next-agent",
    keys: ["tab"],
    help: "the next agent",
    run: done((actions) => actions.nextAgent()),
  },
  {
    name: "next-mode",
    keys: ["shift+tab"],
    help: "the next mode: ask, accept edits, plan, auto",
    run: done((actions) => actions.nextMode()),
  },
  {
    name: "think",
    keys: ["alt+t"],
    help: "the next thinking level: off, low, medium, high, max",
    run: done((actions) => actions.nextLevel()),
  },
  {
    name: "asides",
    keys: ["ctrl+r"],
    help: "asides: show what the model is told beside your words, where it was told",
    run: done((actions) => actions.toggle("asides")),
  },
  {
    name: "unfold",
    keys: ["ctrl+o"],
    help: "show calls and thoughts in full, or in short again",
    run: done((actions) => actions.toggle("unfolded")),
  },
  {
    name: "transcript",
    keys: ["ctrl+t"],
    help: "the transcript: open anything, search it, copy it",
    run: done((actions) => actions.command("transcript")),
  },
  {
    name: "paste-image",
    keys: ["ctrl+v"],
    help: "put in the image of the clipboard",
    run: done((actions) => actions.pasteImage()),
  },
  {
    name: "tour",
    keys: ["ctrl+x"],
    help: "a tour, if the model is the rehearsal",
    run: done((actions) => actions.command("tour")),
  },
  {
    name: "redraw",
    keys: ["ctrl+l"],
    help: "draw everything again",
    run: done((actions) => actions.redraw()),
  },
  {
    name: "interrupt-or-leave",
    keys: ["ctrl+c"],
    help: "interrupt; twice: leave",
    run: done((actions) => actions.interruptOrLeave()),
  },
  {
    name: "leave",
    keys: ["ctrl+d"],
    shown: "Ctrl+D in an empty input",
    help: "leave",
    run: (actions) => {
      if (!isEmpty(actions.ui().draft.buffer)) return false
      actions.leave()
      return true
    },
  },
  { name: "suspend", keys: ["ctrl+z"], run: done((actions) => actions.suspend()) },
  {
    name: "help",
    keys: ["?"],
    shown: "? in an empty input",
    help: "this list",
    run: (actions) => {
      if (!isEmpty(actions.ui().draft.buffer)) return false
      actions.command("help")
      return true
    },
  },
]

function change(actions: Actions, edit: (draft: Draft) => Draft): void {
  actions.update((ui) => ({ ...ui, draft: edit(ui.draft) }))
}

/** Within the text while there is a row to go to, then through what was said before. */
function move(actions: Actions, by: 1 | -1): void {
  const { draft, columns } = actions.ui()
  const moved = vertical(draft.buffer, inputWidth(columns), by)
  if (moved !== undefined) change(actions, (one) => withBuffer(one, moved))
  else if (by === -1 || draft.back > 0) actions.travel(by === -1 ? 1 : -1)
}

function isBeforeCursor({ buffer }: Draft, character: string): boolean {
  return buffer.text[buffer.cursor - 1] === character
}

function withLineBreak(draft: Draft): Draft {
  const { buffer } = draft
  return withBuffer(draft, replaceRange(buffer, buffer.cursor - 1, buffer.cursor, "\n"))
}
