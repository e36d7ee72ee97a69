import { join } from "node:path"
import { type ChildEnvironment, plainEnvironment } from "../../execution/programs/environment.js"
import { findBash } from "../../execution/programs/find-program.js"
import { tidyOutputs } from "../../execution/programs/old-outputs.js"
import { allowedCommand } from "../../execution/programs/supervise.js"
import { dataFolder, type Environment } from "../../platform/workspace/folders.js"
import { privateFolder } from "../../platform/workspace/private-files.js"
import { runNow } from "../../tools/bash.js"
import { fileFor } from "../../tools/tasks/output.js"
import type { Output } from "../../tools/tool.js"

/** Where a command of the user's own runs. */
interface CommandPlace {
  readonly cwd: string
  readonly env: Environment
  readonly childEnv: ChildEnvironment
}

/** Seconds. The user who typed it is there to stop it. */
const LONGEST = 24 * 3600

/**
 * Runs a command that the user has typed. Asks for no permission: the user wants it. It gets what commands of the agent
 * get, so no key of a provider, no terminal and no input.
 */
export async function runTyped(
  command: string,
  { cwd, env, childEnv }: CommandPlace,
  { abort, progress }: { readonly abort: AbortSignal; progress(line: string): void },
): Promise<Output> {
  const scratch = join(dataFolder(env), "output")
  privateFolder(scratch)
  tidyOutputs(scratch)
  const how = {
    launch: await allowedCommand([findBash(cwd), "-c", command], cwd),
    env: plainEnvironment(childEnv),
    cwd,
    output: fileFor("typed", scratch),
  }
  return runNow(how, LONGEST, { abort, progress }, { stopped: "stopped" })
}
