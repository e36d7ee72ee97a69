import type { Access, Action } from "./access.js"
import { judgeBy, type Policy, stricter, type Verdict } from "./rules.js"
import type { Sandbox } from "./sandbox.js"

export interface PlanVerdict extends Verdict {
  /** To be run in the sandbox, with the file system read-only. */
  readonly sandboxed: boolean
  /** For the model, where it is denied: why, and what to do instead. */
  readonly reason?: string
}

/**
 * For an agent that may not write: a command that is denied only for what it does or might do can still run where a
 * sandbox keeps it from doing so. A denial of anything else (an edit, a path, the command by its name) stays.
 */
export function planVerdict(
  policy: Policy,
  accesses: readonly Access[],
  sandbox: Sandbox | undefined,
): PlanVerdict {
  const decide = judgeBy(policy)
  let action: Action = "allow"
  let decisive: Access | undefined
  let contained: Access | undefined
  for (const access of accesses) {
    let own = decide(access)
    if (own === "deny" && access.permission === "bash" && access.effect !== "read") {
      const harmless = decide({ ...access, effect: "read" })
      if (harmless !== "deny") contained ??= access
      own = harmless
    }
    if (decisive === undefined || stricter(action, own) !== action) decisive = access
    action = stricter(action, own)
  }
  const access = decisive === undefined ? {} : { access: decisive }
  if (action === "deny") return { action, ...access, sandboxed: false, reason: whyDenied(decisive) }
  if (contained === undefined) return { action, ...access, sandboxed: false }
  if (sandbox !== undefined) return { action, ...access, sandboxed: true }
  return { action: "deny", access: contained, sandboxed: false, reason: whyDenied(contained) }
}

function whyDenied(access: Access | undefined): string {
  if (access === undefined) return "This is not permitted."
  const target = `\`${access.target}\``
  if (access.advice !== undefined)
    return `${access.permission} of ${target} is not permitted. ${access.advice}`
  if (access.permission === "edit") return `${target} may not be changed by this agent: it only reads.`
  if (access.permission === "outside") return `${target} is outside the workspace and may not be touched.`
  if (access.permission === "mcp" && access.effect !== "read")
    return `${target} was not called: its server does not say that it only reads, and this agent only reads. Describe in the plan what it is for instead.`
  if (access.permission !== "bash") return `${access.permission} is not permitted for ${target}.`
  if (access.effect === "write")
    return `${target} changes something, and this agent only reads. Describe the change in the plan instead.`
  if (access.effect === "read") return `${target} is not permitted for this agent.`
  return `${target} was not run: it could not be judged to be read-only, and there is no sandbox here to run it in. Use read, glob, grep, or plain read-only commands with literal arguments (ls, cat, rg, git log).`
}
