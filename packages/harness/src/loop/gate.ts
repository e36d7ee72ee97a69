import type { Agent, PermissionRule } from "@sotto/core"
import type { Access } from "../permissions/access.js"
import {
  findSandbox,
  type Judge,
  judgeAll,
  judgeBy,
  type PlanVerdict,
  planVerdict,
  within,
} from "../permissions/index.js"

/** What a person has allowed for the rest of the session. */
export class Grants {
  readonly #allowed = new Set<string>()
  readonly #rules: PermissionRule[] = []

  allow(access: Access): void {
    this.#allowed.add(keyOf(access))
  }

  /** What a rule with this pattern would allow. */
  allowLike(permission: string, pattern: string): void {
    this.#rules.push({ permission, pattern, action: "allow" })
  }

  covers(access: Access): boolean {
    return this.#allowed.has(keyOf(access)) || judgeBy(this.#rules)(access) === "allow"
  }
}

/** Where a call is let through, asked about, or turned away: for every agent alike, and where its tools run. */
export interface Gate {
  readonly judge: Judge
  verdict(accesses: readonly Access[]): Promise<PlanVerdict>
}

/** The rules of the agent that is active now, narrowed by what its parent may do. */
export function gateFor(
  agent: () => Agent,
  parent: Gate | undefined,
  grants: Grants,
  judgeOf: (agent: Agent) => Judge = ({ permission = [] }) => judgeBy(permission),
): Gate {
  const own: Judge = (access) => {
    const action = judgeOf(agent())(access)
    return action === "ask" && grants.covers(access) ? "allow" : action
  }
  const judge = parent ? within(parent.judge, own) : own
  return {
    judge,
    verdict: async (accesses) => {
      const plain = judgeAll(judge, accesses)
      if (plain.action !== "deny") return { ...plain, sandboxed: false }
      const sandbox = agent().options?.sandbox === "read-only" ? await findSandbox() : undefined
      return planVerdict(judge, accesses, sandbox)
    },
  }
}

function keyOf({ permission, target }: Access): string {
  return `${permission}\n${target}`
}
