import stringWidth from "string-width"

/**
 * Breaks a text into lines that fit the width, each line after the first further in. Words are not broken, unless one
 * alone is too wide.
 */
export function wrapped(text: string, width: number, indent = "", hanging = indent): readonly string[] {
  const lines: string[] = []
  let line = indent
  let isEmpty = true
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const next = isEmpty ? line + word : `${line} ${word}`
    if (!isEmpty && stringWidth(next) > width) {
      lines.push(line)
      line = hanging + word
    } else line = next
    isEmpty = false
  }
  return isEmpty ? [] : [...lines, line]
}

export function fitted(text: string, width: number): string {
  const one = text.replace(/\s+/g, " ").trim()
  if (stringWidth(one) <= width) return one
  let cut = ""
  let used = 0
  for (const character of one) {
    used += stringWidth(character)
    if (used > width - 1) break
    cut += character
  }
  return `${cut}…`
}
