import { GIT_ENVIRONMENT } from "@sotto/shell/git"
import type { Gate } from "../execution/permissions/gate.js"
import { confine } from "../execution/permissions/sandbox/confine.js"
import { outsideOf } from "../execution/permissions/sandbox/outside.js"
import {
  disarm,
  type GitMarks,
  gitMarksIn,
  repositoriesOf,
} from "../execution/permissions/sandbox/repositories.js"
import { socketsIn } from "../execution/permissions/sandbox/sockets.js"
import { unreadableIn } from "../execution/permissions/sandbox/unreadable.js"
import type { CallVerdict, Inside } from "../execution/permissions/verdict.js"
import { type ChildEnvironment, plainEnvironment, withVariables } from "../execution/programs/environment.js"
import { findBash, safeFolders } from "../execution/programs/find-program.js"
import { confinedCommand } from "../execution/programs/launch.js"
import { allowedCommand } from "../execution/programs/supervise.js"
import { ToolError } from "../platform/text/errors.js"
import type { Environment } from "../platform/workspace/folders.js"
import type { Shell } from "./bash.js"

/** Where commands run, and with which variables. */
interface CommandPlace {
  readonly cwd: string
  readonly env: Environment
  readonly childEnv: ChildEnvironment
  readonly withheld: readonly string[]
}

type Judging = Pick<Gate, "judge" | "limitsReading" | "rules">

/** Decides how a command runs that was let through: where, and with which environment. */
export async function shellFor(
  place: CommandPlace,
  { inside, quiet }: CallVerdict,
  gate: Judging,
  abort: AbortSignal,
): Promise<Shell> {
  const { cwd, withheld } = place
  const plain = plainEnvironment(place.childEnv)
  const env = quiet ? withVariables(plain, GIT_ENVIRONMENT) : plain
  if (inside !== undefined) return { env, withheld, ...(await confinedShell(place, inside, gate, abort)) }
  const launch = (command: string) => allowedCommand([findBash(cwd), "-c", command], cwd)
  return { env: quiet ? withSafePath(env, cwd) : env, withheld, launch }
}

/**
 * Limits the path of a command that runs on a judgement alone: it finds programs only where the workspace cannot put
 * any.
 */
function withSafePath(env: ChildEnvironment, cwd: string): ChildEnvironment {
  const { CDPATH: _, ...rest } = env
  return withVariables(rest as ChildEnvironment, { PATH: safeFolders(env, cwd).join(":") })
}

async function confinedShell(
  { cwd, env }: CommandPlace,
  inside: Inside,
  gate: Judging,
  abort: AbortSignal,
): Promise<Pick<Shell, "launch" | "after" | "confined">> {
  const { sandbox, reach, network, looks, commits, mayLeave } = inside
  if (reach === "workspace" && cwd === "/")
    throw new ToolError(
      'The workspace is the whole file system, so that "sandbox": "workspace" would confine nothing. Tell the user to start Sotto in a folder.',
    )
  const { everything, shown, hidden } = outsideOf(gate.rules(), gate.judge)
  const unreadable = [...hidden]
  if (gate.limitsReading()) {
    unreadable.push(...(await unreadableIn(cwd, gate.judge, abort, true)))
    for (const folder of shown) unreadable.push(...(await unreadableIn(folder, gate.judge, abort, false)))
  }
  const marks = reach === "workspace" ? await gitMarksIn(cwd) : undefined
  if (marks !== undefined) unreadable.push(...(await socketsIn(cwd)))
  const confinement = confine(
    { cwd, env },
    {
      reach,
      network,
      everything,
      outside: [...shown, ...inside.outside],
      unreadable,
      repositories: marks === undefined ? [] : repositoriesOf(marks),
      commits,
      seesRepository: looks || commits,
    },
  )
  return {
    confined: { mayLeave },
    launch: async (command) => {
      const { argv, filter } = sandbox.wrap(command, confinement)
      return confinedCommand(argv, filter)
    },
    ...(marks !== undefined && { after: () => disarmed(cwd, marks) }),
  }
}

/** Takes the teeth out of repositories that a confined command made, and says so. */
async function disarmed(cwd: string, marks: GitMarks): Promise<string | undefined> {
  const renamed = await disarm(cwd, marks)
  if (renamed.length === 0) return undefined
  const names = renamed.map((path) => `${path} → ${path}.made-in-sandbox`).join(", ")
  return `Git would run programs that this names, so Sotto renamed it: ${names}. Only the user can make repositories here. Tell the user if it is needed.`
}
