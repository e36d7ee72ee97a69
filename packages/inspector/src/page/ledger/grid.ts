import type { LedgerCell, LedgerPart } from "../../contract.js"

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
  readonly kinds: readonly { readonly kind: string; readonly on: boolean; readonly spoke: number }[]
  /** The rows' cells by kind, for each step that has come. */
  readonly steps: ReadonlyMap<number, ReadonlyMap<string, GridCell>>
  readonly total: number
}

export const EMPTY: Grid = { kinds: [], steps: new Map(), total: 0 }

/** Adds a further part to the grid. Kinds that spoke come first: most of the others never have anything to say. */
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
  const spoken = new Map<string, number>()
  for (const byKind of steps.values())
    for (const [kind, { outcome }] of byKind)
      spoken.set(
        kind,
        (spoken.get(kind) ?? 0) + (outcome === "spoke" ? 1_000 : outcome === "disabled" ? 0 : 1),
      )
  const known = new Map(part.kinds.map(({ kind, on }) => [kind, on]))
  for (const kind of spoken.keys()) if (!known.has(kind)) known.set(kind, true)
  const kinds = [...known]
    .map(([kind, on]) => ({ kind, on, spoke: spoken.get(kind) ?? 0 }))
    .sort((a, b) => b.spoke - a.spoke || a.kind.localeCompare(b.kind))
  return { kinds, steps, total: part.total }
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
