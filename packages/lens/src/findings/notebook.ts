import type { Finding } from "../report.js"
import type { Strand } from "../threads/strand.js"
import { findingKind } from "./table.js"

/** A finding whose thread is not known yet: threads are told apart at the end. */
export interface NotedFinding {
  readonly finding: Omit<Finding, "thread" | "call">
  readonly strand?: Strand
  /** Counted within the strand. */
  readonly call?: number
}

const MOST_LINES = 100

interface Counted {
  readonly noted: NotedFinding
  times: number
}

/** Collects findings while calls come in. The same one again is counted, not kept. */
export class Notebook {
  readonly #notes = new Map<string, Counted>()
  readonly #damage = new Map<string, number>()

  /** Notes each damaged line by itself, up to a limit: a file of another kind is damaged in every line. */
  addDamage(source: string, line: number, message: string): void {
    const times = (this.#damage.get(source) ?? 0) + 1
    this.#damage.set(source, times)
    const { severity, remedy } = findingKind("damaged-line")
    const where = times <= MOST_LINES ? `line ${line}` : `more than ${MOST_LINES} lines`
    const text = times <= MOST_LINES ? message : `the rest is not listed`
    const finding = { id: "damaged-line", severity, message: `${source}, ${where}: ${text}`, remedy }
    this.#notes.set(`damaged-line\n${finding.message}`, { noted: { finding }, times: 1 })
  }

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

  all(): readonly NotedFinding[] {
    return [...this.#notes.values()].map(({ noted, times }) => {
      if (times === 1) return noted
      const message = `${noted.finding.message} (${times} times)`
      return { ...noted, finding: { ...noted.finding, message } }
    })
  }
}
