import { KeyDecoder, type KeyEvent } from "../input/keys.js"
import { CODES } from "./codes.js"

/** Longer than the pieces of one sequence are apart, shorter than a person notices. */
const ESC_TIME = 30
/** Some terminals do not say where the cursor is, and none should be waited for. */
const ANSWERS_WITHIN = 150

/** The keyboard of a terminal, and the terminal as it was when that is over. */
export class Keyboard {
  readonly #stdin: NodeJS.ReadStream
  readonly #stdout: NodeJS.WriteStream
  readonly #decoder = new KeyDecoder()
  readonly #listen: (event: KeyEvent) => void
  #timer: NodeJS.Timeout | undefined
  #tells = false
  #cursorAt: ((row: number | undefined) => void) | undefined
  #background: string | undefined
  #open = false

  constructor(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream, listen: (event: KeyEvent) => void) {
    this.#stdin = stdin
    this.#stdout = stdout
    this.#listen = listen
  }

  open(): void {
    if (this.#open) return
    this.#open = true
    this.#stdin.setEncoding("utf8")
    this.#stdin.setRawMode(true)
    this.#stdin.on("data", this.#hear)
    this.#stdin.resume()
    this.#stdout.write(CODES.bracketPastes + CODES.tellFocus + (this.#tells ? CODES.tellKeys : CODES.askKeys))
  }

  /** Closes the keyboard. Safe to call at any time, more than once. */
  close(): void {
    if (!this.#open) return
    this.#open = false
    clearTimeout(this.#timer)
    this.#stdin.off("data", this.#hear)
    this.#stdin.setRawMode(false)
    this.#stdin.pause()
    this.#stdout.write((this.#tells ? CODES.forgetKeys : "") + CODES.forgetFocus + CODES.unbracketPastes)
  }

  readonly #hear = (chunk: string | Buffer): void => {
    clearTimeout(this.#timer)
    this.#tell(this.#decoder.push(String(chunk)))
    if (this.#decoder.isPending) this.#timer = setTimeout(() => this.#tell(this.#decoder.flush()), ESC_TIME)
  }

  /** Asks in which row of the screen the cursor is, from 0; undefined if the terminal does not say. */
  cursorRow(): Promise<number | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#cursorAt?.(undefined), ANSWERS_WITHIN)
      this.#cursorAt = (row) => {
        clearTimeout(timer)
        this.#cursorAt = undefined
        resolve(row)
      }
      this.#stdout.write(CODES.askCursor)
    })
  }

  /**
   * Asks for the colour of the background, as the terminal spells it; undefined if it does not say. A second question
   * follows, which all terminals can answer: one that answers it without the first has not answered the first, and the
   * wait ends.
   */
  async background(): Promise<string | undefined> {
    this.#stdout.write(CODES.askBackground)
    await this.cursorRow()
    return this.#background
  }

  #tell(events: readonly KeyEvent[]): void {
    for (const event of events) {
      if (event.type === "cursor-at") this.#cursorAt?.(event.row)
      else if (event.type === "background") this.#background = event.colour
      else if (event.type !== "can-disambiguate") this.#listen(event)
      else if (!this.#tells && this.#open) {
        this.#tells = true
        this.#stdout.write(CODES.tellKeys)
      }
    }
  }
}
