import { ripgrep } from "../../execution/programs/ripgrep.js"
import { until } from "../../platform/wait.js"

const MOST_FILES = 300_000
/** After this number of milliseconds the list is made anew, while the one at hand still serves. */
const FRESH_MS = 2_000

/** A path of the workspace; a directory's ends with a slash. */
export interface IndexedPath {
  readonly path: string
  readonly lower: string
  /** Which letters and digits are in it, so that most paths are passed over by one look. */
  readonly letters: number
}

/** The files of a workspace and their directories, without what ignore files leave out. */
export class FileIndex {
  readonly #cwd: string
  #paths: readonly IndexedPath[] | undefined
  #listed = 0
  #listing: Promise<void> | undefined

  constructor(cwd: string) {
    this.#cwd = cwd
  }

  async paths(signal: AbortSignal): Promise<readonly IndexedPath[]> {
    const isStale = this.#paths === undefined || Date.now() - this.#listed > FRESH_MS
    if (isStale) this.#listing ??= this.#list()
    if (this.#paths === undefined) await until(this.#listing, signal)
    return this.#paths ?? []
  }

  async #list(): Promise<void> {
    const known = new Map(this.#paths?.map((one) => [one.path, one]))
    const found = new Map<string, IndexedPath>()
    const add = (path: string) => found.set(path, known.get(path) ?? indexed(path))
    const args = ["--files", "--hidden", "--glob=!.git"]
    try {
      await ripgrep(args, this.#cwd, new AbortController().signal, (file) => {
        const path = file.replaceAll("\\", "/")
        for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
          const folder = path.slice(0, end + 1)
          if (found.has(folder)) break
          add(folder)
        }
        add(path)
        return found.size < MOST_FILES
      })
      this.#paths = [...found.values()]
    } catch {
      // Completion is a convenience: without ripgrep it offers nothing.
      this.#paths ??= []
    }
    this.#listed = Date.now()
    this.#listing = undefined
  }
}

export function indexed(path: string): IndexedPath {
  const lower = path.toLowerCase()
  return { path, lower, letters: lettersOf(lower) }
}

/** Sets one bit for each letter, five for the digits. */
export function lettersOf(lower: string): number {
  let bits = 0
  for (let i = 0; i < lower.length; i++) {
    const code = lower.charCodeAt(i)
    if (code >= 97 && code <= 122) bits |= 1 << (code - 97)
    else if (code >= 48 && code <= 57) bits |= 1 << (26 + ((code - 48) >> 1))
  }
  return bits
}
