import { appendFileSync, closeSync, type FSWatcher, openSync, statSync, watch } from "node:fs"
import { basename, dirname } from "node:path"
import { keepPrivate } from "../../platform/workspace/private-files.js"

/** How often to look where the system does not tell of changes, and in case it has failed to. */
const LOOK_MS = 1_000

/**
 * A file beside the store that grows when a command was posted. A process that has sessions open watches it, and so
 * hears of a post at once. Watching SQLite's own files would wake every process at each of its own writes.
 */
export class Bell {
  readonly #path: string
  readonly #listeners = new Set<() => void>()
  #watcher: FSWatcher | undefined
  #looking: NodeJS.Timeout | undefined
  /** How often those who listen were told to look. */
  #told = 0

  constructor(store: string) {
    this.#path = `${store}-posted`
  }

  ring(): void {
    try {
      this.#make()
      appendFileSync(this.#path, ".")
    } catch {
      // Those who listen also look now and then.
    }
  }

  /**
   * Another text if something may have been posted since it was asked for: the file grows with every post, and those
   * who listen are told to look now and then, in case it did not. Undefined without the file.
   */
  get state(): string | undefined {
    const file = statSync(this.#path, { throwIfNoEntry: false })
    return file && `${this.#told} ${file.ino} ${file.size} ${file.mtimeMs}`
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  close(): void {
    this.#watcher?.close()
    this.#watcher = undefined
    clearInterval(this.#looking)
    this.#looking = undefined
  }

  #start(): void {
    if (this.#looking !== undefined) return
    const tell = () => {
      this.#told++
      for (const listener of [...this.#listeners]) listener()
    }
    this.#looking = setInterval(tell, LOOK_MS).unref()
    try {
      this.#make()
      this.#watcher = watch(this.#path, { persistent: false }, tell)
      this.#watcher.on("error", () => this.#watcher?.close())
    } catch {
      // The interval has to do.
    }
  }

  #make(): void {
    closeSync(openSync(this.#path, "a", 0o600))
    keepPrivate(this.#path)
  }
}

/** Calls the listener when one of the store's files may have changed, whichever process changed it. */
export function watchFiles(store: string, listener: () => void): () => void {
  const name = basename(store)
  const looking = setInterval(listener, LOOK_MS).unref()
  let watcher: FSWatcher | undefined
  try {
    watcher = watch(dirname(store), { persistent: false }, (_, changed) => {
      if (changed === null || changed.startsWith(name)) listener()
    })
    watcher.on("error", () => watcher?.close())
  } catch {
    // The interval has to do.
  }
  return () => {
    clearInterval(looking)
    watcher?.close()
  }
}
