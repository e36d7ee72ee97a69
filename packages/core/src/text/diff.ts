/** Lines around a change that are shown with it. */
const CONTEXT = 2
/** More edits than this are not worth reading line by line, nor finding. */
const MOST_EDITS = 400

interface Line {
  readonly mark: " " | "-" | "+"
  readonly text: string
}

/** Writes a unified diff of two texts by lines; undefined if there are too many changes for one to help. */
export function lineDiff(before: string, after: string): string | undefined {
  const a = before.split("\n")
  const b = after.split("\n")
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++

  const middle = edits(a.slice(head, a.length - tail), b.slice(head, b.length - tail))
  if (middle === undefined) return undefined
  const shown = (lines: readonly string[]) => lines.map((text): Line => ({ mark: " ", text }))
  const first = Math.max(0, head - CONTEXT)
  const lines = [
    ...shown(a.slice(first, head)),
    ...middle,
    ...shown(a.slice(a.length - tail, a.length - tail + CONTEXT)),
  ]
  return hunks(lines, first)
}

/** Myers' shortest edit script: walks furthest-reaching paths, then back along the one that arrived. */
function edits(a: readonly string[], b: readonly string[]): readonly Line[] | undefined {
  const reach = new Map<number, number>([[1, 0]])
  const trace: ReadonlyMap<number, number>[] = []
  for (let d = 0; d <= Math.min(a.length + b.length, MOST_EDITS); d++) {
    trace.push(new Map(reach))
    for (let k = -d; k <= d; k += 2) {
      const down = goesDown(reach, k, d)
      let x = down ? at(reach, k + 1) : at(reach, k - 1) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      reach.set(k, x)
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, trace)
    }
  }
  return undefined
}

function backtrack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly ReadonlyMap<number, number>[],
): readonly Line[] {
  const lines: Line[] = []
  let x = a.length
  let y = b.length
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d] as ReadonlyMap<number, number>
    const k = x - y
    const previousK = goesDown(reach, k, d) ? k + 1 : k - 1
    const previousX = d === 0 ? 0 : at(reach, previousK)
    const previousY = d === 0 ? 0 : previousX - previousK
    while (x > previousX && y > previousY) {
      lines.push({ mark: " ", text: a[--x] as string })
      y--
    }
    if (d === 0) break
    if (x > previousX) lines.push({ mark: "-", text: a[--x] as string })
    else lines.push({ mark: "+", text: b[--y] as string })
  }
  return lines.reverse()
}

function goesDown(reach: ReadonlyMap<number, number>, k: number, d: number): boolean {
  return k === -d || (k !== d && at(reach, k - 1) < at(reach, k + 1))
}

function at(reach: ReadonlyMap<number, number>, k: number): number {
  return reach.get(k) ?? -1
}

/** Leaves out unchanged lines far from any change, and numbers what is left by the old text. */
function hunks(lines: readonly Line[], firstLine: number): string {
  const near = lines.map((_, i) =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some((l) => l.mark !== " "),
  )
  const out: string[] = []
  let old = firstLine
  lines.forEach(({ mark, text }, i) => {
    if (near[i]) {
      if (!near[i - 1]) out.push(`@@ line ${old + 1} @@`)
      out.push(`${mark}${text}`)
    }
    if (mark !== "+") old++
  })
  return out.join("\n")
}
