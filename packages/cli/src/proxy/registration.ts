import { randomBytes } from "node:crypto"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { dataFolder, type Environment, privateFolder, replacePrivate } from "@sotto/harness"

/** How a proxy that runs is found: what `$SOTTO_HOME/run/proxy-PID.json` holds. */
export interface Registered {
  readonly pid: number
  readonly port: number
  /** Whoever has it may see the calls. */
  readonly token: string
  readonly startedAt: number
  readonly command?: readonly string[]
}

export function newToken(): string {
  return randomBytes(32).toString("base64url")
}

/** Makes a running proxy known to the user's other programs. Returns what takes that back. */
export function register(env: Environment, registered: Registered): () => void {
  const folder = join(dataFolder(env), "run")
  privateFolder(folder)
  clearDead(folder)
  const path = join(folder, `proxy-${registered.pid}.json`)
  replacePrivate(path, `${JSON.stringify(registered)}\n`)
  return () => rmSync(path, { force: true })
}

/** A proxy that was killed leaves its file behind. */
function clearDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^proxy-(\d+)\.json$/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
