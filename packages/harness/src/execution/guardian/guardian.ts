import type { ChildProcessByStdio } from "node:child_process"
import type { Writable } from "node:stream"
import type { ProcessGuard } from "../programs/command.js"
import { birthOf } from "../programs/process-identity.js"
import { startAlone } from "../programs/start.js"
import { guard } from "./program.js"

/** How often the guardian is told that a lease was prolonged, at most. A lease lasts for seconds. */
const TELL_MS = 100

/** Two readings of the same end differ by rounding. */
const SAME_MS = 10

interface Guarded {
  readonly birth: string
  /** When the lease ends under which it runs, by `Date.now()`; undefined once it is lost. */
  until(): number | undefined
  /** What the guardian was told last; undefined if nothing. */
  told: number | undefined
}

/**
 * A process of its own that ends what tools run when their worker cannot: it was stopped, cut off or killed, and its
 * lease has ended. It starts with the first program to guard, and ends with this process.
 */
class Guardian {
  readonly #guarded = new Map<number, Guarded>()
  #process: ChildProcessByStdio<Writable, null, null> | undefined
  #telling: NodeJS.Timeout | undefined

  /** Guards what one session runs, for as long as its lease lasts. */
  forLease(until: () => number | undefined): ProcessGuard {
    return {
      started: (pid) => {
        const one: Guarded = { birth: birthOf(pid), until, told: undefined }
        this.#guarded.set(pid, one)
        this.#tell(pid, one)
        this.#telling ??= setInterval(() => this.#tellAll(), TELL_MS).unref()
      },
      ended: (pid) => {
        if (!this.#guarded.delete(pid)) return
        this.#write({ pid })
        if (this.#guarded.size > 0) return
        clearInterval(this.#telling)
        this.#telling = undefined
      },
    }
  }

  #tellAll(): void {
    for (const [pid, one] of this.#guarded) this.#tell(pid, one)
  }

  #tell(pid: number, one: Guarded): void {
    const until = one.until() ?? 0
    if (one.told !== undefined && Math.abs(until - one.told) < SAME_MS) return
    one.told = until
    this.#write({ pid, birth: one.birth, until: onSharedClock(until) })
  }

  #write(message: object): void {
    this.#running().stdin.write(`${JSON.stringify(message)}\n`)
  }

  #running(): ChildProcessByStdio<Writable, null, null> {
    if (this.#process !== undefined) return this.#process
    const started = startAlone(`(${guard.toString()})(process, require("node:fs").readFileSync)`)
    const gone = () => {
      if (this.#process !== started) return
      this.#process = undefined
      // Another one is told of everything anew.
      for (const one of this.#guarded.values()) one.told = undefined
    }
    started.once("exit", gone).once("error", gone)
    started.stdin.on("error", gone)
    this.#process = started
    return started
  }
}

/** The one of this process. */
export const guardian = new Guardian()

/** Converts a time of `Date.now()` to the clock that no program can set, in milliseconds. */
function onSharedClock(time: number): number {
  return Number(process.hrtime.bigint() / 1_000_000n) + Math.floor(time - Date.now())
}
