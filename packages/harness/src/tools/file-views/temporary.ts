import { randomBytes } from "node:crypto"
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"

const NAME = /^\.sotto-(?:(\d+)-)?[0-9a-f]{12}\.tmp$/
/** A process of another container may have a number that is free here; nobody writes a file for so long. */
const LONGEST_MS = 10 * 60_000

const tidied = new Set<string>()

/** A new name beside a file that is to be replaced. It says which process writes it. */
export function temporaryIn(folder: string): string {
  return join(folder, `.sotto-${process.pid}-${randomBytes(6).toString("hex")}.tmp`)
}

/** Removes what writers that died have left in a folder, once for each folder. */
export async function removeLeftovers(folder: string, now = Date.now()): Promise<void> {
  if (tidied.has(folder)) return
  tidied.add(folder)
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names) {
    const found = NAME.exec(name)
    if (found === null || (found[1] !== undefined && isAlive(Number(found[1])))) continue
    const path = join(folder, name)
    const age = await stat(path).then(
      ({ mtimeMs }) => now - mtimeMs,
      () => 0,
    )
    if (age > LONGEST_MS) await rm(path, { force: true }).catch(() => {})
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
