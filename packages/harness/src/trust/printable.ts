/** Control, format and separator characters: what could hide a text on a screen, or write another over it. */
const HIDING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u115f\u1160\u3164\uffa0\u2800]|(?! )\p{Zs}/gu

/** A text of somebody else's as it can be shown on one line: every character that hides something is spelt out. */
export function printable(text: string): string {
  return text.replace(HIDING, (character) => {
    if (character === "\n") return "\\n"
    if (character === "\t") return "\\t"
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  })
}
