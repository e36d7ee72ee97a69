/** Finds for each element of `b` the index of the element of `a` that it continues, or -1. Indices only grow. */
export function align(a: readonly string[], b: readonly string[]): Int32Array {
  const partners = new Int32Array(b.length).fill(-1)
  match(a, 0, a.length, b, 0, b.length, partners)
  return partners
}

/** Matches by patience: what is at both ends, then what occurs once in both, then the same between those. */
function match(
  a: readonly string[],
  fromA: number,
  toA: number,
  b: readonly string[],
  fromB: number,
  toB: number,
  partners: Int32Array,
): void {
  while (fromA < toA && fromB < toB && a[fromA] === b[fromB]) partners[fromB++] = fromA++
  while (fromA < toA && fromB < toB && a[toA - 1] === b[toB - 1]) partners[--toB] = --toA
  if (fromA === toA || fromB === toB) return
  const anchors = uniqueInBoth(a, fromA, toA, b, fromB, toB)
  if (anchors.length === 0) {
    common(a, fromA, toA, b, fromB, toB, partners)
    return
  }
  let atA = fromA
  let atB = fromB
  for (const [inA, inB] of rising(anchors)) {
    match(a, atA, inA, b, atB, inB, partners)
    partners[inB] = inA
    atA = inA + 1
    atB = inB + 1
  }
  match(a, atA, toA, b, atB, toB, partners)
}

type Pair = readonly [number, number]

function uniqueInBoth(
  a: readonly string[],
  fromA: number,
  toA: number,
  b: readonly string[],
  fromB: number,
  toB: number,
): readonly Pair[] {
  const places = (list: readonly string[], from: number, to: number) => {
    const found = new Map<string, number>()
    for (let i = from; i < to; i++) {
      const one = list[i] ?? ""
      found.set(one, found.has(one) ? -1 : i)
    }
    return found
  }
  const inA = places(a, fromA, toA)
  const pairs: Pair[] = []
  for (const [one, at] of places(b, fromB, toB)) {
    const other = inA.get(one) ?? -1
    if (at >= 0 && other >= 0) pairs.push([other, at])
  }
  return pairs
}

/** Finds the longest run of pairs that rise on both sides. They come in the order of `b`. */
function rising(pairs: readonly Pair[]): readonly Pair[] {
  const tails: number[] = []
  const before = new Int32Array(pairs.length).fill(-1)
  pairs.forEach(([inA], i) => {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[tails[middle] ?? -1]?.[0] ?? 0) < inA) low = middle + 1
      else high = middle
    }
    before[i] = tails[low - 1] ?? -1
    tails[low] = i
  })
  const found: Pair[] = []
  for (let i = tails.at(-1) ?? -1; i >= 0; i = before[i] ?? -1) {
    const pair = pairs[i]
    if (pair) found.push(pair)
  }
  return found.reverse()
}

const MOST_CELLS = 250_000

/**
 * Finds the longest common sequence with a table, if that is not too large: what repeats on both sides has no anchor.
 */
function common(
  a: readonly string[],
  fromA: number,
  toA: number,
  b: readonly string[],
  fromB: number,
  toB: number,
  partners: Int32Array,
): void {
  const rows = toA - fromA
  const columns = toB - fromB
  if (rows * columns > MOST_CELLS) return
  const width = columns + 1
  const table = new Uint32Array((rows + 1) * width)
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      table[i * width + j] =
        a[fromA + i] === b[fromB + j]
          ? (table[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0)
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (a[fromA + i] === b[fromB + j]) partners[fromB + j++] = fromA + i++
    else if ((table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0)) i++
    else j++
  }
}
