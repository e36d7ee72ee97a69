import { within } from "../../platform/wait.js"
import type { ServerSpec } from "./configured.js"
import type { DocumentSync } from "./document-sync.js"
import { Documents, type ServerDocument, stopHearing, verdictOn } from "./documents.js"
import { ServerLife } from "./life.js"
import type { ServersPlace } from "./places.js"
import type { DiagnosticProblem } from "./problems.js"

export interface ServerOptions {
  readonly spec: ServerSpec
  readonly root: string
  readonly place: ServersPlace
  /** The problems of a file are known, in the version that was shown last. */
  judged(server: LanguageServer, path: string, problems: readonly DiagnosticProblem[]): void
  report(message: string): void
}

/** So long nothing more has to come for what was said to be all: servers often say it in pieces. */
export const QUIET_MS = 150
/** The quiet time for what was wrong before the first change: no step waits for it, and it decides what is new. */
const FIRST_QUIET_MS = 1_000
/** One that never stops talking is taken at its word after this. */
const LONGEST_SPEECH_MS = 2_000
const MOST_OPEN = 100
/** So long a change waits for the problems there were before it; longer only while the server says that it is busy. */
const HOLD_MS = 10_000
const LONGEST_HOLD_MS = 60_000

/** A language server for one folder: what it was shown, and what it says about it. */
export class LanguageServer {
  readonly #options: ServerOptions
  readonly #documents = new Documents()
  readonly #life: ServerLife
  #sync: DocumentSync | undefined
  /** When it last said that it had done a piece of work; for ever while it is at one. */
  #busyUntil = 0
  #holding: NodeJS.Timeout | undefined
  #waiting = new Set<() => void>()
  #wanted = 0
  #made = 0

  constructor(options: ServerOptions) {
    this.#options = options
    const { spec, root, place, report } = options
    this.#life = new ServerLife({
      spec,
      root,
      place,
      report,
      documents: this.#documents,
      heard: (document, isAll) => this.#hear(document, isAll),
      busy: (isBusy) => {
        this.#busyUntil = isBusy ? Number.POSITIVE_INFINITY : Date.now()
      },
      began: (sync) => {
        this.#sync = sync
        this.#show()
      },
      ended: () => {
        this.#sync = undefined
        this.#busyUntil = 0
        this.#documents.unshow()
        this.#wake()
      },
    })
  }

  /** How many changes were asked for. */
  get wanted(): number {
    return this.#wanted
  }

  /** How many times the server was shown changes: what it says after one may be the effect of it. */
  get made(): number {
    return this.#made
  }

  /** It has begun to say something about a file, and more may follow. */
  get isSpeaking(): boolean {
    return this.#documents.all().some(({ hearing }) => hearing !== undefined)
  }

  /** Takes the text that the file has: because the agent read it, or because the agent or another program wrote it. */
  sync(path: string, text: string, how: "read" | "written"): void {
    if (this.#life.isOver) return
    const known = this.#documents.of(path)
    if (known === undefined ? how === "written" : known.text !== text) this.#wanted++
    this.#documents.touch(path, text, how)
    for (const old of this.#documents.beyond(MOST_OPEN)) this.#sync?.hide(old)
    this.#life.begin()
    this.#show()
  }

  forget(path: string): void {
    const document = this.#documents.of(path)
    if (document === undefined) return
    this.#documents.drop(document)
    this.#sync?.hide(document)
  }

  /** Gives what the server was shown last of the file, or is about to be; undefined if that is nothing. */
  textOf(path: string): string | undefined {
    return this.#documents.of(path)?.text
  }

  verdictOn(path: string): readonly DiagnosticProblem[] | undefined {
    const document = this.#documents.of(path)
    return document && verdictOn(document)
  }

  /** Waits until the effects of all changes are known, and no longer than the limit. */
  async settled(limit: number, signal: AbortSignal): Promise<void> {
    if (!this.#isUnsettled() || signal.aborted) return
    let wake = () => {}
    const done = new Promise<void>((resolve) => {
      wake = resolve
    })
    this.#waiting.add(wake)
    signal.addEventListener("abort", wake, { once: true })
    await within(limit, done)
    signal.removeEventListener("abort", wake)
    this.#waiting.delete(wake)
  }

  async close(): Promise<void> {
    clearTimeout(this.#holding)
    for (const document of this.#documents.all()) stopHearing(document)
    this.#wake()
    await this.#life.close()
  }

  /** Shows what is new. Changes wait until it is known what was wrong before them. */
  #show(): void {
    const sync = this.#sync
    if (sync === undefined) return
    const all = this.#documents.all()
    for (const document of all)
      if (document.shown === undefined && document.opening !== undefined)
        sync.show(document, document.opening)
    const changed = all.filter(({ text, shown }) => text !== shown)
    if (changed.length === 0 || this.#holds()) return
    this.#made++
    for (const document of changed) {
      stopHearing(document)
      document.awaited = true
      sync.show(document, document.text)
      sync.saved(document)
    }
    sync.changed(changed)
  }

  /** True if changes have to wait; if so, they are looked at again in time. */
  #holds(): boolean {
    clearTimeout(this.#holding)
    const ends = this.#documents.all().flatMap(({ shown, shownAt, verdict, awaited }) => {
      if (shown === undefined || verdict !== undefined || awaited) return []
      return [Math.min(Math.max(shownAt, this.#busyUntil) + HOLD_MS, shownAt + LONGEST_HOLD_MS)]
    })
    const left = Math.max(0, ...ends) - Date.now()
    if (left <= 0) return false
    this.#holding = setTimeout(() => this.#show(), left)
    this.#holding.unref()
    return true
  }

  #hear(document: ServerDocument, isAll: boolean): void {
    const since = document.hearing?.since ?? Date.now()
    if (isAll) this.#judge(document)
    if (isAll || Date.now() - since > LONGEST_SPEECH_MS) return
    stopHearing(document)
    const quiet = document.verdict === undefined && !document.awaited ? FIRST_QUIET_MS : QUIET_MS
    document.hearing = { since, timer: setTimeout(() => this.#judge(document), quiet) }
  }

  #judge(document: ServerDocument): void {
    const { path, version, pushed, pulled } = document
    stopHearing(document)
    document.awaited = false
    document.verdict = { version, problems: [...pushed, ...pulled] }
    this.#options.judged(this, path, document.verdict.problems)
    this.#show()
    if (!this.#isUnsettled()) this.#wake()
  }

  #isUnsettled(): boolean {
    if (this.#life.isOver) return false
    return this.#documents
      .all()
      .some(({ awaited, hearing, text, shown }) => awaited || hearing !== undefined || text !== shown)
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}
