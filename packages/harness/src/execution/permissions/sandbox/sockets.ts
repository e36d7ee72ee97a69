import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { foldersBelow } from "../../../platform/workspace/walk.js"

/** No person's machine has more. */
const MOST = 500
/** Folders of a workspace that are looked into at most. */
const MOST_FOLDERS = 20_000

/**
 * Lists the sockets in the file system that a program listens on. A read-only mount does not keep a command from
 * connecting to one, and the program that listens (Docker, an editor) takes orders outside the sandbox. A socket of
 * another network namespace is not in the kernel's table; it comes into a container as a mount.
 */
export function socketPaths(): readonly string[] {
  const listening = linesOf("/proc/net/unix").flatMap((line) => / (\/.+)$/.exec(line)?.[1] ?? [])
  const mounted = linesOf("/proc/self/mountinfo").flatMap((line) => line.split(" ")[4] ?? [])
  return [...new Set([...listening, ...mounted.filter(isSocket)])].slice(0, MOST)
}

/** Lists the sockets in a workspace, whichever network namespace a program listens in. */
export async function socketsIn(cwd: string): Promise<readonly string[]> {
  const sockets: string[] = []
  const enters = (name: string) => name !== "node_modules"
  for await (const { folder, entries } of foldersBelow(cwd, { most: MOST_FOLDERS, enters }))
    sockets.push(...entries.filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name)))
  return sockets
}

function isSocket(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isSocket() === true
  } catch {
    return false // Closed to us.
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n")
  } catch {
    return [] // Not Linux.
  }
}
