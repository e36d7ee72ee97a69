import type { Agent, PermissionRule } from "@sotto/core"
import type { Access } from "./access.js"
import { denyingRule, ownRules, policyLimitsReading, policyOf, type RuleSources } from "./policy.js"
import type { Denial } from "./reasons.js"
import { type Judge, judgeBy, within } from "./rules.js"
import { findSandbox } from "./sandbox/find.js"
import type { Reach, SandboxSetting } from "./sandbox/sandbox.js"
import { type CallVerdict, verdictOn } from "./verdict.js"

/** What a person has allowed for the rest of the session: exactly what they were shown, or a pattern they wrote. */
export class Grants {
  readonly #allowed = new Set<string>()
  readonly #rules: PermissionRule[] = []

  /**
   * Allows an access again. Of a command line it is the whole line that was shown: a part of it, a bare `sh` at the end
   * of a pipe, says nothing of what it will be given next time.
   */
  allow(access: Access, isCommand: boolean): void {
    this.#allowed.add(isCommand ? keyOf(access, access.detail) : keyOf(access))
  }

  /** What a rule with this pattern would allow. */
  allowLike(permission: string, pattern: string): void {
    this.#rules.push({ permission, pattern, action: "allow" })
  }

  covers(access: Access): boolean {
    if (this.#allowed.has(keyOf(access)) || this.#allowed.has(keyOf(access, access.detail))) return true
    return judgeBy(this.#rules)(access) === "allow"
  }
}

/** Where a call is let through, asked about, or turned away: for every agent alike, and where its tools run. */
export interface Gate {
  readonly judge: Judge
  /** How far commands are confined: as far as the agent or its parent is, whichever is further. */
  reach(): Reach | undefined
  /** Whose rule denies an access. */
  denial(access: Access): Denial | undefined
  /** Whether some files may not be read, or not unasked, although files in general may. */
  limitsReading(): boolean
  verdict(accesses: readonly Access[]): Promise<CallVerdict>
}

/**
 * The rules of the agent that is active now, narrowed by what its parent may do. `usual` is the sandbox where the agent
 * does not say; `sourcesOf` tells whose rules are whose.
 */
export function gateFor(
  agent: () => Agent,
  parent: Gate | undefined,
  grants: Grants,
  usual: SandboxSetting = "off",
  sourcesOf: (agent: Agent) => RuleSources = ({ permission = [] }) => ownRules(permission),
): Gate {
  let known: { readonly agent: Agent; readonly sources: RuleSources; readonly judge: Judge } | undefined
  const policy = () => {
    const now = agent()
    if (known?.agent === now) return known
    const sources = sourcesOf(now)
    known = { agent: now, sources, judge: policyOf(sources) }
    return known
  }
  const own: Judge = (access) => {
    const action = policy().judge(access)
    return action === "ask" && grants.covers(access) ? "allow" : action
  }
  const judge = parent ? within(parent.judge, own) : own
  const gate: Gate = {
    judge,
    reach: () => narrower(reachOf(agent(), usual), parent?.reach()),
    denial: (access) => {
      const rule = denyingRule(policy().sources, access)
      const { name } = agent()
      if (rule !== undefined) return { agent: name, rule, readsOnly: readsOnly(agent()), isParent: false }
      const above = parent?.denial(access)
      return above && { ...above, isParent: true }
    },
    limitsReading: () => policyLimitsReading(policy().sources) || (parent?.limitsReading() ?? false),
    verdict: async (accesses) => {
      const reach = gate.reach()
      const runs = accesses.some(({ permission }) => permission === "bash")
      const sandbox = reach !== undefined && runs ? await findSandbox() : undefined
      return verdictOn(accesses, { judge, reach, sandbox, denial: gate.denial })
    },
  }
  return gate
}

/** A word that nobody knows confines most: whoever wrote it wanted a sandbox. */
function reachOf({ options }: Agent, usual: SandboxSetting): Reach | undefined {
  const wanted = options?.sandbox ?? usual
  if (wanted === "off" || wanted === false) return undefined
  return wanted === "workspace" ? "workspace" : "read-only"
}

function readsOnly(agent: Agent): boolean {
  return agent.options?.sandbox === "read-only"
}

function narrower(one: Reach | undefined, other: Reach | undefined): Reach | undefined {
  return one === "read-only" || other === "read-only" ? "read-only" : (one ?? other)
}

function keyOf({ permission, target }: Access, line = ""): string {
  return `${permission}\n${target}\n${line}`
}
