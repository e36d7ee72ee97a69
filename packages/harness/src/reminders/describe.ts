import type { KindSettings, Rule, Throttle, Trust } from "@sotto/core"
import { loadConfig } from "../settings/load.js"
import type { Place } from "../workspace/place.js"
import { loadRules } from "./load.js"
import { sottoRules } from "./standard.js"

/** A rule as it would run in a directory. */
export interface RuleRow {
  readonly kind: string
  readonly on: boolean
  readonly priority: number
  readonly throttle: Throttle
  readonly trust: Trust
  readonly source: string
}

/** Starts nothing, whether or not the place is trusted. */
export async function describeRules(place: Place): Promise<readonly RuleRow[]> {
  const [{ reminders }, own] = await Promise.all([loadConfig(place), loadRules(place)])
  return [...sottoRules(), ...own].map((rule) => rowOf(rule, reminders[rule.kind]))
}

function rowOf(rule: Rule, settings: KindSettings | undefined): RuleRow {
  const own = settings === undefined || settings === false ? {} : settings
  return {
    kind: rule.kind,
    on: settings === undefined ? rule.optIn !== true : settings !== false,
    priority: own.priority ?? rule.priority ?? 50,
    throttle: own.throttle ?? rule.throttle ?? {},
    trust: rule.trust ?? "harness",
    source: rule.source ?? "standard",
  }
}
