import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/**
 * Lists the processes that work in a folder, by their numbers outside of every namespace: what a command calls its own
 * number is another one where it has processes of its own.
 */
export function processesIn(folder: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => worksIn(pid, folder))
    .map(Number)
}

function worksIn(pid: string, folder: string): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.[0]
    // One that nobody has reaped yet is dead all the same.
    return state !== "Z" && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
  } catch {
    return false // It has ended, or it is not ours.
  }
}
