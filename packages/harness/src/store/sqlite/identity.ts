import { type Stats, statSync } from "node:fs"

/**
 * Knows which files paths led to when they were opened. A process that has a file open can still write to it after
 * another program removed, moved or replaced it, and no other process will ever find what is written.
 */
export class Identity {
  readonly #known: (readonly [path: string, before: Stats | undefined])[]

  constructor(paths: readonly string[]) {
    this.#known = paths.map((path) => [path, look(path)])
  }

  /** True if one of the paths leads elsewhere by now. With `first`, it looks at that number of paths only. */
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
