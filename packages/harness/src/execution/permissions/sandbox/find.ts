import { findBash } from "../../programs/find-program.js"
import { bubblewrap } from "../../programs/supervise.js"
import { bubblewraps } from "./bubblewrap.js"
import { holds } from "./probe.js"
import type { Sandbox } from "./sandbox.js"
import { seatbelt } from "./seatbelt.js"

const found = new Map<string, Promise<Sandbox | undefined>>()

/** Finds the sandbox of this machine, if there is one that works. It is tried out once, when first needed. */
export function findSandbox(cwd: string = process.cwd()): Promise<Sandbox | undefined> {
  const program = process.platform === "darwin" ? "/usr/bin/sandbox-exec" : bubblewrap(cwd)
  if (program === undefined) return Promise.resolve(undefined)
  const sandbox = found.get(program) ?? firstThatHolds(candidates(program, findBash(cwd)))
  found.set(program, sandbox)
  return sandbox
}

/** Installed is not enough: each is tried out until one keeps what it promises. */
export async function firstThatHolds(sandboxes: readonly Sandbox[]): Promise<Sandbox | undefined> {
  for (const sandbox of sandboxes) if (await holds(sandbox)) return sandbox
  return undefined
}

function candidates(program: string, bash: string): readonly Sandbox[] {
  return process.platform === "darwin" ? [seatbelt(program, bash)] : bubblewraps(program, bash)
}
