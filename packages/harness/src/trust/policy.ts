import type { PermissionRule } from "@sotto/core"
import type { Access } from "../permissions/access.js"
import { decisive, type Judge, judge, limitsReading, stricter } from "../permissions/rules.js"

type Rules = readonly PermissionRule[]

/** The rules that decide for one agent, by who wrote them. */
export interface RuleSources {
  /** All that the agent has, a trusted folder's included, in order. */
  readonly all: Rules
  /** What it would have without the folder. */
  readonly without: Rules
  /** The user's own alone. */
  readonly user: Rules
  /** An untrusted folder's. */
  readonly tightening: Rules
}

/** Where nobody but the user has a word, an agent's rules are all there is to judge by. */
export function ownRules(rules: Rules): RuleSources {
  return { all: rules, without: [], user: [], tightening: [] }
}

const NO_OPINION: PermissionRule = { permission: "*", pattern: "*", action: "allow" }

/**
 * A trusted folder may change what built-in rules say, but never undoes what the user denies. An untrusted one is heard
 * only where it is stricter: judged apart, because no order of rules in one list would say that.
 */
export function policyOf({ all, without, user, tightening }: RuleSources): Judge {
  return (access) => {
    const isDenied = judge(without, access) === "deny" && judge(user, access) === "deny"
    const action = isDenied ? "deny" : judge(all, access)
    return tightening.length === 0 ? action : stricter(action, judge([NO_OPINION, ...tightening], access))
  }
}

/** The rule that denies an access, whoever wrote it. */
export function denyingRule(
  { all, without, tightening }: RuleSources,
  access: Access,
): PermissionRule | undefined {
  return [all, without, tightening]
    .map((rules) => decisive(rules, access))
    .find((rule) => rule?.action === "deny")
}

/** Whether some files are judged more strictly than files in general, when they are read. */
export function policyLimitsReading({ all, without, tightening }: RuleSources): boolean {
  return [all, without, [NO_OPINION, ...tightening]].some(limitsReading)
}
