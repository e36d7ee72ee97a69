import type { TerminalContext } from "../context.js"
import { EMPTY, expand, isEmpty } from "../input/buffer.js"
import type { OwnShell } from "./shell.js"

/** So soon after the first, a second Ctrl+C or Esc is meant together with it, in milliseconds. */
const TWICE = 1_500

/** Ends a turn, or the program, and takes a moment to be sure of the latter. */
export class StopControl {
  readonly #terminal: TerminalContext
  readonly #shell: OwnShell
  #lastInterrupt = 0
  #lastEscape = 0

  constructor(terminal: TerminalContext, shell: OwnShell) {
    this.#terminal = terminal
    this.#shell = shell
  }

  /** The person's own command first: it is what they have just begun. */
  interrupt(): void {
    if (this.#shell.isRunning) {
      this.#shell.stop()
      return
    }
    const { talk, dispatch } = this.#terminal
    talk().conversation.abort("the user interrupted")
    dispatch({ type: "waiting", waiting: talk().waiting() })
  }

  /** Ctrl+C: the turn, or what is being written, and at the second time the program. */
  interruptOrLeave(): void {
    const { ui, workplace, hint, quit } = this.#terminal
    const now = workplace.now()
    if (now - this.#lastInterrupt < TWICE) {
      quit()
      return
    }
    this.#lastInterrupt = now
    const { screen, draft } = ui()
    if (screen.turn || screen.typed) this.interrupt()
    else if (!isEmpty(draft.buffer)) this.#clearDraft(expand(draft.buffer))
    hint("Ctrl+C again leaves")
  }

  /** Another key was pressed: a Ctrl+C before it and one after it are two, and not one pressed twice. */
  somethingElse(): void {
    this.#lastInterrupt = 0
  }

  /** Whether this was the second Esc while nothing goes on. */
  escapedTwice(): boolean {
    const now = this.#terminal.workplace.now()
    const isTwice = now - this.#lastEscape < TWICE
    this.#lastEscape = isTwice ? 0 : now
    return isTwice
  }

  /** It can be had back from the history. */
  #clearDraft(text: string): void {
    const { history, update } = this.#terminal
    history.add(text)
    update((ui) => ({ ...ui, draft: { ...ui.draft, buffer: EMPTY, back: 0, editing: undefined } }))
  }
}
