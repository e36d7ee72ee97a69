import type { PermissionRule } from "@sotto/core"
import type { Access } from "./access.js"
import { decisive, type Judge, judge, limitsReading, stricter } from "./rules.js"

type Rules = readonly PermissionRule[]

/** The rules that decide for one agent, by who wrote them. */
export interface RuleSources {
  /** All that the agent has, a trusted folder's included, in order. */
  readonly all: Rules
  /** What it would have without the folder. */
  readonly withoutFolder: Rules
  /** The user's own alone. */
  readonly user: Rules
  /** An untrusted folder's. */
  readonly untrustedFolder: Rules
}

/** Rules of an agent that no folder has a say in. */
export function ownRules(rules: Rules): RuleSources {
  return { all: rules, withoutFolder: [], user: [], untrustedFolder: [] }
}

const NO_OPINION: PermissionRule = { permission: "*", pattern: "*", action: "allow" }

/**
 * Judges by the sources of rules. A trusted folder may change what built-in rules say, but never undoes what the user
 * denies. An untrusted one is heard only where it is stricter: judged apart, because no order of rules in one list
 * would say that.
 */
export function policyOf({ all, withoutFolder, user, untrustedFolder }: RuleSources): Judge {
  return (access) => {
    const isDenied = judge(withoutFolder, access) === "deny" && judge(user, access) === "deny"
    const action = isDenied ? "deny" : judge(all, access)
    return untrustedFolder.length === 0
      ? action
      : stricter(action, judge([NO_OPINION, ...untrustedFolder], access))
  }
}

/** Finds the rule that denies an access, from whichever source it is. */
export function denyingRule(
  { all, withoutFolder, untrustedFolder }: RuleSources,
  access: Access,
): PermissionRule | undefined {
  return [all, withoutFolder, untrustedFolder]
    .map((rules) => decisive(rules, access))
    .find((rule) => rule?.action === "deny")
}

/** True if some files are judged more strictly than files in general, when they are read. */
export function policyLimitsReading({ all, withoutFolder, untrustedFolder }: RuleSources): boolean {
  return [all, withoutFolder, [NO_OPINION, ...untrustedFolder]].some(limitsReading)
}
