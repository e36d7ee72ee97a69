import type { PermissionRule } from "@sotto/core"
import type { Access } from "./access.js"
import type { Sandbox } from "./sandbox/sandbox.js"

/** Whose rule denies something. */
export interface Denial {
  readonly agent: string
  readonly rule: PermissionRule
  /** The agent changes nothing, by what it is for. */
  readonly readsOnly: boolean
  /** The agent that made the call works for this one. */
  readonly isParent: boolean
}

/** Tells the model why a call was refused. Names what really denied it, because the model acts on it. */
export function whyDenied(access: Access | undefined, denial?: Denial, sandbox?: Sandbox): string {
  if (access === undefined) return "This is not permitted."
  const byNature = denial?.readsOnly === true && denial.rule.pattern === "*" && changes(access)
  if (byNature) return whyNotRead(access, whoseNature(denial), sandbox)
  const instead = access.advice ?? "Do without it, or ask the user."
  return `${undone(access)}: ${whoseRule(denial)} denies it${ruleText(denial)}. ${instead}`
}

/** Tells the model that the user would have to be asked about it, and that no user can answer. */
export function whyUnasked(access: Pick<Access, "permission" | "target">): string {
  return `${undone(access)}: it needs permission, and nobody is there to give it. Do without it.`
}

/** Tells why a command was not run: a read-only agent, no sandbox, and a command that may do more than read. */
export function whyDoubted({ target }: Access): string {
  return `\`${target}\` was not run: it could not be judged to be read-only, and there is no sandbox here to run it in. Use read, glob, grep, or plain read-only commands with literal arguments (ls, cat, rg, git log).`
}

/** Tells why a command was not run: the configuration asks for a sandbox that this machine does not have. */
export function whyUnconfined({ target }: Access): string {
  return `\`${target}\` was not run: the configuration says that commands run in a sandbox ("sandbox": "workspace"), and none works on this machine. Tell the user to install bubblewrap (\`sotto doctor\` says whether it works) or to take the setting out.`
}

function whyNotRead(access: Access, who: string, sandbox: Sandbox | undefined): string {
  const target = `\`${access.target}\``
  if (access.permission === "edit") return `${target} was not changed: ${who} only reads.`
  if (access.permission === "mcp")
    return `${target} was not called: its server does not say that it only reads, and ${who} only reads. Describe in the plan what it is for instead.`
  if (access.effect === "write")
    return `${target} was not run: it changes something, and ${who} only reads. Describe the change in the plan instead.`
  if (sandbox === undefined) return whyDoubted(access)
  return `${target} was not run: ${who} only reads.`
}

function changes({ permission, effect }: Access): boolean {
  if (permission === "edit") return true
  return (permission === "bash" || permission === "mcp") && effect !== "read"
}

function undone({ permission, target }: Pick<Access, "permission" | "target">): string {
  switch (permission) {
    case "bash":
      return `\`${target}\` was not run`
    case "read":
      return `\`${target}\` was not read`
    case "edit":
      return `\`${target}\` was not changed`
    case "unconfined":
      return `\`${target}\` was not run outside the sandbox`
    case "fetch":
      return `\`${target}\` was not asked`
    case "outside":
      return `\`${target}\` is outside the workspace and was not touched`
    default:
      return `${permission} was not used for \`${target}\``
  }
}

function whoseNature({ agent, isParent }: Denial): string {
  return isParent ? `${agent}, for whom this agent works,` : `the agent ${agent}`
}

function whoseRule(denial: Denial | undefined): string {
  if (denial === undefined) return "a permission rule"
  const { agent, isParent } = denial
  return isParent ? `a permission rule of ${agent}, for whom this agent works,` : "a permission rule"
}

function ruleText(denial: Denial | undefined): string {
  if (denial === undefined) return ""
  const { permission, pattern } = denial.rule
  return ` ("${permission}": {"${pattern}": "deny"})`
}
