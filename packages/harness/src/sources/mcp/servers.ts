import { join } from "node:path"
import { type ChildEnvironment, childEnvironment } from "../../execution/programs/environment.js"
import { proxySettings } from "../../platform/network/proxy-settings.js"
import { ToolError } from "../../platform/text/errors.js"
import { until } from "../../platform/wait.js"
import { dataFolder } from "../../platform/workspace/folders.js"
import type { Project } from "../../platform/workspace/project.js"
import { USUAL } from "../../settings/config/usual.js"
import type { Config } from "../../settings/load.js"
import type { SourceContext } from "../source.js"
import { McpConnection, type State } from "./connection.js"
import type { McpFields } from "./fields.js"
import type { RequestHow } from "./link.js"
import { logFile } from "./log-file.js"
import { prefixes } from "./names.js"
import type { McpPrompt, McpTool, OfferedResource } from "./offered.js"
import { type Resource, resourceOf } from "./resource.js"

type Report = SourceContext["report"]

/** How one MCP server is doing. */
export interface ServerStatus {
  readonly name: string
  /** What the names of its tools begin with. */
  readonly prefix: string
  readonly state: State
  /** Why it is not connected. */
  readonly why?: string
  readonly tools: readonly McpTool[]
  readonly prompts: readonly McpPrompt[]
  readonly instructions?: string
  /** The file that takes what it prints. */
  readonly log?: string
  /** Another number whenever there may be something new to tell. */
  readonly version: number
}

/** A resource, with the server that offers it. */
export interface ServerResource extends OfferedResource {
  readonly server: string
  /** Its uri has `{…}` to be filled in. */
  readonly template?: true
}

/** The MCP servers of a workplace. Nothing is started, nor loaded, before a session asks for it. */
export class McpServers {
  readonly #connections: ReadonlyMap<string, McpConnection>
  readonly #timeouts: ReadonlyMap<string, number>
  readonly #problems: Parameters<Report>[] = []
  readonly #listeners = new Set<Report>()
  readonly #watchers = new Set<() => void>()
  #open = false

  constructor(config: Pick<Config, "mcp" | "pass">, place: Project) {
    const named = config.pass ?? []
    const servers = Object.entries(config.mcp).filter(([, { disable }]) => disable !== true)
    let inherited: ChildEnvironment | undefined
    const proxies = proxySettings(place.env)
    const prefixOf = prefixes(servers.map(([name]) => name))
    this.#timeouts = new Map(
      servers.map(([name, { timeout }]) => [name, (timeout ?? USUAL.mcpTimeout) * 1_000]),
    )
    this.#connections = new Map(
      servers.map(([name, server]) => {
        const prefix = prefixOf.get(name) ?? ""
        const logPath = join(dataFolder(place.env), "output", `${prefix}${process.pid}.log`)
        inherited ??= childEnvironment(place.env, config)
        const host = {
          ...{ ...place, env: inherited, ownEnv: place.env, named, log: logFile(logPath) },
          ...(proxies && { proxies }),
        }
        const report: Report = (...problem) => this.#tell(problem)
        const changed = () => {
          for (const watcher of this.#watchers) watcher()
        }
        return [name, new McpConnection({ name, prefix, server, host, logPath, report, changed })]
      }),
    )
  }

  get names(): readonly string[] {
    return [...this.#connections.keys()]
  }

  /** Begins to connect all of them, at the same time. Holds up nothing. */
  open(): void {
    if (this.#open) return
    this.#open = true
    for (const connection of this.#connections.values()) void connection.reach()
  }

  /** Resolves once every server has answered or failed for the first time, or at the signal. */
  async settled(signal: AbortSignal): Promise<void> {
    const waiting = [...this.#connections.values()].filter(({ state }) => state === "connecting")
    if (waiting.length === 0) return
    const known = waiting.map((one) => one.reach().then(() => one.listed("prompts")))
    await until(Promise.all(known), signal)
  }

  /** Lists what is under way that may change what servers offer. */
  pending(): readonly Promise<void>[] {
    return [...this.#connections.values()].flatMap((connection) => connection.work() ?? [])
  }

  statuses(): readonly ServerStatus[] {
    return [...this.#connections].map(
      ([name, { prefix, state, why, tools, prompts, instructions, log, version }]) => ({
        name,
        prefix,
        state,
        tools: state === "connected" ? tools : [],
        prompts: state === "connected" ? prompts : [],
        version,
        ...(state !== "connected" && { why }),
        ...(instructions !== undefined && { instructions }),
        ...(log !== undefined && { log }),
      }),
    )
  }

  /** Calls back whenever a server's state, or what it offers, may be another. */
  onChange(watcher: () => void): void {
    this.#watchers.add(watcher)
  }

  /** Hears of everything that failed, also before it began to listen. Gives back how to stop. */
  onProblem(listener: Report): () => void {
    for (const problem of this.#problems) listener(...problem)
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Finds the tool of a server, by its own name or the one in the list of tools. Tries a server that cannot be reached
   * again first. Throws ToolError if the server or tool does not exist.
   */
  async tool(server: string, name: string, signal: AbortSignal): Promise<McpTool> {
    const connection = await this.#connected(server, signal)
    // A model that has just been told of a tool may call it.
    await until(connection.work() ?? Promise.resolve(), signal)
    const { tools } = connection
    const found = tools.find((tool) => tool.name === name) ?? tools.find(({ listed }) => listed === name)
    if (found !== undefined) return found
    const names = tools.map((tool) => tool.name).join(", ")
    throw new ToolError(
      `The MCP server ${server} has no tool "${name}". ${names === "" ? "It has none." : `It has: ${names}.`}`,
    )
  }

  /** Calls a tool and returns its answer. Throws ToolError if none comes. */
  callTool(server: string, name: string, input: McpFields, how: RequestHow): Promise<McpFields> {
    return this.#ask(server, "tools/call", { name, arguments: input }, how)
  }

  /** Finds a prompt of a server, which is connected first if need be. Throws ToolError if it cannot be. */
  async prompt(server: string, isMeant: (prompt: McpPrompt) => boolean): Promise<McpPrompt | undefined> {
    const connection = await this.#connected(server, undefined)
    await connection.listed("prompts")
    return connection.prompts.find(isMeant)
  }

  /** Fills in a prompt and returns its messages. Throws ToolError if none come. */
  getPrompt(server: string, name: string, given: McpFields): Promise<McpFields> {
    return this.#ask(server, "prompts/get", { name, arguments: given }, {})
  }

  /** Lists for completion everything that can be mentioned as `@server:uri`, as far as it is known. */
  resources(): readonly ServerResource[] {
    return [...this.#connections].flatMap(([server, { state, resources, templates }]) =>
      state === "connected"
        ? [
            ...resources.map((resource) => ({ server, ...resource })),
            ...templates.map((resource) => ({ server, ...resource, template: true as const })),
          ]
        : [],
    )
  }

  /** Reads what the server has under the uri, no more of it than can be shown. Throws ToolError if it cannot be had. */
  async readResource(server: string, uri: string, signal: AbortSignal): Promise<Resource> {
    return resourceOf(await this.resource(server, uri, signal))
  }

  resource(server: string, uri: string, signal: AbortSignal): Promise<McpFields> {
    return this.#ask(server, "resources/read", { uri }, { signal })
  }

  /** Tries one that cannot be reached again. Throws ToolError if no server has that name, or it still cannot. */
  async reached(server: string, signal: AbortSignal): Promise<void> {
    await this.#connected(server, signal)
  }

  /**
   * Connects one anew, whether it is connected or not, and returns its status after that. Undefined if no server has
   * that name.
   */
  async reconnect(server: string): Promise<ServerStatus | undefined> {
    await this.#connections.get(server)?.again()
    return this.statuses().find(({ name }) => name === server)
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#watchers.clear()
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()))
  }

  async #ask(server: string, method: string, params: McpFields, how: RequestHow): Promise<McpFields> {
    const connection = await this.#connected(server, how.signal)
    try {
      return await connection.request(method, params, { timeout: this.#timeouts.get(server) ?? 0, ...how })
    } catch (error) {
      throw new ToolError(`The MCP server ${server}: ${error instanceof Error ? error.message : error}.`)
    }
  }

  async #connected(server: string, signal: AbortSignal | undefined): Promise<McpConnection> {
    const connection = this.#connections.get(server)
    if (connection === undefined) {
      const names = this.names.join(", ")
      throw new ToolError(
        `There is no MCP server "${server}". ${names === "" ? "There are none." : `There are: ${names}.`}`,
      )
    }
    this.open()
    await until(connection.reach(), signal)
    if (connection.state === "connected") return connection
    throw new ToolError(`The MCP server ${server} cannot be reached: ${connection.why}.`)
  }

  #tell(problem: Parameters<Report>): void {
    this.#problems.push(problem)
    for (const listener of this.#listeners) listener(...problem)
  }
}
