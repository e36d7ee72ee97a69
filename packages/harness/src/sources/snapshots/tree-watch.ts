import { type FSWatcher, watch } from "node:fs"
import { basename, join } from "node:path"
import { MANY_EVENTS, tellsOfAll } from "../files/folder-watch.js"

/** Folders that are watched at most: a user has so many watches for all programs together. */
const MOST_FOLDERS = 8_000

/**
 * Has the kernel tell which paths of a tree may have changed, so that a look at 20,000 files costs no more than what
 * happened to them. Not on every system, and not without limits: `isOn` says whether it can be relied on.
 */
export class TreeWatch {
  readonly #root: string
  /** By folder, relative to the root. */
  readonly #folders = new Map<string, FSWatcher>()
  #touched = new Set<string>()
  #events = 0
  #isOn: boolean

  constructor(root: string, isWanted: boolean) {
    this.#root = root
    this.#isOn = isWanted && tellsOfAll(root)
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Watches a folder from now on. Its path is relative to the root; the root's is empty. */
  add(folder: string): void {
    if (!this.#isOn || this.#folders.has(folder)) return
    if (this.#folders.size >= MOST_FOLDERS) {
      this.close()
      return
    }
    try {
      const path = join(this.#root, folder)
      const watcher = watch(path, { persistent: false }, (_, name) => {
        this.#events++
        // Without a name, or with its own, it is about the folder itself.
        const isItself = name === null || name === basename(path)
        if (isItself) this.#touched.add(folder)
        if (name !== null) this.#touched.add(folder === "" ? name : `${folder}/${name}`)
      })
      watcher.on("error", () => this.close())
      this.#folders.set(folder, watcher)
    } catch {
      // There are limits to how much may be watched.
      this.close()
    }
  }

  /** Watches a folder no longer that has gone, or has become another one. */
  drop(folder: string): void {
    this.#folders.get(folder)?.close()
    this.#folders.delete(folder)
  }

  /** Lists the paths to which something may have happened since this was last asked. Undefined: to any. */
  async touched(): Promise<ReadonlySet<string> | undefined> {
    if (!this.#isOn) return undefined
    // The events that wait are read between one of these and the next.
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    // The kernel drops events of which there are too many.
    const isWhole = this.#isOn && this.#events <= MANY_EVENTS
    const touched = this.#touched
    this.#touched = new Set()
    this.#events = 0
    return isWhole ? touched : undefined
  }

  close(): void {
    this.#isOn = false
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
    this.#touched.clear()
  }
}
