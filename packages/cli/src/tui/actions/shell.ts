import { reasonOf, runTyped } from "@sotto/harness"
import type { TerminalContext } from "../context.js"

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
