import { readFileSync } from "node:fs"

/** The most memory that the process and those it started, as far as they still run, have ever had: bytes. Linux alone tells. */
export function peakMemoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    const own = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024
    return childrenOf(pid).reduce((sum, child) => sum + (peakMemoryOf(child) || 0), own)
  } catch {
    return Number.NaN
  }
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number)
}
