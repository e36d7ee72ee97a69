import { createHash } from "node:crypto"
import { createReadStream, readFileSync, type Stats } from "node:fs"
import { isAbsent } from "../../platform/workspace/project.js"
import { isSettled, isUnchanged, statOf } from "../../platform/workspace/stamp.js"
import { hashOf, LONGEST_TEXT } from "../../tools/file-views/known-files.js"
import { decode } from "../../tools/file-views/text-file.js"
import { FolderWatch } from "./folder-watch.js"

/** What is on disk: the hash of a file's content, with its text if it may be told, or undefined if nothing is there. */
export interface Found {
  readonly hash: string | undefined
  readonly text: string | undefined
}

const NOTHING: Found = { hash: undefined, text: undefined }

/** So few are looked at one by one; of more, the kernel is asked to tell which are worth a look. */
const FEW = 32

/** Looks at files, and reads one again only if its stat says that it may have changed. */
export class FileChecker {
  readonly #seen = new Map<string, { readonly stat: Stats; readonly found: Found }>()
  /** Those to which something may happen unheard. */
  readonly #restless = new Set<string>()
  readonly #watch = new FolderWatch((path) => this.#restless.add(path))
  /** How many files were read so far, and at how many was looked. */
  reads = 0
  looks = 0

  /** Returns undefined if all that happened so far can be seen now; else it can once this resolves. */
  ready(): Promise<void> | undefined {
    return this.#watch.isOn ? this.#watch.heard() : undefined
  }

  /** Lists the files to look at: of those that were looked at or touched, all that may be different now. */
  restless(): readonly string[] {
    return [...this.#restless]
  }

  /** Notes that the agent has read the file or written it; `stat` is from just before it was read. */
  touched(path: string, hash: string, stat: Stats | undefined): void {
    this.#restless.add(path)
    if (stat !== undefined) this.#settle(path, stat, { hash, text: undefined })
  }

  /**
   * Looks at a file, with the text only where it is not the one known. Undefined if it cannot be read now; long files
   * take their time.
   */
  look(path: string, known: string): Found | undefined | Promise<Found | undefined> {
    this.looks++
    this.#restless.add(path)
    try {
      const isCovered = this.#seen.size > FEW && this.#watch.covers(path)
      const stat = statOf(path)
      if (stat === undefined || !stat.isFile()) return this.#nothing(path)
      const seen = this.#seen.get(path)
      if (seen !== undefined && isUnchanged(seen.stat, stat)) {
        if (isCovered && this.#watch.settle(path, stat)) this.#restless.delete(path)
        return seen.found
      }
      this.reads++
      if (stat.size > LONGEST_TEXT) return this.#hash(path, stat)
      return this.#settle(path, stat, readShort(path, known))
    } catch (cause) {
      return isAbsent(cause) ? this.#nothing(path) : undefined
    }
  }

  close(): void {
    this.#watch.close()
  }

  async #hash(path: string, stat: Stats): Promise<Found | undefined> {
    try {
      const hash = createHash("sha256")
      for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
      return this.#settle(path, stat, { hash: hash.digest("hex"), text: undefined })
    } catch {
      return undefined
    }
  }

  #nothing(path: string): Found {
    this.#seen.delete(path)
    return NOTHING
  }

  #settle(path: string, stat: Stats, found: Found): Found {
    if (isSettled(stat)) this.#seen.set(path, { stat, found })
    else this.#seen.delete(path)
    return found
  }
}

function readShort(path: string, known: string): Found {
  const bytes = readFileSync(path)
  const hash = hashOf(bytes)
  const decoded = hash === known ? undefined : decode(bytes)
  return { hash, text: decoded?.encoding === "utf-8" ? decoded.text : undefined }
}
