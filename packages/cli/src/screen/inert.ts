// Text from outside as a terminal may show it. Nothing here removes a character silently, with one exception: a complete
// colour or cursor sequence (CSI) in prose, which carries no text. Everything else that a person could not see, or that
// would steer the terminal, is replaced by something to see.

const PLAIN = /^[\x20-\x7e\n\t]*$/

/**
 * Characters that steer a terminal or that a person does not see: controls, direction marks, zero-width and other
 * ignorable characters, tag characters, variation selectors, fillers, line separators, annotation marks, lone
 * surrogates.
 */
const HIDDEN =
  /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cs}\u2028\u2029\u2800\ufff9-\ufffb\u{13430}-\u{1343f}\u{1d159}]/u
const HIDDEN_ALL = new RegExp(HIDDEN.source, "gu")
/** Spaces that look like a space and are none to a shell. */
const SPACES = /[^\S\n\t ]/gu

// A complete sequence for colours, the cursor or a mode: numbers and a letter. Bounded, so that no text can hide in it.
const OPENING = "(?:\u001b\\[|\u009b)[0-9;:?]{0,24}"
const CSI = new RegExp(`${OPENING}[mA-HJKSTfsuhl]`, "g")

const EMOJI = "\\p{Extended_Pictographic}\\p{Emoji_Modifier}"
/** What an emoji is made of beside its pictures: joiners between two, and the selector of its picture. */
const EMOJI_JOIN = new RegExp(
  `(?<=[${EMOJI}]\\ufe0f?)\\u200d(?=[${EMOJI}\\u2640\\u2642\\u2695]|$)|(?<=[\\p{Extended_Pictographic}])[\\ufe0e\\ufe0f]|(?<=[0-9#*])\\ufe0f(?=\\u20e3)`,
  "gu",
)
/** Scripts that are written with joiners and non-joiners between their letters. */
const JOINING = [
  ..."Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu".split(" "),
  ..."Kannada Malayalam Sinhala Khmer Myanmar Tibetan".split(" "),
]
const LETTER_JOIN = new RegExp(
  `(?<=[${JOINING.map((script) => `\\p{Script=${script}}`).join("")}])[\\u200c\\u200d]`,
  "gu",
)

/** Makes prose from outside inert: on a terminal it shows text and does nothing else. Tabs and line ends stay. */
export function inert(text: string): string {
  if (PLAIN.test(text)) return text
  const unsteered = text.replaceAll("\r\n", "\n").replaceAll(CSI, "")
  if (!HIDDEN.test(unsteered)) return unsteered
  const kept = keptIn(unsteered)
  return unsteered.replaceAll(HIDDEN_ALL, (character, at: number) =>
    character === "\n" || character === "\t" || kept.has(at) ? character : pictureOf(character),
  )
}

/**
 * Shows text that a person decides on: every character that could deceive is in sight, in the place where it stands.
 */
export function exposed(text: string): string {
  if (PLAIN.test(text) && !text.includes("\t")) return text
  return text
    .replaceAll(HIDDEN_ALL, (character) => (character === "\n" ? character : pictureOf(character)))
    .replaceAll(SPACES, named)
}

export function oneLine(text: string): string {
  return inert(text).replaceAll("\n", "␊").replaceAll("\t", "␉")
}

/** Shows every hidden character of JSON as an escape. It is the same JSON. */
export function visibleJson(json: string): string {
  const escaped = (character: string) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("")
  return PLAIN.test(json) ? json : json.replaceAll(HIDDEN_ALL, escaped)
}

function keptIn(text: string): ReadonlySet<number> {
  if (!/\u200c|\u200d|\ufe0e|\ufe0f/.test(text)) return new Set()
  const found = [EMOJI_JOIN, LETTER_JOIN].flatMap((pattern) => [...text.matchAll(pattern)])
  return new Set(found.map(({ index }) => index))
}

function pictureOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return "␡"
  return code === 0x2800 ? "␣" : named(character)
}

function named(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** Prose that arrives in pieces: a sequence, an emoji or a line end may be cut anywhere. */
export class InertStream {
  /** What may be the beginning of something, and waits for the rest. */
  #held = ""
  /** The characters before, by which a joiner is judged. */
  #before = ""

  push(piece: string): string {
    const text = this.#held + piece
    this.#held = UNFINISHED.exec(text)?.[0] ?? ""
    return this.#clean(text.slice(0, text.length - this.#held.length))
  }

  end(): string {
    const rest = this.#clean(this.#held)
    this.#held = ""
    this.#before = ""
    return rest
  }

  #clean(text: string): string {
    if (text === "") return ""
    const known = inert(this.#before).length
    const cleaned = inert(this.#before + text).slice(known)
    this.#before = CONTEXT.exec(this.#before + text)?.[0] ?? ""
    return cleaned
  }
}

const UNFINISHED = new RegExp(`(?:\\r|${OPENING}|\u001b|[\\ud800-\\udbff]|\\ufe0f)$`)
/** An emoji and its selector, or a letter: enough for every rule that looks back. */
const CONTEXT = new RegExp(`(?:[${EMOJI}]\\ufe0f?\\u200d?|\\p{L}|\\p{M}|[0-9#*])$`, "u")
