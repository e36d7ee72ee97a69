import { type FSWatcher, type Stats, statfsSync, statSync, watch } from "node:fs"
import { basename, dirname, join } from "node:path"

/**
 * File systems on which the kernel tells of every change, whichever process makes it: ext, xfs, btrfs, f2fs, zfs,
 * tmpfs, overlayfs. On those that others share over a network, it tells only of what is done on this machine.
 */
const TELLING = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630])

/**
 * The kernel keeps at least this number of events for us; when it has had to drop some, we have been given more than
 * this.
 */
export const MANY_EVENTS = 4_096

/** True if the kernel tells of whatever happens in the folder, whoever does it. */
export function tellsOfAll(folder: string): boolean {
  return process.platform === "linux" && TELLING.has(statfsSync(folder).type)
}

interface Watched {
  readonly watcher: FSWatcher
  readonly identity: string
  readonly quiet: Set<string>
}

/**
 * Has the kernel tell when something happens to a file, so that what a step costs does not grow with the number of files
 * that were read.
 */
export class FolderWatch {
  readonly #wake: (path: string) => void
  /** By folder; undefined where the kernel cannot be relied on. */
  readonly #folders = new Map<string, Watched | undefined>()
  #events = 0

  /** `wake` hears of each file that was quiet and need not be any more. */
  constructor(wake: (path: string) => void) {
    this.#wake = wake
  }

  /** Whether anything is watched: then what happened shows after `heard`. */
  get isOn(): boolean {
    for (const watched of this.#folders.values()) if (watched !== undefined) return true
    return false
  }

  /** True if what happens to the file from now on will be told. Begins to watch its folder if need be. */
  covers(path: string): boolean {
    const folder = dirname(path)
    if (!this.#folders.has(folder)) this.#folders.set(folder, this.#begin(folder))
    return this.#folders.get(folder) !== undefined
  }

  /**
   * Notes that the file was looked at while it was covered. True if it is quiet now: one with several names may change
   * by another.
   */
  settle(path: string, { nlink }: Stats): boolean {
    const watched = this.#folders.get(dirname(path))
    if (watched === undefined || nlink !== 1) return false
    watched.quiet.add(path)
    return true
  }

  /** Resolves when all is known that has happened before. */
  async heard(): Promise<void> {
    // The events that wait are read between one of these and the next.
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#events > MANY_EVENTS) this.close()
    this.#events = 0
    // The folder was moved, or a folder that it is in, of which the kernel does not tell.
    for (const [folder, watched] of this.#folders)
      if (watched !== undefined && watched.identity !== identityOf(folder)) this.#end(folder, watched)
  }

  close(): void {
    for (const [folder, watched] of this.#folders) this.#end(folder, watched)
  }

  #begin(folder: string): Watched | undefined {
    try {
      if (!tellsOfAll(folder)) return undefined
      const quiet = new Set<string>()
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        this.#events++
        // Without a name, or with its own, it is about the folder itself.
        if (name === null || name === basename(folder)) this.#wakeAll(quiet)
        else this.#wakeOne(join(folder, name), quiet)
      })
      const watched = { watcher, identity: identityOf(folder), quiet }
      watcher.on("error", () => this.#end(folder, watched))
      return watched
    } catch {
      // There are limits to how much may be watched.
      return undefined
    }
  }

  #end(folder: string, watched: Watched | undefined): void {
    this.#folders.delete(folder)
    watched?.watcher.close()
    if (watched) this.#wakeAll(watched.quiet)
  }

  #wakeAll(quiet: Set<string>): void {
    for (const path of quiet) this.#wakeOne(path, quiet)
  }

  #wakeOne(path: string, quiet: Set<string>): void {
    if (quiet.delete(path)) this.#wake(path)
  }
}

function identityOf(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found === undefined ? "" : `${found.dev}:${found.ino}`
}
