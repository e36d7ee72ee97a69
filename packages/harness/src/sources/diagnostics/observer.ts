import { relative, sep } from "node:path"
import { isReadDenied } from "../../execution/permissions/readable.js"
import { WatchedFile } from "../../platform/workspace/watched-file.js"
import type { Touch } from "../../tools/file-views/known-files.js"
import type { SourceContext } from "../source.js"
import { type DiagnosticProblem, newOf, stillIn } from "./problems.js"
import { type LanguageServer, QUIET_MS } from "./server.js"
import type { LanguageServers } from "./servers.js"

/** What one server and the model know of a file. */
interface Known {
  /** Changes that the server had been shown when the model first saw the file. */
  readonly since: number
  /** Problems that were there before any change, and are still; undefined until the server has said. */
  old: readonly DiagnosticProblem[] | undefined
  /** Those that are not old, when last looked at. */
  news: readonly DiagnosticProblem[]
}

interface ObservedFile {
  readonly disk: WatchedFile
  readonly servers: Map<LanguageServer, Known>
  /** The news that the session was told of last. */
  noted: string
}

const LARGEST_FILE = 1_000_000
const MOST_NEWS = 200
const NO_NEWS = "[]"
/** Of the time that all sources have together. */
const SHARE = 0.7
const USUAL_LIMIT_MS = 1_000
const BEFORE_ANY = -1

/** What one conversation hears of the problems in the files that its agent touches: those that are new to it. */
export class DiagnosticObserver {
  readonly #context: SourceContext
  /** Milliseconds that all sources have together. */
  readonly #limit: number
  readonly #servers: LanguageServers
  readonly #stop: () => void
  readonly #files = new Map<string, ObservedFile>()
  /** The changes whose effects were waited for: once, and not at every boundary. */
  readonly #waitedFor = new Map<LanguageServer, number>()

  constructor(context: SourceContext, servers: LanguageServers, limit = USUAL_LIMIT_MS) {
    this.#context = context
    this.#limit = limit
    this.#servers = servers
    this.#stop = servers.listen({
      judged: (server, path, problems) => this.#judged(server, path, problems),
      report: (message) => context.report(message),
    })
  }

  touched({ path, how, known }: Touch): void {
    for (const server of this.#servers.for(path)) {
      const { servers, disk } = this.#observed(path)
      const text = known.text?.replace(/^\uFEFF/, "") ?? textOn(disk)
      if (text === undefined) return
      if (!servers.has(server)) servers.set(server, firstSeen(server, path, text, how))
      server.sync(path, text, how)
    }
  }

  /** Tells the session what is new, at a boundary that a request follows. `since`: when the step began to wait. */
  async collect(since: number, signal: AbortSignal): Promise<void> {
    if (this.#context.session.phase !== "ready" || this.#files.size === 0) return
    for (const [path, file] of this.#files) this.#lookAtDisk(path, file)
    const limit = this.#limit * SHARE
    await this.#settled(Math.max(0, since + limit - Date.now()), signal)
    if (signal.aborted) return
    const { cwd, judge } = this.#context
    // Messages of compilers quote what they are about.
    for (const [path, file] of this.#files) if (!isReadDenied(path, cwd, judge)) this.#note(path, file)
  }

  /** Forgets what was noted, because the model has forgotten what it was told: what still holds is news to it. */
  compacted(): void {
    for (const file of this.#files.values()) file.noted = NO_NEWS
  }

  close(): void {
    this.#stop()
  }

  #observed(path: string): ObservedFile {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const file = { disk: new WatchedFile(path, LARGEST_FILE), servers: new Map(), noted: NO_NEWS }
    this.#files.set(path, file)
    return file
  }

  #judged(server: LanguageServer, path: string, problems: readonly DiagnosticProblem[]): void {
    const known = this.#files.get(path)?.servers.get(server)
    if (known === undefined) return
    known.old = known.since === server.made ? problems : stillIn(problems, known.old ?? [])
  }

  /** Looks at the disk: another program may have written what the server has open. */
  #lookAtDisk(path: string, { disk, servers }: ObservedFile): void {
    const open = [...servers.keys()].filter((server) => server.textOf(path) !== undefined)
    if (open.length === 0) return
    const text = textOn(disk)
    for (const server of open) {
      if (text !== undefined && text !== server.textOf(path)) server.sync(path, text, "written")
      if (disk.look().is !== "absent") continue
      server.forget(path)
      servers.set(server, { since: BEFORE_ANY, old: [], news: [] })
    }
  }

  async #settled(limit: number, signal: AbortSignal): Promise<void> {
    const servers = new Set([...this.#files.values()].flatMap((file) => [...file.servers.keys()]))
    await Promise.all(
      [...servers].map(async (server) => {
        const isNew = server.wanted > (this.#waitedFor.get(server) ?? 0)
        this.#waitedFor.set(server, server.wanted)
        if (isNew) await server.settled(limit, signal)
        else if (server.isSpeaking) await server.settled(Math.min(limit, QUIET_MS), signal)
      }),
    )
  }

  #note(path: string, file: ObservedFile): void {
    for (const [server, known] of file.servers) {
      const problems = server.verdictOn(path)
      if (problems !== undefined) known.news = newOf(problems, known.old ?? [])
    }
    const items = [...file.servers.values()].flatMap(({ news }) => news).slice(0, MOST_NEWS)
    const noted = JSON.stringify(items)
    if (noted === file.noted) return
    file.noted = noted
    const name = relative(this.#context.cwd, path).split(sep).join("/")
    this.#context.session.note({ type: "diagnostics", path: name, items })
  }
}

/** Reads the text; undefined if nothing is there, or too much. */
function textOn(disk: WatchedFile): string | undefined {
  const look = disk.look()
  return look.is === "file" && look.bytes <= LARGEST_FILE ? look.text : undefined
}

/**
 * Makes the first record of a file. One that was read has its old problems, if there are any; in one that is the
 * agent's own every problem is news.
 */
function firstSeen(server: LanguageServer, path: string, text: string, how: Touch["how"]): Known {
  if (how === "written") return { since: BEFORE_ANY, old: [], news: [] }
  const old = server.textOf(path) === text ? server.verdictOn(path) : undefined
  return { since: server.made, old, news: [] }
}
