import type { KindSettings, Rule, Throttle, Trust } from "@sotto/core"
import type { Project } from "../../platform/workspace/project.js"
import { loadConfig } from "../../settings/load.js"
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
export async function describeRules(place: Project): Promise<readonly RuleRow[]> {
  const [{ reminders }, own] = await Promise.all([loadConfig(place), loadRules(place)])
  const rules = [...sottoRules(), ...own]
  const known = settingsFor(rules, reminders)
  return [
    ...rules.map((rule) => rowOf(rule, known[rule.kind])),
    ...Object.entries(reminders)
      .filter(([kind]) => !Object.hasOwn(known, kind))
      .map(([kind, settings]) => rowOf({ kind, source: "only in sotto.json: no rule here" }, settings)),
  ]
}

/**
 * Keeps the settings of the kinds that there are rules for. Others stay out of a session: the user's own `sotto.json`
 * may name a rule that only another project has. `sotto rules` lists them.
 */
export function settingsFor(
  rules: readonly Rule[],
  reminders: Readonly<Record<string, KindSettings>>,
): Readonly<Record<string, KindSettings>> {
  const kinds = new Set(rules.map(({ kind }) => kind))
  return Object.fromEntries(Object.entries(reminders).filter(([kind]) => kinds.has(kind)))
}

function rowOf(rule: Omit<Rule, "decide">, settings: KindSettings | undefined): RuleRow {
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
