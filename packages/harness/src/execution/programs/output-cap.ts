import { fstatSync } from "node:fs"

const SOONEST_MS = 2
const FIRST_MS = 10
const LATEST_MS = 250

/**
 * Calls `over` once a file is larger than `most`, soon after it is: the faster the file grows, the sooner it is looked
 * at again. Returns the way to stop looking.
 */
export function watchSize(file: number, most: number, over: () => void): () => void {
  let size = 0
  let at = performance.now()
  let timer: NodeJS.Timeout
  const look = () => {
    const now = performance.now()
    const grown = fstatSync(file).size
    if (grown > most) return over()
    const perMs = (grown - size) / Math.max(now - at, 1)
    const left = (most - grown) / Math.max(perMs, 1)
    size = grown
    at = now
    // Half of the time that is left, since it may print faster from now on.
    wait(Math.min(Math.max(left / 2, SOONEST_MS), LATEST_MS))
  }
  const wait = (ms: number) => {
    timer = setTimeout(look, ms)
    timer.unref()
  }
  wait(FIRST_MS)
  return () => clearTimeout(timer)
}
