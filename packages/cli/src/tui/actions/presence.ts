import { basename } from "node:path"
import type { ProjectRuntime } from "@sotto/harness"
import type { Observable, Ui } from "../state/ui.js"
import { Signals } from "../terminal/signals.js"
import { count } from "../view/look.js"

/** The window among others: what it is called, whether the user looks at it, and how it calls for them. */
export class Presence {
  readonly #store: Observable<Ui>
  readonly #signals: Signals
  readonly #place: string
  #forget: (() => void) | undefined
  /** The window is known not to be the one that is looked at. */
  #isAway = false

  constructor(
    store: Observable<Ui>,
    { cwd, env, config }: ProjectRuntime,
    stdout: Pick<NodeJS.WriteStream, "write">,
  ) {
    const { title = true, notify = "auto" } = config.terminal ?? {}
    this.#store = store
    this.#signals = new Signals(stdout, { env, title, notify })
    this.#place = basename(cwd)
  }

  open(): void {
    const entitle = () => this.#signals.title(windowTitle(this.#store.get(), this.#place))
    entitle()
    this.#forget = this.#store.subscribe(entitle)
  }

  /** Gives the window its name back. Safe to call at any time. */
  close(): void {
    this.#forget?.()
    this.#signals.untitle()
  }

  turned(isHere: boolean): void {
    this.#isAway = !isHere
  }

  /** Calls the person if they look elsewhere. */
  call(what: string): void {
    if (this.#isAway) this.#signals.call(`sotto ${what} · ${this.#place}`)
  }

  /** Puts a text into the clipboard: what became of it, in words. */
  copy(text: string): string {
    const size = count(text.split("\n").length, "line")
    return this.#signals.copy(text)
      ? `${size} given to the terminal's clipboard`
      : `${size} are too much for a terminal's clipboard; /export writes a file`
  }
}

/** Names the window: where this is, and whether it works or waits for the person. */
function windowTitle({ screen, asking, picker }: Ui, place: string): string {
  const isAsking = asking.open.length > 0 || picker !== undefined
  const mark = isAsking ? "? " : screen.turn !== undefined ? "… " : ""
  return `${mark}sotto · ${place}`
}
