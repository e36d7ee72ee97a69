import type { PermissionRule } from "@sotto/core"
import { type Judge, judge, stricter } from "../permissions/rules.js"

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
