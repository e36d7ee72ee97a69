import type { LedgerCell, LedgerKind, LedgerPart } from "../../contract.js"

/** What a cell of the grid shows. A rule may have had several outcomes at one step: the loudest counts. */
export interface GridCell {
  readonly outcome: LedgerCell["outcome"]
  readonly cells: readonly LedgerCell[]
}

const LOUDEST: readonly LedgerCell["outcome"][] = [
  "failed",
  "over-budget",
  "spoke",
  "throttled",
  "disabled",
  "nothing",
]

export interface Grid {
  /** Those that spoke, the most tokens first; then those that nearly did; then those that never had anything to say. */
  readonly kinds: readonly LedgerKind[]
  /** The rows' cells by kind, for each step that has come. */
  readonly steps: ReadonlyMap<number, ReadonlyMap<string, GridCell>>
  readonly total: number
}

export const EMPTY: Grid = { kinds: [], steps: new Map(), total: 0 }

/** Adds a further part to the grid, and puts the kinds in order. */
export function withPart(grid: Grid, part: LedgerPart): Grid {
  const steps = new Map(grid.steps)
  for (const { n, cells } of part.steps) {
    const byKind = new Map<string, GridCell>()
    for (const cell of cells) {
      const cellsOfKind = [...(byKind.get(cell.kind)?.cells ?? []), cell]
      byKind.set(cell.kind, { outcome: loudest(cellsOfKind), cells: cellsOfKind })
    }
    steps.set(n, byKind)
  }
  const known = new Map(part.kinds.map((one) => [one.kind, one]))
  // The guard and the cache have cells, and are no rules.
  for (const byKind of steps.values())
    for (const kind of byKind.keys())
      if (!known.has(kind)) known.set(kind, { kind, on: true, spoke: 0, tokens: 0, kept: 1 })
  const kinds = [...known.values()].sort(
    (a, b) =>
      GROUPS.indexOf(groupOf(a)) - GROUPS.indexOf(groupOf(b)) ||
      b.tokens - a.tokens ||
      b.spoke - a.spoke ||
      b.kept - a.kept ||
      a.kind.localeCompare(b.kind),
  )
  return { kinds, steps, total: part.total }
}

const GROUPS = ["spoke", "nearly", "silent"] as const

/** Tells whether a kind spoke, would have spoken, or never had anything to say. */
export function groupOf({ spoke, kept }: LedgerKind): (typeof GROUPS)[number] {
  return spoke > 0 ? "spoke" : kept > 0 ? "nearly" : "silent"
}

export function cellAt(grid: Grid, kind: string, n: number): GridCell | undefined {
  const step = grid.steps.get(n)
  return step === undefined ? undefined : (step.get(kind) ?? { outcome: "nothing", cells: [] })
}

function loudest(cells: readonly LedgerCell[]): LedgerCell["outcome"] {
  return LOUDEST.find((outcome) => cells.some((cell) => cell.outcome === outcome)) ?? "nothing"
}

/** Says a cell in words. */
export function wordsFor({ outcome, until, error, why, tokens, carrier, neutralised }: LedgerCell): string {
  if (neutralised !== undefined) return `${neutralised} forgeries made inert`
  switch (outcome) {
    case "spoke":
      return `spoke${tokens === undefined ? "" : `, ${tokens} tokens`}${carrier ? `, as ${carrier}` : ""}`
    case "throttled":
      return `throttled${until ? ` until ${until}` : ""}`
    case "over-budget":
      return `over budget${tokens === undefined ? "" : `, would have taken ${tokens} tokens`}`
    case "disabled":
      return "off"
    case "failed":
      return `failed${error ? `: ${error}` : ""}`
    case "nothing":
      return `nothing to say${why ? `: ${why}` : ""}`
  }
}
