import type { Carrier } from "../vocabulary/capabilities.js"
import type { EconomyAccount } from "../vocabulary/economy.js"
import type { LedgerPage } from "../vocabulary/ledger-page.js"
import type { Kind } from "../vocabulary/reminder.js"
import type { CacheDiagnostics } from "../vocabulary/reply.js"

/** What became of one rule, or of one reminder of it, at one step, and why. */
export interface LedgerRow {
  /** The turn of the step. */
  readonly turn: number
  /** The step, counted from 1 within its turn. */
  readonly step: number
  /** The kind whose rule was asked. */
  readonly kind: Kind
  /** What in particular it would have spoken of. */
  readonly key?: string
  /** What came of it. */
  readonly outcome: "spoke" | "throttled" | "over-budget" | "disabled" | "nothing" | "failed"
  /** What it cost, or would have cost. */
  readonly tokens?: number
  /** How it travelled, if it spoke. */
  readonly carrier?: Carrier
  /** Until when it keeps silent, in words, if it was throttled. */
  readonly until?: string
  /** What the rule threw, if it failed. It is asked again at the next boundary, with the signals it has missed. */
  readonly error?: string
  /**
   * Why it had nothing to say: "not this agent", "no signal yet", "no new signal", "no fact yet", "returned nothing",
   * "no form", "blank", or what the rule says itself, such as "condition false: agent = plan (it is build)".
   */
  readonly why?: string
  /** On the row of kind "guard": forgeries made inert in this step's content. */
  readonly neutralised?: number
  /** On the row of kind "cache": what the provider's own cache diagnostics say. */
  readonly diagnostics?: CacheDiagnostics
  /** On the row of kind "economy": what re-reading stale results has cost, what a rebase would cost, and what was decided. */
  readonly economy?: EconomyAccount
}

/** Guard, cache and economy are no rules, but what they did is told where people look. */
const GUARD: Kind = "guard"
const CACHE: Kind = "cache"
const ECONOMY: Kind = "economy"

/** Reads every row, or those of step n in the newest turn that had one. */
export function readLedger(pages: readonly LedgerPage[], step: number | undefined): readonly LedgerRow[] {
  if (step === undefined) return allRows(pages)
  const page = pages.findLast((candidate) => candidate.step === step)
  return page === undefined ? [] : rowsOf(page)
}

/** The rows of all pages but the newest, which may still change. Asking again costs only what is new. */
const SETTLED = new WeakMap<readonly LedgerPage[], { done: number; readonly rows: LedgerRow[] }>()

function allRows(pages: readonly LedgerPage[]): readonly LedgerRow[] {
  const settled = SETTLED.get(pages) ?? { done: 0, rows: [] }
  SETTLED.set(pages, settled)
  for (const page of pages.slice(settled.done, -1)) settled.rows.push(...rowsOf(page))
  settled.done = Math.max(0, pages.length - 1)
  return settled.rows.concat(pages.slice(settled.done).flatMap(rowsOf))
}

function rowsOf({
  turn,
  step,
  outcomes,
  silences,
  carriers,
  roster,
  neutralised,
  diagnostics,
  economy,
}: LedgerPage): readonly LedgerRow[] {
  let spoken = 0
  const rows: LedgerRow[] = outcomes.map((outcome) => {
    const carrier = outcome.outcome === "spoke" ? carriers[spoken++] : undefined
    const { key, ...rest } = { key: "", ...outcome }
    return { turn, step, ...rest, ...(key !== "" && { key }), ...(carrier && { carrier }) }
  })
  const heard = new Set(rows.map((row) => row.kind))
  for (const kind of roster.on) {
    if (heard.has(kind)) continue
    const why = Object.hasOwn(silences, kind) ? silences[kind] : undefined
    rows.push({ turn, step, kind, outcome: "nothing", ...(why !== undefined && { why }) })
  }
  for (const kind of roster.off) if (!heard.has(kind)) rows.push({ turn, step, kind, outcome: "disabled" })
  if (neutralised > 0) rows.push({ turn, step, kind: GUARD, outcome: "nothing", neutralised })
  if (economy && (economy.stale > 0 || economy.because !== undefined))
    rows.push({ turn, step, kind: ECONOMY, outcome: "nothing", economy })
  if (diagnostics) rows.push({ turn, step, kind: CACHE, outcome: "nothing", diagnostics })
  return rows
}
