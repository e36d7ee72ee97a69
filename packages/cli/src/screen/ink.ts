import { inert } from "./inert.js"

/** A text that is inert already, and how it is painted. Only this module makes one, so that none can be forged. */
export class Painted {
  readonly text: string
  readonly #code: number | undefined

  private constructor(text: string, code: number | undefined) {
    this.text = text
    this.#code = code
  }

  static of(text: string | Painted, code: number | undefined): Painted {
    return new Painted(typeof text === "string" ? inert(text) : text.text, code)
  }

  /** Takes text that was cleaned piece by piece, with what stood before each in mind. */
  static cleaned(text: string): Painted {
    return new Painted(text, undefined)
  }

  /** As it goes to the terminal. */
  get painted(): string {
    return this.#code === undefined ? this.text : `\u001b[${this.#code}m${this.text}\u001b[0m`
  }

  /** Returns the text without its colour: a text that it is put into paints it. */
  toString(): string {
    return this.text
  }
}

export type InkPiece = string | Painted

export interface Ink {
  dim(text: InkPiece): Painted
  bold(text: InkPiece): Painted
  red(text: InkPiece): Painted
}

/** Gives colours for a terminal, and none where they would not be seen or NO_COLOR is set. */
export function inkFor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Ink {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0"
  const on = (isTerminal || forced) && !env.NO_COLOR && env.TERM !== "dumb"
  const paint = (code: number) => (text: InkPiece) => Painted.of(text, on ? code : undefined)
  return { dim: paint(2), bold: paint(1), red: paint(31) }
}
