import type { Script } from "../script/script.js"

/** Remembers which requests came before, so that the same one again gets the same step. Requests go by keys. */
export class ScriptPace {
  readonly #counting: Script["counting"]
  readonly #attempts = new Map<string, number>()
  readonly #steps = new Map<string, number>()

  constructor(script: Script | undefined) {
    this.#counting = script?.counting
  }

  /** Where a request stands. The step is told from the conversation unless requests are counted. */
  of(key: string): { readonly attempt: number; readonly step?: number } {
    const attempt = this.#attempts.get(key) ?? 0
    this.#attempts.set(key, attempt + 1)
    if (this.#counting !== "requests") return { attempt }
    return { attempt, step: this.#steps.get(key) ?? this.#steps.size }
  }

  /** Its step is spent: the next new request gets the next one. */
  answered(key: string): void {
    if (!this.#steps.has(key)) this.#steps.set(key, this.#steps.size)
  }
}
