import type { Gate } from "../permissions/gate.js"
import { confine } from "../permissions/sandbox/confine.js"
import { unreadableIn } from "../permissions/sandbox/unreadable.js"
import { GIT_ENVIRONMENT } from "../permissions/shell/git-environment.js"
import type { CallVerdict } from "../permissions/verdict.js"
import { type ChildEnvironment, plainEnvironment, withVariables } from "../programs/environment.js"
import { ToolError } from "../text/errors.js"
import type { Environment } from "../workspace/folders.js"
import type { Shell } from "./bash.js"

/** Where commands run, and with which variables. */
interface CommandPlace {
  readonly cwd: string
  readonly env: Environment
  readonly childEnv: ChildEnvironment
}

/** How a command runs that was let through: where, and with which environment. */
export async function shellFor(
  { cwd, env, childEnv }: CommandPlace,
  { inside, quiet }: CallVerdict,
  gate: Pick<Gate, "judge" | "limitsReading">,
  abort: AbortSignal,
): Promise<Shell> {
  const plain = plainEnvironment(childEnv)
  const environment = quiet ? withVariables(plain, GIT_ENVIRONMENT) : plain
  if (inside === undefined) return { env: environment, argv: (command) => ["bash", "-c", command] }
  const { sandbox, reach, network } = inside
  if (reach === "workspace" && cwd === "/")
    throw new ToolError(
      'The workspace is the whole file system, so that "sandbox": "workspace" would confine nothing. Tell the user to start Sotto in a folder.',
    )
  const unreadable = gate.limitsReading() ? await unreadableIn(cwd, gate.judge, abort) : []
  const confinement = confine({ cwd, env }, { reach, network, unreadable })
  return { env: environment, argv: (command) => sandbox.wrap(command, confinement) }
}
