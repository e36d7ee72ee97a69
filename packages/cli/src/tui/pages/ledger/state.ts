import type { Aside, LedgerRow } from "@sotto/core"

/** What became of one kind in this session. */
export interface LedgerKind {
  readonly kind: string
  readonly times: number
  readonly tokens: number
  readonly on: boolean
  /** What it did at the newest step, and if it kept silent, why. */
  readonly newest: string
  readonly texts: readonly Pick<Aside, "text" | "carrier" | "tokens" | "step" | "turn">[]
}

export interface Ledger {
  readonly kinds: readonly LedgerKind[]
  /** Tokens of the whole context. */
  readonly context: number
  readonly chosen: number
  /** Where to write that a kind is off for good, while that is being asked. */
  readonly asks: boolean
  readonly message: string | undefined
}

/** Those that spoke first, by what they cost; then those that wanted to; then the silent ones. */
export function kindsOf(
  rows: readonly LedgerRow[],
  asides: readonly Aside[],
  switched: ReadonlyMap<string, boolean>,
): readonly LedgerKind[] {
  const byKind = grouped(rows)
  return [...byKind]
    .map(([kind, of]): LedgerKind => {
      const texts = asides.filter((aside) => aside.kind === kind)
      const spoke = of.filter(({ outcome }) => outcome === "spoke")
      const newest = of.at(-1)
      const on = switched.get(kind) ?? newest?.outcome !== "disabled"
      return {
        ...{ kind, on, texts, times: spoke.length },
        tokens: spoke.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
        newest: on ? sentence(of, newest) : "switched off",
      }
    })
    .sort((a, b) => b.tokens - a.tokens || rank(a) - rank(b) || a.kind.localeCompare(b.kind))
}

function grouped(rows: readonly LedgerRow[]): ReadonlyMap<string, readonly LedgerRow[]> {
  const groups = new Map<string, LedgerRow[]>()
  for (const row of rows) {
    const known = groups.get(row.kind)
    if (known) known.push(row)
    else groups.set(row.kind, [row])
  }
  return groups
}

function rank({ newest }: LedgerKind): number {
  return newest === "nothing to say" ? 1 : 0
}

/** Of several outcomes at one step the one that a person would ask about. */
function sentence(rows: readonly LedgerRow[], newest: LedgerRow | undefined): string {
  if (newest === undefined) return ""
  const same = rows.filter(({ turn, step }) => turn === newest.turn && step === newest.step)
  const row =
    same.find(({ outcome }) => outcome === "failed") ??
    same.find(({ outcome }) => outcome === "spoke") ??
    same.find(({ outcome }) => outcome === "over-budget") ??
    same.find(({ outcome }) => outcome === "throttled") ??
    newest
  switch (row.outcome) {
    case "spoke":
      return `told at step ${row.step}`
    case "throttled":
      return `throttled${row.until === undefined ? "" : `: ${row.until}`}`
    case "over-budget":
      return "over budget, comes next"
    case "disabled":
      return "switched off"
    case "failed":
      return `failed: ${row.error ?? "no reason given"}`
    case "nothing":
      if (row.neutralised) return `made ${row.neutralised} forged tags inert`
      return `nothing to say${row.why === undefined ? "" : `: ${row.why}`}`
  }
}
