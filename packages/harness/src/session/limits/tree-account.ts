import type { Entry } from "@sotto/core"
import {
  type AccountSum,
  addAccounts,
  allClasses,
  type CostReport,
  explainCost,
  moneyOf,
  NOTHING_SPENT,
  type PriceLookup,
  SessionAccount,
} from "@sotto/core/economy"
import type { SessionCatalogue } from "../../store/contract.js"
import { StoreError } from "../../store/error.js"
import type { SessionSummary } from "../../store/summary.js"
import type { AccountFigures } from "../../tools/events/events.js"

/** A subagent's session, and what it has cost itself. */
export interface SubagentAccount {
  readonly session: SessionSummary
  readonly account: SessionAccount
}

/** Reads what the subagents of a stored session have cost, and theirs. Reads no more of their logs than that takes. */
export async function subagentAccounts(
  store: Pick<SessionCatalogue, "subagents" | "usage">,
  sessionId: string,
  priceOf: PriceLookup,
): Promise<readonly SubagentAccount[]> {
  const accounts: SubagentAccount[] = []
  for (const session of await store.subagents(sessionId)) {
    const account = new SessionAccount(priceOf)
    try {
      if (session.damaged === undefined) for (const row of await store.usage(session.id, 0)) account.take(row)
    } catch (error) {
      // A damaged session tells no more than it can.
      if (!(error instanceof StoreError && error.code === "damaged")) throw error
    }
    accounts.push({ session, account })
  }
  return accounts
}

/** Explains what a session of a store and its subagents have cost. `log` is the session's own. */
export async function costReport(
  store: Pick<SessionCatalogue, "subagents" | "usage">,
  sessionId: string,
  log: readonly Entry[],
  priceOf: PriceLookup,
): Promise<CostReport> {
  const subagents = await subagentAccounts(store, sessionId, priceOf)
  const named = subagents.map(({ session, account }) => ({ name: `${session.agent} ${session.id}`, account }))
  return explainCost(log, priceOf, named)
}

/** Adds up accounts. */
export function sumOfAccounts(accounts: readonly { readonly account: SessionAccount }[]): AccountSum {
  return accounts.reduce((sum, { account }) => addAccounts(sum, account.total), NOTHING_SPENT)
}

/** Gives an account as events and answers show it. Money is rounded, so that every way of adding up shows the same. */
export function figuresOf(sum: AccountSum): AccountFigures {
  const { requests, tokens, unpriced, uncounted, dollars, assumed } = sum
  const cost = moneyOf(sum)
  return {
    requests,
    ...tokens,
    ...(cost === undefined
      ? { unpriced, costAtLeast: rounded(allClasses(dollars)) }
      : { cost: rounded(cost) }),
    ...(uncounted > 0 && { uncounted }),
    ...(Object.keys(assumed).length > 0 && { assumed }),
  }
}

function rounded(dollars: number): number {
  return Math.round(dollars * 1e9) / 1e9
}
