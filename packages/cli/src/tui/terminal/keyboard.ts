import { KeyDecoder, type KeyEvent } from "../input/keys.js"
import { CODES } from "./codes.js"

/** Longer than the pieces of one sequence are apart, shorter than a person notices. */
const ESC_TIME = 30

/** The keyboard of a terminal, and the terminal as it was when that is over. */
export class Keyboard {
  readonly #stdin: NodeJS.ReadStream
  readonly #stdout: NodeJS.WriteStream
  readonly #decoder = new KeyDecoder()
  readonly #listen: (event: KeyEvent) => void
  #timer: NodeJS.Timeout | undefined
  #tells = false
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
    this.#stdout.write(CODES.bracketPastes + (this.#tells ? CODES.tellKeys : CODES.askKeys))
  }

  /** Safe to call at any time, more than once. */
  close(): void {
    if (!this.#open) return
    this.#open = false
    clearTimeout(this.#timer)
    this.#stdin.off("data", this.#hear)
    this.#stdin.setRawMode(false)
    this.#stdin.pause()
    this.#stdout.write((this.#tells ? CODES.forgetKeys : "") + CODES.unbracketPastes)
  }

  readonly #hear = (chunk: string | Buffer): void => {
    clearTimeout(this.#timer)
    this.#tell(this.#decoder.push(String(chunk)))
    if (this.#decoder.isPending) this.#timer = setTimeout(() => this.#tell(this.#decoder.flush()), ESC_TIME)
  }

  #tell(events: readonly KeyEvent[]): void {
    for (const event of events) {
      if (event.type !== "can-disambiguate") this.#listen(event)
      else if (!this.#tells && this.#open) {
        this.#tells = true
        this.#stdout.write(CODES.tellKeys)
      }
    }
  }
}
