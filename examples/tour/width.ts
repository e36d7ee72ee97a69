/** How many columns of a terminal a text takes. East Asian and emoji characters take two, combining marks none. */
export function widthOf(text: string): number {
  return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0)
}

/** Breaks a text into lines of at most `width` columns: between words, inside one only where it must. */
export function wrap(text: string, width: number): readonly string[] {
  return printable(text)
    .split("\n")
    .flatMap((line) => wrapLine(line, width))
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)))
}

const SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" })

function graphemes(text: string): readonly string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment)
}

const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}])/u
const INVISIBLE = /^[\p{M}\p{Cf}]+$/u

function graphemeWidth(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2
  return INVISIBLE.test(grapheme) ? 0 : 1
}

/** What a tool printed may move the cursor; here it is only looked at. */
function printable(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "  ")
    .replace(/[^\P{Cc}\n]/gu, "\ufffd")
}

function wrapLine(line: string, width: number): readonly string[] {
  const lines: string[] = []
  let current = ""
  for (const piece of pieces(line, width)) {
    if (widthOf(current) + widthOf(piece) <= width) current += piece
    else {
      lines.push(current.trimEnd())
      current = piece.trim() === "" ? "" : piece
    }
  }
  return [...lines, current.trimEnd()]
}

/** What may stand together on a line: a word, white space, one wide character, or a part of a word that is too long. */
function pieces(line: string, width: number): readonly string[] {
  const found: string[] = []
  let kind = ""
  let taken = 0
  for (const grapheme of graphemes(line)) {
    const columns = graphemeWidth(grapheme)
    const now = columns === 2 ? "wide" : grapheme.trim() === "" ? "space" : "word"
    if (found.length === 0 || now !== kind || now === "wide" || taken + columns > width) {
      found.push(grapheme)
      taken = 0
    } else found[found.length - 1] += grapheme
    taken += columns
    kind = now
  }
  return found
}
