/** A part of a line, from one place in it to another. */
export interface WordRange {
  readonly from: number
  readonly to: number
}

/** What differs between a removed line and the line in its place. */
export interface ChangedWords {
  readonly removed: readonly WordRange[]
  readonly added: readonly WordRange[]
}

/** Above this many words on a side the comparison takes too long: its time grows with the product. */
const MOST_WORDS = 160
/** Bounds the time to split a line. */
const LONGEST_LINE = 1_000
/** The share of a line that has to be in the other one too. With less in common, marks would be noise. */
const LEAST_ALIKE = 0.4

/** Compares two lines word by word. Returns undefined if they are too long, or have too little in common. */
export function changedWords(before: string, after: string): ChangedWords | undefined {
  if (before === after || before.length > LONGEST_LINE || after.length > LONGEST_LINE) return undefined
  const [a, b] = [wordsOf(before), wordsOf(after)]
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return undefined
  const [isInB, isInA] = common(a, b)
  const alike = inkOf(a.filter((_, i) => isInB[i]))
  if (alike < LEAST_ALIKE * Math.max(inkOf(a), inkOf(b))) return undefined
  return { removed: changedRanges(a, isInB), added: changedRanges(b, isInA) }
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
}

/** Counts characters other than spaces: two lines are not alike because both are indented. */
function inkOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.trim().length, 0)
}

/** Tells of each word on either side whether it is part of the longest common subsequence. */
function common(a: readonly string[], b: readonly string[]): readonly [boolean[], boolean[]] {
  const width = b.length + 1
  const lengths = new Uint8Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
  const isInB = a.map(() => false)
  const isInA = b.map(() => false)
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      isInB[i++] = true
      isInA[j++] = true
    } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++
    else j++
  }
  return [isInB, isInA]
}

/** Joins neighbours that changed. A space between two changed words counts as changed. */
function changedRanges(words: readonly string[], isSame: readonly boolean[]): readonly WordRange[] {
  const ranges: WordRange[] = []
  let at = 0
  for (const [i, word] of words.entries()) {
    const isBetween = word.trim() === "" && i > 0 && !isSame[i - 1] && isSame[i + 1] === false
    if (!isSame[i] || isBetween) {
      const last = ranges.at(-1)
      if (last?.to === at) ranges[ranges.length - 1] = { from: last.from, to: at + word.length }
      else ranges.push({ from: at, to: at + word.length })
    }
    at += word.length
  }
  return ranges
}
