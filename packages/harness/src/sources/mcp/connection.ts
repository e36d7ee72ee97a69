import { loginAt } from "../../platform/secrets/server-logins.js"
import { reasonOf } from "../../platform/text/errors.js"
import { startOf } from "../../platform/text/text.js"
import { pause } from "../../platform/wait.js"
import type { McpServerConfig } from "../../settings/config/variables.js"
import type { SourceContext } from "../source.js"
import type { McpFields } from "./fields.js"
import type { Link, ListName, RequestHow } from "./link.js"
import { LinkError } from "./link-error.js"
import {
  listPrompts,
  listResources,
  listTools,
  type McpPrompt,
  type McpTool,
  type OfferedResource,
} from "./offered.js"
import type { ServerHost } from "./transport.js"

/**
 * `gone`: it was there, or may be yet, and is tried again. `failed`: it is not tried any more unless it is asked for.
 * `login`: it is tried again once the user has logged in.
 */
export type State = "connecting" | "connected" | "gone" | "failed" | "login"

/** Milliseconds before each new attempt after a connection was lost or never came about. */
const PAUSES = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]

/** Milliseconds after which a connection counts as one that held, and the next loss as the first. */
const HELD = 60_000

/** Milliseconds between two looks at a list that a server says has changed, and changed, and changed. */
const BREATH = 250

export interface ConnectionOptions {
  readonly name: string
  /** What the names of its tools begin with. */
  readonly prefix: string
  readonly server: McpServerConfig
  readonly host: ServerHost
  /** Where what it prints goes. */
  readonly logPath: string
  readonly report: SourceContext["report"]
  /** Called whenever its state, or what it offers, may be another. */
  changed(): void
}

/** One server: reached, lost, reached again, and what it offers at the moment. */
export class McpConnection {
  readonly #options: ConnectionOptions
  #state: State = "connecting"
  #why = "it has not answered yet"
  #link: Link | undefined
  #attempt: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #since = 0
  readonly #closing = new AbortController()
  #doubted = false
  #version = 0
  readonly #looking = new Map<ListName, Promise<void>>()
  readonly #again = new Set<ListName>()
  readonly #lookedAt = new Map<ListName, number>()
  #reported = new Set<string>()
  /** The token that the server did not take. */
  #refused: string | undefined
  tools: readonly McpTool[] = []
  resources: readonly OfferedResource[] = []
  templates: readonly OfferedResource[] = []
  prompts: readonly McpPrompt[] = []

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get prefix(): string {
    return this.#options.prefix
  }

  get state(): State {
    return this.#state
  }

  /** Why it is not connected, for people. */
  get why(): string {
    return this.#why
  }

  /** The file that takes what it prints; undefined for a server that is reached over the network. */
  get log(): string | undefined {
    return this.#options.server.command === undefined ? undefined : this.#options.logPath
  }

  get instructions(): string | undefined {
    return this.#link?.instructions
  }

  /** Another number whenever there may be something new to tell. */
  get version(): number {
    return this.#version
  }

  /** Resolves once the attempt under way, or the first one, has come to an end. Never rejects. */
  reach(): Promise<void> {
    if (this.#state === "connected" || this.#closed) return Promise.resolve()
    clearTimeout(this.#timer)
    if (this.#state === "failed") this.#failures = 0
    this.#attempt ??= this.#try().finally(() => {
      this.#attempt = undefined
    })
    return this.#attempt
  }

  /** Ends the connection, if there is one, and connects anew as at the start. Never rejects. */
  async again(): Promise<void> {
    if (this.#closed) return
    await this.#attempt
    const link = this.#link
    this.#link = undefined
    clearTimeout(this.#timer)
    this.#failures = 0
    this.#reported = new Set()
    this.#why = "it has not answered yet"
    this.#change("connecting")
    await link?.close().catch(() => undefined)
    await this.reach()
  }

  /**
   * Returns what is under way that may change what it offers: its first answer, or a look at its tools. Connects first if
   * the user has logged in meanwhile.
   */
  work(): Promise<void> | undefined {
    if (this.#state === "login" && this.#token() !== this.#refused) return this.reach()
    return this.#state === "connecting" ? this.#attempt : this.#looking.get("tools")
  }

  /** Resolves once no look at a list is under way. Never rejects. */
  async listed(what: ListName): Promise<void> {
    await this.#looking.get(what)
  }

  /** Throws LinkError. */
  async request(method: string, params: McpFields, how: RequestHow): Promise<McpFields> {
    const link = this.#link
    if (link === undefined) throw new LinkError("lost", this.#why)
    try {
      return await link.request(method, params, how)
    } catch (error) {
      this.#loseBy(error, link)
      throw error
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    const link = this.#link
    this.#link = undefined
    await Promise.all([this.#attempt, link?.close()])
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted
  }

  async #try(): Promise<void> {
    const { server } = this.#options
    let link: Link | undefined
    try {
      if (server.problem !== undefined) throw new Error(server.problem)
      link = await this.#connect((why) => {
        if (link !== undefined) this.#lose(link, why)
      })
      this.tools = link.has("tools") ? await this.#listTools(link) : []
      this.#link = link
      this.#since = performance.now()
      this.#change("connected")
      for (const list of ["prompts", "resources"] as const) if (link.has(list)) this.#look(list)
    } catch (error) {
      void link?.close().catch(() => undefined)
      if (wantsLogin(error)) this.#wantLogin()
      else this.#fail(startOf(reasonOf(error), LONGEST_REASON))
    }
  }

  async #connect(onEnd: (why: string) => void): Promise<Link> {
    const { server, host } = this.#options
    const { connect } = await import("./link.js")
    const listener = {
      onEnd: (why = "the connection was closed") => onEnd(why),
      onDoubt: () => void this.#check(),
      onListChanged: (what: ListName) => this.#look(what),
    }
    return connect(server, host, listener, this.#closing.signal)
  }

  #fail(why: string): void {
    if (this.#closed) return
    const { name, server } = this.#options
    this.#report(
      `The MCP server ${name} cannot be reached: ${why}. See ${server.from ?? "where it is configured"}.${this.#printed()}`,
    )
    this.#tryAgain(why)
  }

  /** Waits for the user, who is told what to do. The session goes on without the server. */
  #wantLogin(): void {
    if (this.#closed) return
    const { name } = this.#options
    this.#refused = this.#token()
    this.#why = `it needs you to log in: sotto mcp login ${name}`
    this.#change("login")
    this.#report(`The MCP server ${name} needs you to log in: sotto mcp login ${name}`, "notice")
  }

  /** Returns the token of the user's login at the server. */
  #token(): string | undefined {
    const { server, host } = this.#options
    return server.url === undefined ? undefined : loginAt(server.url, host.ownEnv)?.token
  }

  /** Gives the connection up if an error says that it is over. True if so. */
  #loseBy(error: unknown, link: Link): boolean {
    if (link === this.#link && wantsLogin(error)) {
      this.#link = undefined
      void link.close().catch(() => undefined)
      this.#wantLogin()
      return true
    }
    if (!(error instanceof LinkError && error.failure === "lost")) return false
    this.#lose(link, error.message)
    return true
  }

  #lose(link: Link, why: string): void {
    if (link !== this.#link || this.#closed) return
    this.#link = undefined
    void link.close().catch(() => undefined)
    if (performance.now() - this.#since > HELD) this.#failures = 0
    this.#report(`The MCP server ${this.#options.name} is gone: ${why}. It is tried again.${this.#printed()}`)
    this.#tryAgain(why)
  }

  #tryAgain(why: string): void {
    this.#why = why
    const pause = this.#options.server.problem === undefined ? PAUSES[this.#failures++] : undefined
    this.#change(pause === undefined ? "failed" : "gone")
    if (pause !== undefined) this.#timer = setTimeout(() => void this.reach(), pause).unref()
  }

  #printed(): string {
    const { command } = this.#options.server
    return command === undefined ? "" : ` What it printed is in ${this.#options.logPath}.`
  }

  async #check(): Promise<void> {
    const link = this.#link
    if (link === undefined || this.#doubted) return
    this.#doubted = true
    try {
      await link.ping()
    } catch (error) {
      if (!this.#loseBy(error, link)) this.#lose(link, reasonOf(error))
    } finally {
      // A server may print nonsense at each sign of life that it is asked for.
      await pause(DOUBT_PAUSE)
      this.#doubted = false
    }
  }

  /** Has a list read anew, and once for all that is said of it until then. */
  #look(what: ListName): void {
    if (this.#looking.has(what)) this.#again.add(what)
    else
      this.#looking.set(
        what,
        this.#readAnew(what).finally(() => {
          this.#looking.delete(what)
          if (this.#again.delete(what)) this.#look(what)
        }),
      )
  }

  /** Comes to its end also where the server says at each look that its list has changed: calls wait for it. */
  async #readAnew(what: ListName): Promise<void> {
    await pause((this.#lookedAt.get(what) ?? 0) + BREATH - performance.now())
    this.#again.delete(what)
    const link = this.#link
    // One that is not connected yet has its lists read when it is.
    if (link === undefined) return
    try {
      if (what === "tools") this.tools = await this.#listTools(link)
      else if (what === "prompts") this.prompts = await listPrompts(link)
      else ({ resources: this.resources, templates: this.templates } = await listResources(link))
      this.#renewed()
    } catch (error) {
      if (!this.#loseBy(error, link) && link === this.#link)
        this.#report(`The MCP server ${this.#options.name} does not say what it offers: ${reasonOf(error)}.`)
    }
    this.#lookedAt.set(what, performance.now())
  }

  async #listTools(link: Link): Promise<readonly McpTool[]> {
    const { name, prefix } = this.#options
    const { tools, problems } = await listTools(link, prefix)
    const rest = problems.length - MOST_PROBLEMS
    if (problems.length > 0)
      this.#report(
        `The MCP server ${name}: ${problems.slice(0, MOST_PROBLEMS).join(" ")}${rest > 0 ? ` And ${rest} more like this.` : ""}`,
      )
    return tools
  }

  #change(state: State): void {
    this.#state = state
    this.#renewed()
  }

  #renewed(): void {
    this.#version++
    this.#options.changed()
  }

  /** Reports each message once, and not without end: a server that dies again and again is one piece of news. */
  #report(message: string, as: "error" | "notice" = "error"): void {
    if (this.#closed || this.#reported.has(message) || this.#reported.size >= MOST_REPORTS) return
    this.#reported.add(message)
    this.#options.report(message, as)
  }
}

const LONGEST_REASON = 2_000
const MOST_PROBLEMS = 3
const MOST_REPORTS = 20
const DOUBT_PAUSE = 1_000

function wantsLogin(error: unknown): boolean {
  return error instanceof LinkError && error.failure === "login"
}
