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
  verdict(accesses: readonly Access[]): Promise<PlanVerdict>
}

/** The rules of the agent that is active now, narrowed by what its parent may do. */
export function gateFor(agent: () => Agent, parent: Gate | undefined, grants: Grants): Gate {
  const own: Judge = (access) => {
    const action = judgeBy(agent().permission ?? [])(access)
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

function keyOf({ permission, target }: Access, line = ""): string {
  return `${permission}\n${target}\n${line}`
}
