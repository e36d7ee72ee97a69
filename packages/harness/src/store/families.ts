import type { SessionSummary } from "./summary.js"

/** A session with those of its subagents, and theirs. */
export interface Family {
  /** The one that no session of the store has started. */
  readonly root: string
  readonly members: readonly SessionSummary[]
  /** When one of them last changed. */
  readonly updated: number
}

/** Lists the families of a store, the one that was changed last at the end. */
export function familiesOf(list: readonly SessionSummary[]): readonly Family[] {
  const byId = new Map(list.map((summary) => [summary.id, summary]))
  const members = new Map<string, SessionSummary[]>()
  for (const summary of list) {
    const root = rootOf(summary, byId)
    members.set(root, [...(members.get(root) ?? []), summary])
  }
  return [...members]
    .map(([root, all]) => ({ root, members: all, updated: Math.max(...all.map(({ updated }) => updated)) }))
    .sort((a, b) => a.updated - b.updated)
}

function rootOf(summary: SessionSummary, byId: ReadonlyMap<string, SessionSummary>): string {
  const seen = new Set<string>()
  let at = summary
  for (;;) {
    // Of a damaged circle every session is its own family.
    if (seen.has(at.id)) return summary.id
    seen.add(at.id)
    const parent = at.parent === undefined ? undefined : byId.get(at.parent)
    if (parent === undefined) return at.id
    at = parent
  }
}
