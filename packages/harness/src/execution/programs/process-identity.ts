import { readFileSync } from "node:fs"

/** Finds when a process began, where the system tells: numbers of processes are used again. Empty if it is not known. */
export function birthOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // After the name, which is in parentheses and may hold anything, the start time is the 20th field.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    // One that has ended, and whose parent has not asked how, does nothing any more.
    return fields[0] === "Z" ? "ended" : (fields[19] ?? "")
  } catch {
    return ""
  }
}

/** True if this user's process with that number is the one that began then. */
export function isSameProcess(pid: number, birth: string): boolean {
  try {
    process.kill(pid, 0)
    return birthOf(pid) === birth
  } catch {
    // It has ended, or the number is that of another user's process by now.
    return false
  }
}
