import type { Observable, Ui } from "../state/ui.js"
import type { Display } from "./display.js"
import type { Keyboard } from "./keyboard.js"

const RESIZE_SETTLES = 60
const STOPS_WITHIN = 150

/** The terminal as a whole: taken and given back, resized, left for the shell and come back to. */
export class TerminalWindow {
  readonly #display: Display
  readonly #keyboard: Keyboard
  readonly #store: Observable<Ui>
  #resizing: NodeJS.Timeout | undefined
  #isLent = false
  #isClosed = false

  constructor(display: Display, keyboard: Keyboard, store: Observable<Ui>) {
    this.#display = display
    this.#keyboard = keyboard
    this.#store = store
  }

  /** Takes the terminal. What its background is, if it says so, is told before anything is drawn. */
  async open(background: (colour: string | undefined) => void): Promise<void> {
    this.#keyboard.open()
    background(await this.#keyboard.background())
    this.#display.open()
    process.stdout.on("resize", this.#resized)
    process.on("SIGCONT", this.#resumed)
  }

  /** Leaves the terminal as it was found. Safe to call at any time. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#resizing)
    this.#resizing = undefined
    process.stdout.off("resize", this.#resized)
    process.off("SIGCONT", this.#resumed)
    this.#display.close()
    this.#keyboard.close()
  }

  /**
   * Suspends the program as a shell expects it of Ctrl+Z: gone, with the terminal as it was, until it is called back.
   */
  suspend(): void {
    this.#display.close()
    this.#keyboard.close()
    process.kill(process.pid, "SIGTSTP")
    // Runs when it is called back, or at once where no shell is there that could stop it.
    setTimeout(this.#resumed, STOPS_WITHIN)
  }

  /** True while another program has the terminal. */
  get isLent(): boolean {
    return this.#isLent
  }

  /** Another program has the terminal as it was found, until the work with it is done. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#isLent = true
    this.#display.close()
    this.#keyboard.close()
    try {
      return await work()
    } finally {
      this.#isLent = false
      // The program may have been ended from outside meanwhile.
      if (!this.#isClosed) this.#resumed()
    }
  }

  readonly #resumed = (): void => {
    if (this.#isLent) return
    this.#keyboard.open()
    this.#takeSize()
    this.#display.open()
  }

  readonly #resized = (): void => {
    // The size is taken when the terminal is given back.
    if (this.#isLent) return
    // What would be drawn meanwhile is of the old size.
    this.#display.pause()
    clearTimeout(this.#resizing)
    this.#resizing = setTimeout(this.#settled, RESIZE_SETTLES)
  }

  readonly #settled = async (): Promise<void> => {
    const timer = this.#resizing
    const row = await this.#keyboard.cursorRow()
    // It was resized again meanwhile, or closed.
    if (timer === this.#resizing) this.#display.resize(this.#takeSize, row)
  }

  readonly #takeSize = (): void => {
    this.#store.update((ui) => ({ ...ui, ...sizeNow() }))
  }
}

export function sizeNow(): { readonly columns: number; readonly rows: number } {
  const { columns = 80, rows = 24 } = process.stdout
  return { columns, rows }
}
