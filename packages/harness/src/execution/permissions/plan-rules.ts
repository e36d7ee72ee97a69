import { type Agent, isPlanner, type PermissionRule } from "@sotto/core"
import type { Access } from "./access.js"
import { decisive, type Judge, judge } from "./rules.js"

/** Where plans are kept, from the workspace: the one place that plan mode may write to. */
export const PLANS = ".sotto/plans"

function rule(action: PermissionRule["action"], permission: string, pattern = "*"): PermissionRule {
  return { permission, pattern, action }
}

/** Denies what an agent that only reads may not do. */
export const NO_CHANGES: readonly PermissionRule[] = [
  ...["edit", "bash:write", "bash:unknown", "mcp:write", "mcp:unknown"].map((name) => rule("deny", name)),
]

/** Allows plan files all the same. */
export const PLAN_FILES: PermissionRule = rule("allow", "edit", `${PLANS}/*`)

const CEILING: readonly PermissionRule[] = [rule("allow", "*"), ...NO_CHANGES]

/**
 * Returns the most that plan mode allows, whatever rules an agent has; undefined for an agent that does not plan. It may
 * read, and write plan files: Markdown files in the folder of plans. A subagent writes none, because its plan is its answer.
 * A tool of an MCP server that does not say what it does may run if a rule allows it by its whole name: the user vouches
 * for it.
 */
export function planningLimit(
  agent: Agent,
  rules: readonly PermissionRule[],
  isSubagent = agent.mode === "subagent",
): Judge | undefined {
  if (!isPlanner(agent)) return undefined
  return (access) => {
    const { permission, target, effect = "unknown" } = access
    const isPlan = permission === "edit" && !isSubagent && isPlanFile(target)
    if (isPlan || (permission === "mcp" && effect === "unknown" && isVouchedFor(access, rules)))
      return "allow"
    return judge(CEILING, access)
  }
}

function isPlanFile(target: string): boolean {
  return target.startsWith(`${PLANS}/`) && /^[^/\\]+\.md$/i.test(target.slice(PLANS.length + 1))
}

function isVouchedFor(access: Access, rules: readonly PermissionRule[]): boolean {
  const found = decisive(rules, access)
  return found?.action === "allow" && found.pattern === access.target
}

/** Finds the rule of plan mode that denies an access, for the reason that the model is given. */
export function planningDenial(agent: Agent, access: Access): PermissionRule | undefined {
  const found = isPlanner(agent) ? decisive(CEILING, access) : undefined
  return found?.action === "deny" ? found : undefined
}
