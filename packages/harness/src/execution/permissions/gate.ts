import { type Agent, isPlanner, type PermissionRule } from "@sotto/core"
import type { Access } from "./access.js"
import { planningDenial, planningLimit } from "./plan-rules.js"
import { denyingRule, ownRules, policyLimitsReading, policyOf, type RuleSources } from "./policy.js"
import type { Denial } from "./reasons.js"
import { type Judge, judgeBy, within } from "./rules.js"
import { findSandbox } from "./sandbox/find.js"
import type { Reach, SandboxSetting } from "./sandbox/sandbox.js"
import { type CallVerdict, verdictOn } from "./verdict.js"

/** Something that a person has allowed for the rest of the session. */
export interface Grant {
  readonly id: string
  readonly permission: string
  /** The command line, path or name; or, of a pattern, the pattern. */
  readonly what: string
  readonly isPattern: boolean
}

/** What a person has allowed in a session, for the frontend that shows it and takes it back. */
export interface PermissionControl {
  granted(): readonly Grant[]
  /** Takes a grant back: from now on the user is asked again. False if the grant does not exist. */
  revoke(id: string): boolean
  /** Withdraws what a rule allowed that was taken out of its file: the user is asked about it from now on. */
  withdraw(permission: string, pattern: string): void
  /** Switches on or off that files of the workspace are changed without asking. */
  acceptEdits(on: boolean): void
  readonly acceptsEdits: boolean
}

/** What a person has allowed for the rest of the session: exactly what they were shown, or a pattern they wrote. */
export class Grants implements PermissionControl {
  readonly #allowed = new Map<string, Grant>()
  #rules: (Grant & PermissionRule)[] = []
  readonly #withdrawn: PermissionRule[] = []
  #count = 0
  acceptsEdits = false
  /** True once the user wants to be asked, whatever `--yes` said. */
  asksAgain = false
  /** True if the user wants to be asked before each edit, whatever rules allow. It ends when edits are accepted. */
  asksEdits = false

  /**
   * Allows an access again. Of a command line it is the whole line that was shown: a part of it, a bare `sh` at the end
   * of a pipe, says nothing of what it will be given next time.
   */
  allow(access: Access, isCommand: boolean): void {
    const { permission, target, detail } = access
    const line = detail ?? target
    if (!isCommand)
      this.#allowed.set(keyOf(access), { id: this.#newId(), permission, what: target, isPattern: false })
    // However many accesses a command line has, for people it is one.
    else
      this.#allowed.set(keyOf(access, detail), { id: line, permission: "bash", what: line, isPattern: false })
  }

  allowLike(permission: string, pattern: string): void {
    const grant = { id: this.#newId(), permission, what: pattern, isPattern: true }
    this.#rules.push({ ...grant, pattern, action: "allow" })
  }

  granted(): readonly Grant[] {
    const all = [...this.#allowed.values(), ...this.#rules]
    return [...new Map(all.map((grant) => [grant.id, grant])).values()]
  }

  revoke(id: string): boolean {
    const before = this.granted().length
    for (const [key, grant] of this.#allowed) if (grant.id === id) this.#allowed.delete(key)
    this.#rules = this.#rules.filter((grant) => grant.id !== id)
    return this.granted().length < before
  }

  withdraw(permission: string, pattern: string): void {
    this.#rules = this.#rules.filter((rule) => rule.permission !== permission || rule.pattern !== pattern)
    this.#withdrawn.push({ permission, pattern, action: "allow" })
  }

  acceptEdits(on: boolean): void {
    this.acceptsEdits = on
    if (on) this.asksEdits = false
  }

  /** Has each edit asked about from now on. What was allowed of edits before no longer counts. */
  askBeforeEdits(): void {
    this.acceptsEdits = false
    this.asksEdits = true
    for (const [key, { permission }] of this.#allowed) if (permission === "edit") this.#allowed.delete(key)
    this.#rules = this.#rules.filter(({ permission }) => permission !== "edit")
  }

  /** True if a rule allowed it that was taken back since. Another rule may allow it too: asking is on the safe side. */
  isWithdrawn(access: Access): boolean {
    return judgeBy(this.#withdrawn)(access) === "allow"
  }

  covers(access: Access): boolean {
    if (this.#allowed.has(keyOf(access)) || this.#allowed.has(keyOf(access, access.detail))) return true
    return judgeBy(this.#rules)(access) === "allow"
  }

  #newId(): string {
    return `grant-${++this.#count}`
  }
}

/** Where a call is let through, asked about, or turned away: for every agent alike, and where its tools run. */
export interface Gate {
  readonly judge: Judge
  /** How far commands are confined: as far as the agent or its parent is, whichever is further. */
  reach(): Reach | undefined
  /** Whose rule denies an access. */
  denial(access: Access): Denial | undefined
  /** Whether files of the workspace are changed without asking: by its own person's word, or its parent's. */
  acceptsEdits(): boolean
  /** Whether some files may not be read, or not unasked, although files in general may. */
  limitsReading(): boolean
  /** All rules that have a say: the agent's, and those of the agents it works for. */
  rules(): readonly PermissionRule[]
  verdict(accesses: readonly Access[]): Promise<CallVerdict>
}

/**
 * Makes the gate for the rules of the agent that is active now, narrowed by what its parent may do. `usual` is the
 * sandbox where the agent does not say; `sourcesOf` tells whose rules are whose; what `isSealed` names is denied
 * whatever the rules say; `cwd` is the workspace, which must not bring a sandbox of its own.
 */
export function gateFor(
  agent: () => Agent,
  parent: Gate | undefined,
  grants: Grants,
  usual: SandboxSetting = "off",
  sourcesOf: (agent: Agent) => RuleSources = ({ permission = [] }) => ownRules(permission),
  isSealed: (access: Access) => boolean = () => false,
  cwd?: string,
): Gate {
  let known: { readonly agent: Agent; readonly sources: RuleSources; readonly judge: Judge } | undefined
  const policy = () => {
    const now = agent()
    if (known?.agent === now) return known
    const sources = sourcesOf(now)
    const limit = planningLimit(now, sources.all, parent !== undefined || now.mode === "subagent")
    const rules = policyOf(sources)
    known = { agent: now, sources, judge: limit === undefined ? rules : within(limit, rules) }
    return known
  }
  const own: Judge = (access) => {
    if (isSealed(access)) return "deny"
    const action = policy().judge(access)
    const mustAsk = access.permission === "edit" && grants.asksEdits && !isPlanner(agent())
    if (action === "allow" && (mustAsk || grants.isWithdrawn(access)))
      return grants.covers(access) ? "allow" : "ask"
    if (action !== "ask") return action
    const isEdit = access.permission === "edit" && gate.acceptsEdits()
    return isEdit || grants.covers(access) ? "allow" : "ask"
  }
  const judge = parent ? within(parent.judge, own) : own
  const gate: Gate = {
    judge,
    reach: () => narrower(reachOf(agent(), usual), parent?.reach()),
    denial: (access) => {
      const now = agent()
      const rule = denyingRule(policy().sources, access) ?? planningDenial(now, access)
      if (rule !== undefined) return { agent: now.name, rule, readsOnly: readsOnly(now), isParent: false }
      const above = parent?.denial(access)
      return above && { ...above, isParent: true }
    },
    acceptsEdits: () => grants.acceptsEdits || (parent?.acceptsEdits() ?? false),
    limitsReading: () => policyLimitsReading(policy().sources) || (parent?.limitsReading() ?? false),
    rules: () => {
      const { all, withoutFolder, untrustedFolder } = policy().sources
      return [...all, ...withoutFolder, ...untrustedFolder, ...(parent?.rules() ?? [])]
    },
    verdict: async (accesses) => {
      const runs = accesses.some(({ permission }) => permission === "bash")
      const sandbox = runs ? await findSandbox(cwd) : undefined
      return verdictOn(accesses, { judge, reach: gate.reach(), sandbox, denial: gate.denial })
    },
  }
  return gate
}

/** Says how far commands are confined. Planning confines most, and so does a word that has no meaning here. */
function reachOf(agent: Agent, usual: SandboxSetting): Reach | undefined {
  const wanted = isPlanner(agent) ? "read-only" : (agent.options?.sandbox ?? usual)
  if (wanted === "off" || wanted === false) return undefined
  return wanted === "workspace" ? "workspace" : "read-only"
}

function readsOnly(agent: Agent): boolean {
  return isPlanner(agent) || agent.options?.sandbox === "read-only"
}

function narrower(one: Reach | undefined, other: Reach | undefined): Reach | undefined {
  return one === "read-only" || other === "read-only" ? "read-only" : (one ?? other)
}

function keyOf({ permission, target }: Access, line = ""): string {
  return `${permission}\n${target}\n${line}`
}
