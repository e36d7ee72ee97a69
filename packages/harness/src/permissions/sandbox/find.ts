import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import { bubblewraps } from "./bubblewrap.js"
import { holds } from "./probe.js"
import type { Sandbox } from "./sandbox.js"
import { seatbelt } from "./seatbelt.js"

let found: Promise<Sandbox | undefined> | undefined

/** The sandbox of this machine, if there is one that works. It is tried out once per process, when first needed. */
export function findSandbox(): Promise<Sandbox | undefined> {
  found ??= firstThatHolds(candidates(process.platform))
  return found
}

/** Installed is not enough: each is tried out until one keeps what it promises. */
export async function firstThatHolds(sandboxes: readonly Sandbox[]): Promise<Sandbox | undefined> {
  for (const sandbox of sandboxes) if (await holds(sandbox)) return sandbox
  return undefined
}

function candidates(platform: NodeJS.Platform): readonly Sandbox[] {
  if (platform === "darwin") return [seatbelt("/usr/bin/sandbox-exec")]
  const program = platform === "linux" ? onPath("bwrap") : undefined
  return program === undefined ? [] : bubblewraps(program, isFolder)
}

/** Relative folders in PATH do not count: a workspace must not bring its own sandbox. */
function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
