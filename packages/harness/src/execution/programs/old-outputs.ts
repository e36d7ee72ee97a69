import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"

const DAY_MS = 24 * 60 * 60 * 1000
const OLDEST_MS = 14 * DAY_MS
/** A session may still be told where its output of today is. */
const YOUNGEST_MS = DAY_MS
const MOST_BYTES = 1_000_000_000

/**
 * Removes outputs that will not be asked for any more: those older than two weeks, and the oldest while all take more
 * than 1 GB.
 */
export async function removeOldOutputs(folder: string, now = Date.now()): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  const found = await Promise.all(names.map((name) => fileAt(join(folder, name), now)))
  const files = found.filter((file) => file !== undefined).sort((a, b) => a.age - b.age)
  let total = 0
  for (const { path, size, age } of files) {
    total += size
    if (age > OLDEST_MS || (total > MOST_BYTES && age > YOUNGEST_MS))
      await rm(path, { force: true }).catch(() => {})
  }
}

async function fileAt(path: string, now: number) {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? { path, size: found.size, age: now - found.mtimeMs } : undefined
}

const tidied = new Set<string>()

/** Removes old outputs once for each folder, while other work goes on. */
export function tidyOutputs(folder: string): void {
  if (tidied.has(folder)) return
  tidied.add(folder)
  void removeOldOutputs(folder)
}
