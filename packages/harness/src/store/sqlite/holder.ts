import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { birthOf } from "../../execution/programs/process-identity.js"

/** Who holds a session open. */
export interface Holder {
  /** Of one open store: two in the same process are two holders. */
  readonly token: string
  readonly pid: number
  /** When the process began, where that can be known: numbers of processes are used again. */
  readonly birth: string
  /** Where the number means this process: a machine, in containers a namespace, and since which start of the machine. */
  readonly place: string
}

/** Milliseconds of silence after which a holder on another machine counts as dead: its process cannot be looked for. */
const SILENCE = 10 * 60_000

export function thisHolder(): Holder {
  return { token: randomUUID(), pid: process.pid, birth: birthOf(process.pid), place: thisPlace() }
}

/** Judges by its process a holder that has no lock of the operating system: see `lives`. */
export function isAlive({ pid, birth, place }: Omit<Holder, "token">, beat: number, now: number): boolean {
  const [host, space, boot = ""] = place.split(" ")
  const [ownHost, ownSpace, ownBoot = ""] = thisPlace().split(" ")
  const isSameBoot = boot === "" || ownBoot === "" ? host === ownHost : boot === ownBoot
  // The machine was started anew since then, or it is another one.
  if (!isSameBoot) return host !== ownHost && now - beat < SILENCE
  if (space !== ownSpace) return now - beat < SILENCE
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Not being allowed to signal it means that it is there.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
  return birth === birthOf(pid)
}

function thisPlace(): string {
  const space = whereKnown(() => readlinkSync("/proc/self/ns/pid"))
  const boot = whereKnown(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim())
  return `${hostname()} ${space} ${boot}`
}

function whereKnown(look: () => string): string {
  try {
    return look()
  } catch {
    return ""
  }
}
