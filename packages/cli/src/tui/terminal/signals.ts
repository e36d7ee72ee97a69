import { oneLine } from "../../screen/inert.js"
import { graphemesOf } from "../text/width.js"

const ESC = "\u001b"
const BEGIN = `${ESC}]`
const END = `${ESC}\\`
const BELL = "\u0007"

/** Terminals refuse longer ones, and some would hang. */
const LONGEST_COPY = 1_000_000
const LONGEST_WORDS = 120

/** How a terminal can be asked to call a person: by a notification, by its bell alone, or not at all. */
type Calling = "osc9" | "osc777" | "osc99" | "bell" | "off"

interface SignalOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly title: boolean
  readonly notify: "auto" | "bell" | "off"
}

/**
 * What is told to the terminal itself and not drawn: its title, the clipboard, a call for the person. Every value is
 * made safe here: the clipboard's is in base64, words are inert, on one line and without what separates fields.
 */
export class Signals {
  readonly #stdout: Pick<NodeJS.WriteStream, "write">
  readonly #calling: Calling
  readonly #titles: boolean
  #title: string | undefined

  constructor(stdout: Pick<NodeJS.WriteStream, "write">, { env, title, notify }: SignalOptions) {
    this.#stdout = stdout
    this.#titles = title
    this.#calling = notify === "auto" ? callingIn(env) : notify
  }

  /**
   * Puts a text into the clipboard. False if it is longer than terminals take. The terminal does not say whether it
   * arrives.
   */
  copy(text: string): boolean {
    const bytes = Buffer.from(text, "utf8")
    if (bytes.length > LONGEST_COPY) return false
    this.#stdout.write(`${BEGIN}52;c;${bytes.toString("base64")}${END}`)
    return true
  }

  /** Sets the title of the window. The terminal keeps the one that it had, where it can. */
  title(text: string): void {
    const words = wordsOf(text)
    if (!this.#titles || words === this.#title) return
    const keep = this.#title === undefined ? `${ESC}[22;2t` : ""
    this.#title = words
    this.#stdout.write(`${keep}${BEGIN}2;${words}${END}`)
  }

  untitle(): void {
    if (this.#title === undefined) return
    this.#title = undefined
    this.#stdout.write(`${BEGIN}2;${END}${ESC}[23;2t`)
  }

  /** Calls the person, who looks elsewhere. */
  call(text: string): void {
    const words = wordsOf(text)
    switch (this.#calling) {
      case "osc9":
        this.#stdout.write(`${BEGIN}9;${words}${END}${BELL}`)
        break
      case "osc777":
        this.#stdout.write(`${BEGIN}777;notify;sotto;${words}${END}${BELL}`)
        break
      case "osc99":
        this.#stdout.write(`${BEGIN}99;i=sotto:d=1:p=title;${words}${END}${BELL}`)
        break
      case "bell":
        this.#stdout.write(BELL)
        break
      case "off":
    }
  }
}

/** Chooses a notification only for terminals that are known to show it: one that does not know it may print it. */
function callingIn(env: Readonly<Record<string, string | undefined>>): Calling {
  // Within these the names of the outer terminal stand in the environment, and sequences do not pass.
  if (env.TMUX || env.STY) return "bell"
  const { TERM = "", TERM_PROGRAM = "" } = env
  if (TERM.includes("kitty")) return "osc99"
  if (/^(iTerm\.app|WezTerm|ghostty)$/.test(TERM_PROGRAM) || TERM.includes("ghostty")) return "osc9"
  return /^(rxvt|foot)/.test(TERM) ? "osc777" : "bell"
}

/** Puts a text on one line, inert, and without the character that separates fields. */
function wordsOf(text: string): string {
  const words = graphemesOf(oneLine(text).replaceAll(";", ","))
  return words.length <= LONGEST_WORDS ? words.join("") : `${words.slice(0, LONGEST_WORDS).join("")}…`
}
