import type { Access, Action } from "./access.js"
import { type Denial, whyDenied, whyDoubted, whyUnconfined } from "./reasons.js"
import { type Judge, judgeAll, type Verdict } from "./rules.js"
import type { Reach, Sandbox } from "./sandbox/sandbox.js"

export interface CallVerdict extends Verdict {
  /** For the model, where the call is denied: why, and what to do instead. */
  readonly reason?: string
  /** Where the command runs. Absent where it runs like any program of the user, and for calls that run no command. */
  readonly inside?: { readonly sandbox: Sandbox; readonly reach: Reach; readonly network: boolean }
  /** True if the command runs because it is taken to be harmless: git then runs nothing that a repository names. */
  readonly quiet: boolean
}

/** What the judgement of a call goes by. */
export interface VerdictContext {
  readonly judge: Judge
  /** How far the agent's commands are confined, if they are. */
  readonly reach?: Reach | undefined
  /** The sandbox of this machine, if it has one that works. */
  readonly sandbox?: Sandbox | undefined
  /** Whose rule denies the access. */
  denial?(access: Access): Denial | undefined
}

/** What the network is asked for by, in rules: `"network": "allow"`. */
const NETWORK: Access = { permission: "network", target: "*" }

/**
 * Judges a call. The commands of an agent that is confined run in the sandbox, all of them: whether a command only
 * reads is a guess, and the sandbox is not. Without one, a read-only agent runs only what is judged to read, and an
 * agent confined to the workspace runs no command.
 */
export function verdictOn(accesses: readonly Access[], standing: VerdictContext): CallVerdict {
  const { judge, reach, sandbox } = standing
  const commands = accesses.filter(({ permission }) => permission === "bash")
  const quiet = reach === "read-only" || commands.every(({ effect }) => effect === "read")
  const inSandbox = reach !== undefined && sandbox !== undefined && commands.length > 0
  const found = judgeAll(inSandbox && reach === "read-only" ? harmlessly(judge) : judge, accesses)
  if (found.action === "deny") {
    const { access } = found
    return { ...found, quiet, reason: whyDenied(access, access && denialOf(access, standing), sandbox) }
  }
  if (inSandbox) {
    const network = judge(NETWORK) === "allow"
    return { ...found, quiet, inside: { sandbox, reach, network } }
  }
  const [command] = commands
  if (reach === "workspace" && command)
    return { action: "deny", access: command, quiet, reason: whyUnconfined(command) }
  const doubtful = reach === "read-only" ? commands.find(({ effect }) => effect !== "read") : undefined
  if (doubtful) return { action: "deny", access: doubtful, quiet, reason: whyDoubted(doubtful) }
  return { ...found, quiet }
}

/** A command that would be denied even if it only read is denied by its name, whatever else speaks against it. */
function denialOf(access: Access, { denial }: VerdictContext): Denial | undefined {
  const byName = access.permission === "bash" ? denial?.({ ...access, effect: "read" }) : undefined
  return byName ?? denial?.(access)
}

/**
 * In a read-only sandbox a command that is denied only for what it does or might do cannot do it. A denial of anything
 * else (an edit, a path, the command by its name) stays.
 */
function harmlessly(judge: Judge): Judge {
  return (access): Action => {
    const action = judge(access)
    if (action !== "deny" || access.permission !== "bash" || access.effect === "read") return action
    return judge({ ...access, effect: "read" })
  }
}
