/** A piece of a text: words to show as they are, or a character that would act instead of being seen. */
export type VisiblePiece = { readonly text: string } | { readonly code: string; readonly name: string }

const NAMES: Readonly<Record<number, string>> = {
  0: "null",
  7: "bell",
  8: "backspace",
  13: "carriage return",
  27: "escape",
  127: "delete",
  173: "soft hyphen",
  1564: "Arabic letter mark",
  8203: "zero width space",
  8204: "zero width non-joiner",
  8205: "zero width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8232: "line separator",
  8233: "paragraph separator",
  8234: "left-to-right embedding",
  8235: "right-to-left embedding",
  8236: "pop directional formatting",
  8237: "left-to-right override",
  8238: "right-to-left override",
  8288: "word joiner",
  8294: "left-to-right isolate",
  8295: "right-to-left isolate",
  8296: "first strong isolate",
  8297: "pop directional isolate",
  65279: "byte order mark",
}

/** Control, format and unassigned-width characters. New lines and tabs are ordinary; a joiner inside an emoji is too. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u

/** Splits a text so that nothing in it can act: every invisible character is named. */
export function visible(text: string): readonly VisiblePiece[] {
  // Most texts have nothing to hide, and one test is all that they cost.
  if (!SUSPECT.test(text)) return [{ text }]
  const pieces: VisiblePiece[] = []
  let plain = ""
  const characters = [...text]
  for (const [i, character] of characters.entries()) {
    if (isHarmless(character, characters[i - 1], characters[i + 1])) {
      plain += character
      continue
    }
    if (plain !== "") pieces.push({ text: plain })
    plain = ""
    const code = character.codePointAt(0) ?? 0
    const hex = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
    pieces.push({ code: hex, name: NAMES[code] ?? "invisible character" })
  }
  if (plain !== "") pieces.push({ text: plain })
  return pieces
}

/** Anything but printable characters, new lines and tabs. */
const SUSPECT = /[^\n\t\P{C}]|[\u2028\u2029]/u

const PICTURE = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u

function isHarmless(character: string, before: string | undefined, after: string | undefined): boolean {
  if (character === "\n" || character === "\t") return true
  if (character === "\r" && after === "\n") return true
  if (character === "\u200d") return PICTURE.test(before ?? "") && PICTURE.test(after ?? "")
  return !HIDDEN.test(character)
}

/** Makes a text visible for places that take only a string: titles, labels. */
export function visibleText(text: string): string {
  return visible(text)
    .map((piece) => ("text" in piece ? piece.text : `[${piece.code}]`))
    .join("")
}
