/** What a person did at the keyboard. */
export type KeyEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | Key
  /** The terminal says in which row the cursor is, from 0, because it was asked. */
  | { readonly type: "cursor-at"; readonly row: number }
  /** The terminal says what colour its background has, as it spells it, because it was asked. */
  | { readonly type: "background"; readonly colour: string }
  /** The window has been turned to, or away from. */
  | { readonly type: "focus"; readonly isHere: boolean }
  /** The terminal says that it can tell Shift+Enter from Enter, if asked to. */
  | { readonly type: "can-disambiguate" }

export interface Key {
  readonly type: "key"
  /** "enter", "up", …, or the letter that was pressed with Ctrl or Alt. */
  readonly name: string
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
}

const ESC = "\u001b"
const PASTE_BEGINS = `${ESC}[200~`
const PASTE_ENDS = `${ESC}[201~`

/** A control sequence: parameters, and the letter that ends it; and one that has only begun. */
const SEQUENCE = new RegExp(`^${ESC}\\[([0-?]*)[ -/]*([@-~])`)
const BEGUN = new RegExp(`^${ESC}\\[[ -?]*$`)
const ANSWER = new RegExp(`^${ESC}[\\]P_][^\\u0007${ESC}]*(\\u0007|${ESC}\\\\)`)

const BACKGROUND = new RegExp(`^${ESC}\\]11;([0-9A-Za-z:/#]{1,40})`)

const LETTERS: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
}

const NUMBERS: Readonly<Record<string, string>> = {
  1: "home",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
}

const CODES: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  127: "backspace",
  57414: "enter",
}

/** Takes apart what a terminal sends. A sequence may come in pieces; a lone Esc is one only if nothing follows. */
export class KeyDecoder {
  #rest = ""

  /** Whether the last bytes may be the beginning of something: to be flushed if nothing follows soon. */
  get isPending(): boolean {
    return this.#rest !== "" && !this.#rest.startsWith(PASTE_BEGINS)
  }

  push(chunk: string): readonly KeyEvent[] {
    this.#rest += chunk
    const events: KeyEvent[] = []
    for (;;) {
      const taken = take(this.#rest)
      if (taken === undefined) return events
      this.#rest = this.#rest.slice(taken.length)
      events.push(...taken.events)
    }
  }

  /** Takes what looked like a beginning for the whole, since nothing followed. */
  flush(): readonly KeyEvent[] {
    const rest = this.#rest
    if (!this.isPending) return []
    this.#rest = ""
    if (rest === ESC) return [key("escape")]
    if (rest === ESC + ESC) return [key("escape"), key("escape")]
    return []
  }
}

interface Taken {
  readonly length: number
  readonly events: readonly KeyEvent[]
}

/** Takes the first event of what has come; undefined where more has to come first. */
function take(input: string): Taken | undefined {
  const [first] = input
  if (first === undefined) return undefined
  if (first === ESC) return escaped(input)
  if (isControl(first)) return { length: 1, events: [control(first)] }
  const text = /^\P{Cc}+/u.exec(input)?.[0] ?? first
  return { length: text.length, events: [{ type: "text", text }] }
}

function escaped(input: string): Taken | undefined {
  if (input.startsWith(PASTE_BEGINS)) return pasted(input)
  const next = input[1]
  if (next === undefined) return undefined
  if (next === "[") return sequence(input)
  if (next === "O") {
    const letter = input[2]
    if (letter === undefined) return undefined
    const name = LETTERS[letter]
    return { length: 3, events: name ? [key(name)] : [] }
  }
  if (next === "]" || next === "P" || next === "_") return answer(input)
  if (next === ESC) return input.length === 2 ? undefined : { length: 1, events: [key("escape")] }
  const point = String.fromCodePoint(input.codePointAt(1) ?? 0)
  const plain = isControl(point)
    ? control(point)
    : key(point.toLowerCase(), { shift: point !== point.toLowerCase() })
  return { length: 1 + point.length, events: plain.type === "key" ? [{ ...plain, alt: true }] : [] }
}

function pasted(input: string): Taken | undefined {
  const end = input.indexOf(PASTE_ENDS)
  if (end < 0) return undefined
  const text = input.slice(PASTE_BEGINS.length, end).replaceAll(/\r\n?/g, "\n")
  return { length: end + PASTE_ENDS.length, events: [{ type: "paste", text }] }
}

/** Reads what the terminal answers to a question, such as for its colours: it does not come from a person. */
function answer(input: string): Taken | undefined {
  const found = ANSWER.exec(input)
  if (found) {
    const colour = BACKGROUND.exec(found[0])?.[1]
    return { length: found[0].length, events: colour === undefined ? [] : [{ type: "background", colour }] }
  }
  return input.length > 256 ? { length: 2, events: [] } : undefined
}

function sequence(input: string): Taken | undefined {
  const found = SEQUENCE.exec(input)
  if (found === null) return BEGUN.test(input) ? undefined : { length: 2, events: [] }
  const [whole, parameters = "", final = ""] = found
  return { length: whole.length, events: meaning(parameters, final) }
}

function meaning(parameters: string, final: string): readonly KeyEvent[] {
  if (parameters.startsWith("?")) return final === "u" ? [{ type: "can-disambiguate" }] : []
  const [first = "", second = "", third = ""] = parameters.split(";")
  if (parameters === "" && (final === "I" || final === "O")) return [{ type: "focus", isHere: final === "I" }]
  if (final === "R") return [{ type: "cursor-at", row: Math.max(0, Number(first) - 1) }]
  const [mask = "", phase = ""] = second.split(":")
  if (phase === "3") return []
  const modifiers = modifiersOf(mask)
  if (final === "Z") return [key("tab", { ...modifiers, shift: true })]
  if (final === "u") return [coded(Number.parseInt(first, 10), modifiers)]
  if (final === "~" && first === "27") return [coded(Number(third), modifiers)]
  const name = final === "~" ? NUMBERS[first] : LETTERS[final]
  return name ? [key(name, modifiers)] : []
}

function coded(code: number, modifiers: Partial<Key>): KeyEvent {
  const named = CODES[code]
  if (named) return key(named, modifiers)
  const character = String.fromCodePoint(Number.isInteger(code) && code <= 0x10ffff ? code : 0xfffd)
  if (modifiers.ctrl || modifiers.alt) return key(character.toLowerCase(), modifiers)
  return { type: "text", text: modifiers.shift ? character.toUpperCase() : character }
}

function modifiersOf(mask: string): Partial<Key> {
  const bits = Math.max(0, (Number.parseInt(mask, 10) || 1) - 1)
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 }
}

function isControl(character: string): boolean {
  return character < " " || character === "\u007f"
}

function control(character: string): KeyEvent {
  switch (character) {
    case "\r":
      return key("enter")
    case "\t":
      return key("tab")
    case "\u007f":
    case "\b":
      return key("backspace")
    case "\u0000":
      return key(" ", { ctrl: true })
    default:
      return key(String.fromCharCode(character.charCodeAt(0) + 0x60), { ctrl: true })
  }
}

export function key(name: string, modifiers: Partial<Key> = {}): Key {
  return { type: "key", name, ctrl: false, alt: false, shift: false, ...modifiers }
}

/**
 * Writes a key as tables and files do: "enter", "ctrl+r", "shift+tab", "G". Empty for an event that is not a single
 * key.
 */
export function spelled(event: KeyEvent): string {
  if (event.type === "text") return event.text === " " ? "space" : event.text
  if (event.type !== "key") return ""
  const { name, ctrl, alt, shift } = event
  const modifiers = [ctrl && "ctrl", alt && "alt", shift && "shift"].filter((one) => one !== false)
  return [...modifiers, name === " " ? "space" : name].join("+")
}
