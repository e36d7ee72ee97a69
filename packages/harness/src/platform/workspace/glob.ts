import { readdirSync } from "node:fs"
import { join, parse } from "node:path"
import { namePattern } from "../patterns/star-pattern.js"
import { areSame, type Stamp, settledStamp } from "./stamp.js"

/** Folders that hold no instructions, and where a search would not end. */
const SKIPPED = new Set(["node_modules", ".git"])
const MOST_FOLDERS = 2_000

/** The files that a path with `*`, `?` and `**` stands for, found anew only when a folder it went through changed. */
export class Glob {
  readonly #root: string
  readonly #segments: readonly string[]
  /** Folders it went through; undefined where one more change may still have the same time. */
  readonly #visited = new Map<string, Stamp | undefined>()
  /** Folders and how many segments were left there: several double stars lead to the same place in many ways. */
  readonly #expanded = new Set<string>()
  #files: readonly string[] | undefined

  constructor(pattern: string) {
    this.#root = parse(pattern).root
    // "docs/**" means the files below, not the folders.
    const whole = pattern.replace(/\*\*[\\/]?$/, "**/*")
    this.#segments = whole
      .slice(this.#root.length)
      .split(/[\\/]+/)
      .filter((segment) => segment !== "")
  }

  static is(path: string): boolean {
    return /[*?]/.test(path)
  }

  files(): readonly string[] {
    if (this.#files !== undefined && areSame(this.#visited)) return this.#files
    this.#visited.clear()
    this.#expanded.clear()
    this.#files = [...new Set(this.#expand(this.#root, this.#segments))].sort()
    return this.#files
  }

  #expand(folder: string, [segment, ...rest]: readonly string[]): readonly string[] {
    const place = `${rest.length} ${segment === undefined} ${folder}`
    if (this.#expanded.has(place)) return []
    this.#expanded.add(place)
    if (segment === undefined) return [folder]
    if (segment === "**") {
      const below = this.#entries(folder).filter(({ isFolder }) => isFolder)
      return [
        ...this.#expand(folder, rest),
        ...below.flatMap(({ name }) => this.#expand(join(folder, name), ["**", ...rest])),
      ]
    }
    if (!Glob.is(segment)) return this.#expand(join(folder, segment), rest)
    const matches = namePattern(segment)
    return this.#entries(folder)
      .filter(({ name, isFolder }) => matches(name) && (rest.length === 0) === !isFolder)
      .flatMap(({ name }) => this.#expand(join(folder, name), rest))
  }

  /** Links to folders are not followed: they may lead in circles. */
  #entries(folder: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
    if (!this.#visited.has(folder) && this.#visited.size >= MOST_FOLDERS) return []
    this.#visited.set(folder, settledStamp(folder))
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter(({ name }) => !SKIPPED.has(name))
        .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    } catch {
      return []
    }
  }
}
