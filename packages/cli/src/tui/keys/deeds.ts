import { toggle } from "../actions/appearance.js"
import { editOutside, pasteImage, searchHistory, travel } from "../actions/draft.js"
import { nextAgent, nextLevel, nextMode } from "../actions/modes.js"
import type { Deed, TerminalContext } from "../context.js"
import { insert, isEmpty, replaceRange } from "../input/buffer.js"
import { vertical } from "../input/layout.js"
import { abandoned, withBuffer } from "../state/draft.js"
import type { Draft } from "../state/ui.js"
import { inputWidth } from "../view/prompt.js"

const done = (work: (terminal: TerminalContext) => void) => (terminal: TerminalContext) => {
  work(terminal)
  return true
}

/** One entry for each. Who adds one adds it here, and nowhere else. */
export const DEEDS: readonly Deed[] = [
  {
    name: "send",
    keys: ["enter"],
    help: "send; while the agent works: at its next step",
    run: done((terminal) => {
      // A backslash before Enter: for terminals that know no other way to a new line.
      if (isBeforeCursor(terminal.ui().draft, "\\")) change(terminal, withLineBreak)
      else terminal.submit("next-step")
    }),
  },
  {
    name: "send-after-turn",
    keys: ["alt+enter"],
    help: "while it works: wait until the turn is over",
    run: done((terminal) => terminal.submit("after-turn")),
  },
  {
    name: "new-line",
    keys: ["ctrl+j", "shift+enter"],
    shown: "Ctrl+J, Shift+Enter",
    help: "a new line; \\ and Enter too",
    run: done((terminal) => change(terminal, (draft) => withBuffer(draft, insert(draft.buffer, "\n")))),
  },
  {
    name: "interrupt",
    keys: ["escape"],
    help: "interrupt; what you wrote and queued is kept",
    run: done((terminal) => {
      if (terminal.ui().draft.editing !== undefined) change(terminal, abandoned)
      else if (terminal.ui().screen.turn || terminal.ui().screen.typed) terminal.interrupt()
      else terminal.escapedIdle()
    }),
  },
  {
    name: "up",
    keys: ["up"],
    shown: "↑ in an empty input",
    help: "edit the newest queued message; then the history",
    run: done((terminal) => move(terminal, -1)),
  },
  { name: "down", keys: ["down"], run: done((terminal) => move(terminal, 1)) },
  { name: "older", keys: ["ctrl+p"], run: done((terminal) => travel(terminal, 1)) },
  { name: "newer", keys: ["ctrl+n"], run: done((terminal) => travel(terminal, -1)) },
  {
    name: "search-history",
    keys: ["ctrl+s"],
    help: "search what you said in this project",
    run: done((terminal) => searchHistory(terminal)),
  },
  {
    name: "edit-outside",
    keys: ["ctrl+g"],
    help: "write in your own editor ($VISUAL, $EDITOR)",
    run: done((terminal) => void editOutside(terminal)),
  },
  {
    name: "next-agent",
    keys: ["tab"],
    help: "the next agent",
    run: done((terminal) => nextAgent(terminal)),
  },
  {
    name: "next-mode",
    keys: ["shift+tab"],
    help: "the next mode: ask, accept edits, plan, auto",
    run: done((terminal) => nextMode(terminal)),
  },
  {
    name: "think",
    keys: ["alt+t"],
    help: "the next thinking level: off, low, medium, high, max",
    run: done((terminal) => nextLevel(terminal)),
  },
  {
    name: "asides",
    keys: ["ctrl+r"],
    help: "asides: show what the model is told beside your words",
    run: done((terminal) => toggle(terminal, "asides")),
  },
  {
    name: "unfold",
    keys: ["ctrl+o"],
    help: "show calls and thoughts in full, or in short again",
    run: done((terminal) => toggle(terminal, "unfolded")),
  },
  {
    name: "transcript",
    keys: ["ctrl+t"],
    help: "the transcript: open anything, search it, copy it",
    run: done((terminal) => terminal.command("transcript")),
  },
  {
    name: "paste-image",
    keys: ["ctrl+v"],
    help: "put in the image of the clipboard",
    run: done((terminal) => void pasteImage(terminal)),
  },
  {
    name: "tour",
    keys: ["ctrl+x"],
    help: "a tour, if the model is the rehearsal",
    run: done((terminal) => terminal.command("tour")),
  },
  {
    name: "redraw",
    keys: ["ctrl+l"],
    help: "draw everything again",
    run: done((terminal) => terminal.display.repaint()),
  },
  {
    name: "interrupt-or-leave",
    keys: ["ctrl+c"],
    help: "interrupt; twice: leave",
    run: done((terminal) => terminal.interruptOrLeave()),
  },
  {
    name: "leave",
    keys: ["ctrl+d"],
    shown: "Ctrl+D in an empty input",
    help: "leave",
    run: (terminal) => {
      if (!isEmpty(terminal.ui().draft.buffer)) return false
      terminal.quit()
      return true
    },
  },
  { name: "suspend", keys: ["ctrl+z"], run: done((terminal) => terminal.window.suspend()) },
  {
    name: "help",
    keys: ["?"],
    shown: "? in an empty input",
    help: "this list",
    run: (terminal) => {
      if (!isEmpty(terminal.ui().draft.buffer)) return false
      terminal.open("keys")
      return true
    },
  },
]

function change(terminal: TerminalContext, edit: (draft: Draft) => Draft): void {
  terminal.update((ui) => ({ ...ui, draft: edit(ui.draft) }))
}

/** Moves within the text while it has a row to go to, then through what was said before. */
function move(terminal: TerminalContext, by: 1 | -1): void {
  const { draft, columns } = terminal.ui()
  const moved = vertical(draft.buffer, inputWidth(columns), by)
  if (moved !== undefined) change(terminal, (one) => withBuffer(one, moved))
  else if (by === -1 || draft.back > 0) travel(terminal, by === -1 ? 1 : -1)
}

function isBeforeCursor({ buffer }: Draft, character: string): boolean {
  return buffer.text[buffer.cursor - 1] === character
}

function withLineBreak(draft: Draft): Draft {
  const { buffer } = draft
  return withBuffer(draft, replaceRange(buffer, buffer.cursor - 1, buffer.cursor, "\n"))
}
