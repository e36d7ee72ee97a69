import type { Finding } from "../report.js"
import type { Strand } from "../threads/strand.js"
import { findingKind } from "./table.js"

/** A finding whose thread is not known yet: threads are told apart at the end. */
export interface Noted {
  readonly finding: Omit<Finding, "thread" | "call">
  readonly strand?: Strand
  /** Counted within the strand. */
  readonly call?: number
}

interface Counted {
  readonly noted: Noted
  times: number
}

/** Collects findings while calls come in. The same one again is counted, not kept. */
export class Notebook {
  readonly #notes = new Map<string, Counted>()

  add(id: string, message: string, where: { readonly strand?: Strand; readonly call?: number } = {}): void {
    // Places and numbers aside: what is wrong with one message is usually wrong with many.
    const key = `${id}\n${where.strand?.first ?? ""}\n${message.replaceAll(/\d+/g, "#")}`
    const known = this.#notes.get(key)
    if (known !== undefined) {
      known.times++
      return
    }
    const { severity, remedy } = findingKind(id)
    this.#notes.set(key, { noted: { finding: { id, severity, message, remedy }, ...where }, times: 1 })
  }

  all(): readonly Noted[] {
    return [...this.#notes.values()].map(({ noted, times }) => {
      if (times === 1) return noted
      const message = `${noted.finding.message} (${times} times)`
      return { ...noted, finding: { ...noted.finding, message } }
    })
  }
}
