import { type Stats, statSync } from "node:fs"

/**
 * Knows which files paths led to when they were opened. A file that somebody removed, moved or replaced can still be
 * written to by whoever has it open, and nobody else will ever find what is written.
 */
export class Identity {
  readonly #known: (readonly [path: string, before: Stats | undefined])[]

  constructor(paths: readonly string[]) {
    this.#known = paths.map((path) => [path, look(path)])
  }

  /** Whether one of the paths leads elsewhere by now, or one of the first so many. */
  isChanged(first: number = this.#known.length): boolean {
    for (const [i, [path, before]] of this.#known.entries()) {
      if (i >= first) break
      const now = look(path)
      if (before === undefined) this.#known[i] = [path, now]
      else if (now?.ino !== before.ino || now.dev !== before.dev) return true
    }
    return false
  }
}

function look(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
