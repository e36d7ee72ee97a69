import type { Carrier } from "./capabilities.js"
import type { EconomyAccount } from "./economy.js"
import type { Group } from "./exchange.js"
import type { Kind } from "./reminder.js"
import type { CacheDiagnostics } from "./reply.js"

/** What a step logs of its rules. That one is off, or was not asked, follows from the roster and from `Silences`. */
export type RuleOutcome =
  | { readonly kind: Kind; readonly key: string; readonly outcome: "spoke"; readonly tokens: number }
  | { readonly kind: Kind; readonly key: string; readonly outcome: "over-budget"; readonly tokens: number }
  | { readonly kind: Kind; readonly key: string; readonly outcome: "throttled"; readonly until: string }
  | { readonly kind: Kind; readonly outcome: "failed"; readonly error: string }
  /** One of its reminders said nothing. */
  | { readonly kind: Kind; readonly key: string; readonly outcome: "nothing"; readonly why: string }

/** Why each kind that had nothing to say kept silent, in words. A step logs only what changed since the one before. */
export type Silences = Readonly<Record<Kind, string>>

/** Which kinds there were, and which of them were switched off. */
export interface Roster {
  readonly on: readonly Kind[]
  readonly off: readonly Kind[]
}

/** Gives the roster with what was switched on or off while the session ran. */
export function rosterNow({ on, off }: Roster, switched: ReadonlyMap<Kind, boolean>): Roster {
  if (switched.size === 0) return { on, off }
  const isOn = (kind: Kind, before: boolean) => switched.get(kind) ?? before
  return {
    on: [...on.filter((kind) => isOn(kind, true)), ...off.filter((kind) => isOn(kind, false))],
    off: [...off.filter((kind) => !isOn(kind, false)), ...on.filter((kind) => !isOn(kind, true))],
  }
}

/** One step's page of the ledger, and what was told in it. */
export interface LedgerPage {
  readonly turn: number
  readonly step: number
  readonly roster: Roster
  readonly outcomes: readonly RuleOutcome[]
  /** Why the kinds without an outcome kept silent. Empty for steps that an older Sotto logged. */
  readonly silences: Silences
  readonly group: Group
  /** What stands for the conversation so far, where a compaction took effect at this step. */
  readonly summary?: string
  /** How framed messages and then reminders travelled, in the order of the outcomes that spoke. */
  readonly carriers: readonly Carrier[]
  readonly neutralised: number
  /** What the economy's account says, where the session has one. */
  readonly economy?: EconomyAccount
  /** What the provider said of the cache, where it was asked. */
  readonly diagnostics?: CacheDiagnostics
}
