import { type Agent, isPlanner, type PermissionRule } from "@sotto/core"
import { decisive, type Judge, judge } from "./rules.js"

/** Where plans are kept, from the workspace: the one place that plan mode may write to. */
export const PLANS = ".sotto/plans"

function rule(action: PermissionRule["action"], permission: string, pattern = "*"): PermissionRule {
  return { permission, pattern, action }
}

/** What no agent that only reads may do. */
export const NO_CHANGES: readonly PermissionRule[] = [
  ...["edit", "bash:write", "bash:unknown", "mcp:write", "mcp:unknown"].map((name) => rule("deny", name)),
]

/** The exception to it that planning needs. */
export const PLAN_FILE: PermissionRule = rule("allow", "edit", `${PLANS}/*`)

const CEILING: readonly PermissionRule[] = [rule("allow", "*"), ...NO_CHANGES, PLAN_FILE]

/**
 * The most that plan mode allows, whatever rules an agent has: reading, and writing plan files. Undefined for an agent that
 * does not plan. A tool of an MCP server that does not say what it does may run if the agent's rules allow it by name: the
 * user vouches for it. `*` vouches for nothing.
 */
export function planningLimit(agent: Agent, rules: readonly PermissionRule[]): Judge | undefined {
  if (!isPlanner(agent)) return undefined
  return (access) => {
    const { permission, effect = "unknown" } = access
    const isVouchedFor =
      permission === "mcp" && effect === "unknown" && !/^\*+$/.test(decisive(rules, access)?.pattern ?? "*")
    return isVouchedFor ? "allow" : judge(CEILING, access)
  }
}

/** The rule of plan mode that denies an access, for the reason that the model is given. */
export function planningDenial(agent: Agent, access: Parameters<Judge>[0]): PermissionRule | undefined {
  const found = isPlanner(agent) ? decisive(CEILING, access) : undefined
  return found?.action === "deny" ? found : undefined
}
