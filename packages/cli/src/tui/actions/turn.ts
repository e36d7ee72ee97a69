import { reasonOf, runTyped } from "@sotto/harness"
import type { TerminalContext } from "../context.js"
import { EMPTY, expand, isEmpty } from "../input/buffer.js"
import { textOfLine } from "../text/line.js"
import { clean } from "../text/width.js"
import { titleOf } from "../view/call.js"

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

  /** Stops the person's own command first: it is what they have just begun. */
  interrupt(): void {
    if (this.#shell.isRunning) {
      this.#shell.stop()
      return
    }
    const { talk, dispatch } = this.#terminal
    talk().conversation.abort("the user interrupted")
    dispatch({ type: "waiting", waiting: talk().waiting() })
  }

  /** Handles Ctrl+C: ends the turn, or clears what is being written, and at the second time leaves the program. */
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

  /** Notes that another key was pressed: a Ctrl+C before it and one after it are two, and not one pressed twice. */
  somethingElse(): void {
    this.#lastInterrupt = 0
  }

  /** True if this was the second Esc while nothing goes on. */
  escapedTwice(): boolean {
    const now = this.#terminal.workplace.now()
    const isTwice = now - this.#lastEscape < TWICE
    this.#lastEscape = isTwice ? 0 : now
    return isTwice
  }

  /** Clears the draft. The user can have it back from the history. */
  #clearDraft(text: string): void {
    const { history, update } = this.#terminal
    history.add(text)
    update((ui) => ({ ...ui, draft: { ...ui.draft, buffer: EMPTY, back: 0, editing: undefined } }))
  }
}

/**
 * Goes on with a turn that was left open by a crash or a power cut. If it is unknown whether commands of the turn ran,
 * the person is asked first: they may want to look before anything is done on top of that.
 */
export function goOn(terminal: TerminalContext): void {
  const talk = terminal.talk()
  if (talk.session.phase === "idle") return
  const cutOff = talk.cutOff()
  if (cutOff.length === 0) {
    void talk.conversation.wake()
    return
  }
  const calls = cutOff.map(({ name, input }) => clean(textOfLine(titleOf(name, input))))
  terminal.say(
    `Sotto ended while this ran, and it is not known whether it did:\n${calls.join("\n")}`,
    "error",
  )
  void terminal
    .pick("The turn is still open. Go on with it?", [
      { value: "stop", label: "Stop here", detail: "nothing more is run; say something to go on" },
      { value: "go", label: "Go on", detail: "the model is told that the outcome is unknown" },
    ])
    .then((answer) => {
      if (terminal.talk() !== talk) return
      if (answer === "go") void talk.conversation.wake()
      else talk.conversation.abort("the user stopped after a crash")
    })
}

/** Runs what the person types after `!`, one command at a time, and lets the model see it with the next message. */
export class OwnShell {
  readonly #terminal: TerminalContext
  #running: AbortController | undefined

  constructor(terminal: TerminalContext) {
    this.#terminal = terminal
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  stop(): void {
    this.#running?.abort()
  }

  async run(command: string): Promise<void> {
    const { dispatch, talk, workplace, say } = this.#terminal
    const own = talk()
    const running = new AbortController()
    this.#running = running
    dispatch({ type: "typed-begins", command })
    try {
      const progress = (line: string) => dispatch({ type: "typed-prints", line })
      const { content, error = false } = await runTyped(command, workplace, {
        abort: running.signal,
        progress,
      })
      const ran = { command, output: String(content), failed: error }
      dispatch({ type: "typed-ends", ...ran })
      // Another session may be on the screen by now: it is told where it was typed.
      own.conversation.tellOfCommand(ran)
    } catch (error) {
      dispatch({ type: "typed-ends", command, output: "", failed: true })
      say(reasonOf(error), "error")
    } finally {
      this.#running = undefined
    }
  }
}
