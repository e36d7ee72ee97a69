import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dataFolder, type Environment, privateFolder, replacePrivate } from "@sotto/harness"

/** Milliseconds after a change until it is on disk. */
const SOON_MS = 500

/**
 * What a mender holds, in a file that only its owner can read: it has parts of conversations. A proxy that is started
 * again finds it by its port if that was given, and otherwise by the folder it works in.
 */
export class HeldState {
  readonly #path: string
  readonly #save: () => string
  readonly #complain: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, save: () => string, complain: (error: unknown) => void) {
    this.#path = path
    this.#save = save
    this.#complain = complain
  }

  /** Something changed: it is written soon. */
  readonly touch = (): void => {
    this.#timer ??= setTimeout(() => this.flush(), SOON_MS)
  }

  /** Writes what has changed. */
  flush(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      replacePrivate(this.#path, this.#save())
    } catch (error) {
      this.#complain(error)
    }
  }
}

/** Where the state is kept. Makes the folder. */
export function heldPath(env: Environment, place: { readonly port: number; readonly cwd: string }): string {
  const folder = join(dataFolder(env), "proxy")
  privateFolder(folder)
  const name = createHash("sha256")
    .update(place.port === 0 ? place.cwd : `port ${place.port}`)
    .digest("hex")
  return join(folder, `held-${name.slice(0, 16)}.json`)
}

/** What an earlier run has left. */
export function readHeld(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
