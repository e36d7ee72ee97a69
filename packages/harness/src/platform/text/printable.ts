/**
 * Characters that hide a text on a screen or write another one over it: controls, format and other ignorable
 * characters, variation selectors, separators, private and lone code points, and letters and spaces that look empty.
 */
const HIDING =
  /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u2800\u{13430}-\u{1343f}\u{1d159}]|(?! )\p{Zs}/gu

/** Writes a text from outside as it can be shown on one line: every character that hides something is spelt out. */
export function printable(text: string): string {
  return text.replace(HIDING, (character) => {
    if (character === "\n") return "\\n"
    if (character === "\t") return "\\t"
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  })
}
