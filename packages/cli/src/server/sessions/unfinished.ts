import { readFileSync } from "node:fs"
import { join } from "node:path"
import { replacePrivate } from "@sotto/harness"

/**
 * The sessions that the server is at work on, in a file. A server that starts after a crash goes on with them: who has
 * a receipt for a message need not send it again.
 */
export class Unfinished {
  readonly #path: string
  readonly #ids = new Set<string>()

  constructor(folder: string) {
    this.#path = join(folder, "server.unfinished.json")
  }

  /** Those that the server before this one left. */
  left(): readonly string[] {
    try {
      const found: unknown = JSON.parse(readFileSync(this.#path, "utf8"))
      return Array.isArray(found) ? found.filter((id) => typeof id === "string") : []
    } catch {
      return []
    }
  }

  set(id: string, isAtWork: boolean): void {
    if (this.#ids.has(id) === isAtWork) return
    if (isAtWork) this.#ids.add(id)
    else this.#ids.delete(id)
    replacePrivate(this.#path, JSON.stringify([...this.#ids]))
  }
}
