import type { Part } from "@sotto/core"

/** Cuts the start of a text, never ending within a character: half of one is refused by providers. */
export function startOf(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  const halved = text.length > length && last >= 0xd800 && last <= 0xdbff
  return text.slice(0, halved ? length - 1 : length)
}

/** Joins the text in a list of parts, a line for each part. Images and files have none. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

/** Counts the letters that have to be put in, taken out or replaced to make one word of the other. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/**
 * Finds what a user may have meant by a word that is not known: the word that begins so, or one with at most a third of its
 * letters wrong. Returns undefined if no word is like it.
 */
export function closest(given: string, known: readonly string[]): string | undefined {
  const far = (word: string) => (given.length > 2 && word.startsWith(given) ? 1 : editDistance(given, word))
  const [best] = known.map((word) => [far(word), word] as const).toSorted(([a], [b]) => a - b)
  return best !== undefined && best[0] <= Math.max(1, Math.floor(given.length / 3)) ? best[1] : undefined
}
