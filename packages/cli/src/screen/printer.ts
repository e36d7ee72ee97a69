import { inert, visibleJson } from "./inert.js"
import type { InkPiece } from "./ink.js"

type Sink = Pick<NodeJS.WriteStream, "write" | "isTTY">

/** The one way to a terminal for everything that is not drawn by the terminal UI: whatever is printed is inert. */
export class Printer {
  readonly #sink: () => Sink

  constructor(sink: () => Sink) {
    this.#sink = sink
  }

  /** Text as it comes, several pieces on the same line. */
  readonly print = (...pieces: readonly InkPiece[]): void => {
    this.#sink().write(
      pieces.map((piece) => (typeof piece === "string" ? inert(piece) : piece.painted)).join(""),
    )
  }

  readonly line = (...pieces: readonly InkPiece[]): void => this.print(...pieces, "\n")

  /** Calls back when everything that was printed has left this process. */
  readonly whenOut = (then: () => void): void => void this.#sink().write("", then)

  /** JSON for programs, exact. A person who looks on sees hidden characters as escapes, which is the same JSON. */
  readonly json = (json: string): void => {
    const sink = this.#sink()
    sink.write(`${sink.isTTY ? visibleJson(json) : json}\n`)
  }
}

export const out = new Printer(() => process.stdout)
export const err = new Printer(() => process.stderr)
