import { cutForm, formTokens } from "../text/reminder-text.js"
import type { TokenCounter } from "../vocabulary/economy.js"
import type { Form } from "../vocabulary/reminder.js"

/** What reminders may cost, in tokens a step and as a share of the context they stand in. */
export interface Budget {
  /** Tokens of reminders that one step may carry. */
  readonly perStep?: number
  /** The share of the context that all reminders together may take, from 0 to 1. */
  readonly share?: number
}

export const DEFAULT_PER_STEP = 8_000

/** Something to be said that competes with others for room. */
export interface Candidate {
  readonly forms: readonly Form[]
  readonly exempt: boolean
  readonly priority: number
  /** The step at which it first failed to fit, if it has. */
  readonly deferredAt: number | undefined
}

export type BudgetFit = { readonly form: Form; readonly tokens: number } | { readonly overBudget: number }

/** Sorts by the order of finding room: what has waited longest, then by priority, then as it came. */
export function inOrder<C extends Candidate>(candidates: readonly C[]): readonly C[] {
  return candidates.toSorted(
    (a, b) => (a.deferredAt ?? LATEST) - (b.deferredAt ?? LATEST) || b.priority - a.priority,
  )
}

const LATEST = Number.MAX_SAFE_INTEGER

/**
 * Finds room for one candidate: the first form that fits is told. If none fits, the reminder is deferred once; the next
 * time the fullest form is cut, with a note. What must be said is said in full.
 */
export function fit(candidate: Candidate, room: number, count: TokenCounter): BudgetFit {
  const [full] = candidate.forms
  if (full === undefined) return { overBudget: 0 }
  let cost = 0
  for (const form of candidate.forms) {
    const tokens = formTokens(form, count)
    if (candidate.exempt || tokens <= room) return { form, tokens }
    if (form === full) cost = tokens
  }
  const cut = candidate.deferredAt === undefined ? undefined : cutForm(full, room, count)
  return cut ? { form: cut, tokens: formTokens(cut, count) } : { overBudget: cost }
}
