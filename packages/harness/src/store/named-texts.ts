import type { NamedText } from "./upkeep.js"

/** Which sessions name which kept texts: what becomes free when sessions go. */
export class NamedTexts {
  readonly #bytes = new Map<string, number>()
  readonly #names = new Map<string, Set<string>>()
  /** By text: how many sessions still name it. */
  readonly #users = new Map<string, number>()

  constructor(named: readonly NamedText[]) {
    for (const { session, hash, bytes } of named) {
      this.#bytes.set(hash, bytes)
      const names = this.#names.get(session) ?? new Set()
      if (!names.has(hash)) this.#users.set(hash, (this.#users.get(hash) ?? 0) + 1)
      this.#names.set(session, names.add(hash))
    }
  }

  /** Counts a session as gone. Returns how many bytes of texts no other session names. */
  freedBy(session: string): number {
    let freed = 0
    for (const hash of this.#names.get(session) ?? []) {
      const left = (this.#users.get(hash) ?? 1) - 1
      this.#users.set(hash, left)
      if (left === 0) freed += this.#bytes.get(hash) ?? 0
    }
    return freed
  }
}
