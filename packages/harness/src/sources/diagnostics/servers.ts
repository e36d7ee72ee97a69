import { extname } from "node:path"
import { childEnvironment } from "../../execution/programs/environment.js"
import type { Project } from "../../platform/workspace/project.js"
import type { LanguageServerSettings } from "../../settings/config/outside.js"
import { runsFolderCode } from "../../settings/trust/programs.js"
import { configuredServers, type ServerSpec } from "./configured.js"
import { isOwn, rootOf, type ServersPlace } from "./places.js"
import type { DiagnosticProblem } from "./problems.js"
import { LanguageServer } from "./server.js"

export interface ServersOptions extends Project {
  readonly lsp: Readonly<Record<string, boolean | LanguageServerSettings>>
  /** Secrets that children may have. */
  readonly pass?: readonly string[] | undefined
}

/** A listener that wants to know what the servers say. */
export interface ProblemListener {
  judged(server: LanguageServer, path: string, problems: readonly DiagnosticProblem[]): void
  report(message: string): void
}

/** A repository with many projects in it does not justify as many processes. */
const MOST_ROOTS = 4

/** The language servers of a workspace, started when a file of theirs is touched, and shared by its conversations. */
export class LanguageServers {
  readonly #place: ServersPlace
  readonly #specs: readonly ServerSpec[]
  readonly #running = new Map<string, Map<string, LanguageServer>>()
  readonly #listeners = new Set<ProblemListener>()
  readonly #reported = new Set<string>()
  #unsaid: readonly string[]
  #closed = false

  constructor({ lsp, pass = [], ...place }: ServersOptions) {
    const { specs, wrong } = configuredServers(lsp)
    const held = specs.filter(({ command: [program] }) => runsFolderCode(program, place))
    this.#place = { ...place, env: childEnvironment(place.env, { pass }) }
    this.#specs = specs.filter((spec) => !held.includes(spec))
    this.#unsaid = [...wrong, ...held.map(({ name }) => heldBack(name))]
  }

  /** Returns how to stop listening. */
  listen(listener: ProblemListener): () => void {
    this.#listeners.add(listener)
    for (const message of this.#unsaid) listener.report(message)
    this.#unsaid = []
    return () => this.#listeners.delete(listener)
  }

  for(path: string): readonly LanguageServer[] {
    const extension = extname(path).toLowerCase()
    if (this.#closed || !isOwn(path, this.#place.cwd)) return []
    return this.#specs
      .filter(({ extensions }) => extensions.includes(extension))
      .map((spec) => this.#at(rootOf(path, spec.markers, this.#place.cwd), spec))
  }

  async close(): Promise<void> {
    this.#closed = true
    const servers = [...this.#running.values()].flatMap((roots) => [...roots.values()])
    await Promise.all(servers.map((server) => server.close()))
  }

  #at(wanted: string, spec: ServerSpec): LanguageServer {
    const { cwd } = this.#place
    const roots = this.#running.get(spec.name) ?? new Map<string, LanguageServer>()
    this.#running.set(spec.name, roots)
    const root = roots.has(wanted) || roots.size < MOST_ROOTS ? wanted : cwd
    const known = roots.get(root)
    if (known !== undefined) return known
    const server = new LanguageServer({
      spec,
      root,
      place: this.#place,
      judged: (...verdict) => {
        for (const listener of this.#listeners) listener.judged(...verdict)
      },
      report: (message) => this.#report(message),
    })
    roots.set(root, server)
    return server
  }

  /** Reports to one conversation, which tells the user. What fails in two folders for one reason is told once. */
  #report(message: string): void {
    if (this.#reported.has(message)) return
    this.#reported.add(message)
    const [first] = this.#listeners
    first?.report(message)
  }
}

function heldBack(name: string): string {
  return (
    `The language server "${name}" is not started: it runs programs of the folder, which you do not trust. ` +
    "`sotto trust add` says that you do."
  )
}
