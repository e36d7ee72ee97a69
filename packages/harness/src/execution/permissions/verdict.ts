import { isAbsolute } from "node:path"
import type { Access, Action } from "./access.js"
import { type Denial, whyDenied, whyDoubted, whyUnconfined } from "./reasons.js"
import { type Judge, judgeAll, type Verdict } from "./rules.js"
import type { Reach, Sandbox } from "./sandbox/sandbox.js"

export interface CallVerdict extends Verdict {
  /** For the model, where the call is denied: why, and what to do instead. */
  readonly reason?: string
  /** Where the command runs. Absent where it runs like any program of the user, and for calls that run no command. */
  readonly inside?: Inside
  /** True if the command runs because it is taken to be harmless: git then runs nothing that a repository names. */
  readonly quiet: boolean
}

/** How a command is confined. */
export interface Inside {
  readonly sandbox: Sandbox
  readonly reach: Reach
  readonly network: boolean
  /** Paths outside the workspace that the command names, and that the rules or the user have allowed. */
  readonly outside: readonly string[]
  /** True if every program in it is known to look only. */
  readonly looks: boolean
  /** True if it is nothing but git, which writes the repository. */
  readonly commits: boolean
  /** True if it may run outside the sandbox should the user allow that. */
  readonly mayLeave: boolean
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
 * Judges a call. The judgement of a command decides whether the user is asked; the sandbox decides what can happen. A
 * command that runs unasked because it only looks runs where nothing can be written and the network cannot be reached.
 * All other commands of an agent that is confined run as far confined as the agent is. Without a sandbox, a read-only
 * agent runs only what is judged to read, and an agent confined to the workspace runs no command.
 */
export function verdictOn(accesses: readonly Access[], context: VerdictContext): CallVerdict {
  const { judge, reach, sandbox } = context
  const leaving = accesses.find(leavesSandbox)
  if (leaving !== undefined) return verdictOnLeaving(leaving, accesses, context)
  const commands = accesses.filter(({ permission }) => permission === "bash")
  const looks = commands.every(
    ({ effect, confinable }) => effect === "read" || (confinable && sandbox !== undefined),
  )
  const quiet = reach === "read-only" || looks
  const found = judgeAll(sandbox === undefined ? judge : confinedJudge(judge, reach, looks), accesses)
  if (found.action === "deny") {
    const { access } = found
    return { ...found, quiet, reason: whyDenied(access, access && denialOf(access, context), sandbox) }
  }
  const unasked = looks && found.action === "allow"
  const confined = unasked ? "read-only" : reach
  if (sandbox !== undefined && commands.length > 0 && confined !== undefined) {
    const network = reach !== undefined && judge(NETWORK) === "allow"
    const outside = accesses.filter(isNamedOutside).map(({ target }) => target)
    const commits = commands.every(writesRepository)
    const mayLeave = reach !== "read-only"
    return {
      ...found,
      quiet,
      inside: { sandbox, reach: confined, network, outside, looks, commits, mayLeave },
    }
  }
  const [command] = commands
  if (reach === "workspace" && command)
    return { action: "deny", access: command, quiet, reason: whyUnconfined(command) }
  const doubtful = reach === "read-only" ? commands.find(({ effect }) => effect !== "read") : undefined
  if (doubtful) return { action: "deny", access: doubtful, quiet, reason: whyDoubted(doubtful) }
  return { ...found, quiet }
}

/** True for a command that would leave the sandbox. Only a person or a rule of theirs lets it: `--yes` does not. */
export function leavesSandbox({ permission }: Access): boolean {
  return permission === "unconfined"
}

/** Judges a command that would leave the sandbox. One of an agent that only reads never does. */
function verdictOnLeaving(
  leaving: Access,
  accesses: readonly Access[],
  context: VerdictContext,
): CallVerdict {
  const found = judgeAll(context.judge, accesses)
  if (found.action === "deny" || context.reach === "read-only")
    return { action: "deny", access: leaving, quiet: false, reason: whyDenied(found.access ?? leaving) }
  return { ...found, quiet: false }
}

/**
 * Finds what denies an access. A command that would be denied even if it only read is denied by its name, whatever else
 * speaks against it.
 */
function denialOf(access: Access, { denial }: VerdictContext): Denial | undefined {
  const byName = access.permission === "bash" ? denial?.({ ...access, effect: "read" }) : undefined
  return byName ?? denial?.(access)
}

/**
 * Judges commands that a sandbox confines. One that is there to look counts as reading. In a read-only sandbox a
 * command that is denied only for what it does or might do cannot do it. A denial of anything else (an edit, a path,
 * the command by its name) stays. The user is not asked about files that are known only when the command runs: the
 * sandbox shows none that would be asked about.
 */
function confinedJudge(judge: Judge, reach: Reach | undefined, looks: boolean): Judge {
  return (access): Action => {
    const action = judge(access)
    if (action === "allow") return action
    if (action === "ask" && isUnknownFile(access) && (looks || reach === "read-only")) return "allow"
    if (access.permission !== "bash" || access.effect === "read") return action
    const isHarmless = access.confinable === true || (action === "deny" && reach === "read-only")
    return isHarmless ? judge({ ...access, effect: "read" }) : action
  }
}

/** True for a path that the command surely names. What is known in part (`cd ..` in a loop) brings nothing into the sandbox. */
function isNamedOutside({ permission, target, exact = true }: Access): boolean {
  return permission === "outside" && exact && isAbsolute(target)
}

function isUnknownFile({ permission, exact = true }: Access): boolean {
  return !exact && (permission === "read" || permission === "outside")
}

/** Subcommands of git that a commit takes. With these options they run other programs. */
const COMMITTING =
  /^git (add|commit|rm|mv|restore|checkout|switch|branch|tag|stash|reset|merge|cherry-pick|revert|fetch)( |$)/
const RUNS_OTHERS = / (-x|--exec|--upload-pack|--receive-pack|-s|--strategy)/

function writesRepository({ effect, target, exact = true }: Access): boolean {
  return effect === "read" || (exact && COMMITTING.test(target) && !RUNS_OTHERS.test(target))
}
