/** A stretch of a text that both sides have, or only this one. */
export interface Stretch {
  readonly text: string
  readonly changed: boolean
}

export interface MarkedDiff {
  readonly before: readonly Stretch[]
  readonly after: readonly Stretch[]
}

/** What a stretch becomes where there is little room: what is the same and far from a change is only counted. */
export type DiffStretch = Stretch | { readonly left: number }

/** How much of what is the same is shown beside a change. */
const BESIDE = 180

/** Leaves out what is the same and far from every change. */
export function shortened(stretches: readonly Stretch[]): readonly DiffStretch[] {
  return stretches.flatMap(({ text, changed }, i): readonly DiffStretch[] => {
    const head = i === 0 ? 0 : BESIDE
    const tail = i === stretches.length - 1 ? 0 : BESIDE
    const left = text.length - head - tail
    if (changed || left < BESIDE) return [{ text, changed }]
    return [...stretch(text.slice(0, head), false), { left }, ...stretch(text.slice(head + left), false)]
  })
}

/** Above this many words on a side, only the common start and end are left unmarked. */
const MOST_WORDS = 1_200

/** Marks what differs between two texts: word by word, and within a word that changed, character by character. */
export function marked(before: string, after: string): MarkedDiff {
  const start = commonStart(before, after)
  const end = commonEnd(before.slice(start), after.slice(start))
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const [left, right] = middle(a, b)
  const head = stretch(before.slice(0, start), false)
  const tail = stretch(before.slice(before.length - end), false)
  return { before: joined([...head, ...left, ...tail]), after: joined([...head, ...right, ...tail]) }
}

function middle(a: string, b: string): readonly [readonly Stretch[], readonly Stretch[]] {
  const [x, y] = [wordsOf(a), wordsOf(b)]
  if (a === "" || b === "" || x.length > MOST_WORDS || y.length > MOST_WORDS)
    return [stretch(a, true), stretch(b, true)]
  const left: Stretch[] = []
  const right: Stretch[] = []
  let [i, j] = [0, 0]
  for (const [at, to] of [...common(x, y), [x.length, y.length] as const]) {
    left.push(...stretch(x.slice(i, at).join(""), true))
    right.push(...stretch(y.slice(j, to).join(""), true))
    if (at < x.length) {
      left.push(...stretch(x[at] ?? "", false))
      right.push(...stretch(y[to] ?? "", false))
    }
    ;[i, j] = [at + 1, to + 1]
  }
  return [left, right]
}

/** Pairs of places of the longest common subsequence. */
function common(x: readonly string[], y: readonly string[]): readonly (readonly [number, number])[] {
  const width = y.length + 1
  const lengths = new Uint16Array((x.length + 1) * width)
  for (let i = x.length - 1; i >= 0; i--)
    for (let j = y.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        x[i] === y[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
  const pairs: (readonly [number, number])[] = []
  let [i, j] = [0, 0]
  while (i < x.length && j < y.length) {
    if (x[i] === y[j]) pairs.push([i++, j++])
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++
    else j++
  }
  return pairs
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
}

function stretch(text: string, changed: boolean): readonly Stretch[] {
  return text === "" ? [] : [{ text, changed }]
}

function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const out: Stretch[] = []
  for (const one of stretches) {
    const last = out.at(-1)
    if (last?.changed === one.changed)
      out[out.length - 1] = { text: last.text + one.text, changed: one.changed }
    else out.push(one)
  }
  return out
}

function commonStart(a: string, b: string): number {
  let i = 0
  while (i < a.length && i < b.length && a[i] === b[i]) i++
  // Not in the middle of a character.
  return i > 0 && /[\ud800-\udbff]/.test(a[i - 1] ?? "") ? i - 1 : i
}

function commonEnd(a: string, b: string): number {
  let i = 0
  while (i < a.length && i < b.length && a[a.length - 1 - i] === b[b.length - 1 - i]) i++
  return i > 0 && /[\udc00-\udfff]/.test(a[a.length - i] ?? "") ? i - 1 : i
}
