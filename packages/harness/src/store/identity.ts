import { statSync } from "node:fs"

/**
 * Knows which files paths led to when they were opened. A file that somebody removed, moved or replaced can still be
 * written to by whoever has it open, and nobody else will ever find what is written.
 */
export class Identity {
  readonly #known = new Map<string, string | undefined>()

  constructor(paths: readonly string[]) {
    for (const path of paths) this.#known.set(path, identityOf(path))
  }

  /** The first path that leads elsewhere by now; undefined if all lead to the files that were opened. */
  changed(): string | undefined {
    for (const [path, before] of this.#known) {
      const now = identityOf(path)
      if (before === undefined) this.#known.set(path, now)
      else if (now !== before) return path
    }
    return undefined
  }
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
