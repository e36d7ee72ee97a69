import type { LogMessageParams } from "vscode-languageserver-protocol"
import { withVariables } from "../../execution/programs/environment.js"
import { reasonOf } from "../../platform/text/errors.js"
import { startOf } from "../../platform/text/text.js"
import { pause, until, within } from "../../platform/wait.js"
import type { ServerSpec } from "./configured.js"
import { DocumentSync, type DocumentSyncOptions } from "./document-sync.js"
import type { Documents } from "./documents.js"
import { shakeHands } from "./handshake.js"
import { findProgram, type ServersPlace } from "./places.js"
import { LONGEST_END_MS, type ServerProcess, startProcess } from "./process.js"

export interface LifeOptions {
  readonly spec: ServerSpec
  readonly root: string
  readonly place: ServersPlace
  readonly documents: Documents
  readonly heard: DocumentSyncOptions["heard"]
  /** The server says that it is at work, or that it is done. */
  busy(isBusy: boolean): void
  began(sync: DocumentSync): void
  /** The process is gone, or will not be used any more. */
  ended(): void
  report(message: string): void
}

const INITIALIZE_MS = 15_000
/** The protocol's number for an error, of what a server logs. */
const LOGGED_ERROR = 1
/** Pieces of work that are kept in mind; a server may begin them without end. */
const MOST_WORK = 100
const LONGEST_REASON = 500
/** How long to wait before it is started again, each time. */
const PAUSES_MS = [200, 800, 3_000]

/** Starts a server when it is first needed, again when it dies, and gives it up when starting again does not help. */
export class ServerLife {
  readonly #options: LifeOptions
  readonly #closed = new AbortController()
  #link: ServerProcess | undefined
  #spoken = false
  #running: Promise<void> | undefined
  #over = false
  #warned = false

  constructor(options: LifeOptions) {
    this.#options = options
  }

  /** It will not be started again. */
  get isOver(): boolean {
    return this.#over
  }

  begin(): void {
    this.#running ??= this.#run().catch((error: unknown) => {
      this.#giveUp(`failed: ${reasonOf(error)}`)
    })
  }

  async close(): Promise<void> {
    this.#over = true
    this.#closed.abort()
    await this.#link?.stop(this.#spoken)
    await within(LONGEST_END_MS, this.#running ?? Promise.resolve())
  }

  async #run(): Promise<void> {
    const { spec, root, place, ended } = this.#options
    const [program, ...args] = spec.command
    const path = findProgram(program, root, place)
    if (path === undefined)
      return this.#giveUp(
        `is not there: "${program}" is neither on PATH nor installed in the project`,
        missing(spec),
      )
    for (let died = 0; ; died++) {
      const how = await this.#live([path, ...args])
      ended()
      if (this.#over) return
      const pause = PAUSES_MS[died]
      if (pause === undefined) return this.#giveUp(`died ${died + 1} times; the last time it ${how}`)
      await this.#pause(pause)
      if (this.#over) return
    }
  }

  async #live(command: readonly [string, ...string[]]): Promise<string> {
    const { spec, root, place, documents, heard, busy, began } = this.#options
    this.#spoken = false
    const link = await startProcess({
      command,
      cwd: root,
      env: withVariables(place.env, spec.env),
      warn: (what) => this.#warn(what),
    })
    this.#link = link
    if (this.#over) {
      await link.stop(false)
      return ""
    }
    const { connection } = link
    const sync = new DocumentSync({ connection, documents, heard })
    connection.onNotification("window/logMessage", ({ type, message }: Partial<LogMessageParams>) => {
      if (type === LOGGED_ERROR && typeof message === "string") this.#warn(ownError(message))
    })
    const work = new Set<string | number>()
    connection.onUnhandledProgress(({ token, value }) => {
      if ((value as { readonly kind?: unknown } | undefined)?.kind === "end") work.delete(token)
      else if (work.size < MOST_WORK) work.add(token)
      busy(work.size > 0)
    })
    const timer = setTimeout(() => {
      this.#giveUp(`did not answer within ${INITIALIZE_MS / 1_000} seconds of its start`)
      void link.stop(false)
    }, INITIALIZE_MS)
    try {
      const offer = await shakeHands({
        connection,
        root,
        initialization: spec.initialization,
        pulls: (pull) => sync.pulls(pull),
        refresh: () => sync.pullAll(),
      })
      if (this.#over) return link.ended
      this.#spoken = true
      sync.begin(offer)
      began(sync)
    } catch (error) {
      // With its end, what it was asked is refused, too.
      if (!link.hasExited()) {
        this.#giveUp(`refused to start: ${startOf(reasonOf(error), LONGEST_REASON)}`)
        void link.stop(false)
      }
    } finally {
      clearTimeout(timer)
    }
    return link.ended
  }

  #pause(ms: number): Promise<void> {
    return until(pause(ms), this.#closed.signal)
  }

  #giveUp(why: string, remedy?: string): void {
    if (this.#over) return
    this.#over = true
    const { spec, ended } = this.#options
    const off = `No problems in ${spec.extensions.join(", ")} files will be told.`
    const usual = `Run \`${spec.command.join(" ")}\` by hand to see why, or set lsp.${spec.name} to false in sotto.json.`
    this.#say(`${why}. ${off} ${remedy ?? usual}`)
    ended()
  }

  /** Warns once: the same warning, message after message, is one piece of news. */
  #warn(what: string): void {
    if (this.#over || this.#warned) return
    this.#warned = true
    this.#say(what)
  }

  #say(what: string): void {
    this.#options.report(`The language server "${this.#options.spec.name}" ${what}`)
  }
}

/**
 * Words an error of the server's own: a server that fails at its work says so in its log, and reports no problems. To a
 * person that looks as if the files had none.
 */
function ownError(message: string): string {
  const [line = ""] = message.trim().split("\n")
  return `logged an error of its own: ${line.slice(0, 200)}. It may miss problems in files.`
}

function missing({ name, install }: ServerSpec): string {
  const remedy =
    install === undefined ? "Install it, or say where it is as `command`" : `Install it: ${install}`
  return `${remedy}; or set lsp.${name} to false in sotto.json.`
}
