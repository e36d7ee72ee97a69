import type { Delivery } from "@sotto/core"
import type { Ui } from "../state/ui.js"

/** What keys can bring about, beside changing what is drawn. */
export interface Actions {
  ui(): Ui
  update(change: (ui: Ui) => Ui): void
  submit(delivery: Delivery): void
  interrupt(): void
  /** Ends the turn or the program, as Ctrl+C does. */
  interruptOrLeave(): void
  leave(): void
  suspend(): void
  redraw(): void
  nextAgent(): void
  nextMode(): void
  /** The next thinking level. */
  nextLevel(): void
  toggle(what: keyof Ui["shows"]): void
  /** The draft in the person's own editor. */
  editOutside(): void
  searchHistory(): void
  /** Carries out a command as if its name had been typed. */
  command(name: string): void
  /** Esc while nothing goes on. */
  escapedIdle(): void
  paste(text: string): void
  /** Puts in the image of the clipboard, or says why there is none. */
  pasteImage(): void
  travel(by: 1 | -1): void
  /** Takes what is offered; a command is then carried out, if that is wanted. */
  accept(carryOut: boolean): void
  answer(option: number, words: string): void
  picked(value: string | undefined): void
}
