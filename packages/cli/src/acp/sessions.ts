import {
  type AgentConnection,
  type ClientCapabilities,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type McpServer,
  methods,
  RequestError,
} from "@agentclientprotocol/sdk"
import {
  type Environment,
  type McpServerSettings,
  openStore,
  type ProjectRuntime,
  storePlace,
  trustNow,
} from "@sotto/harness"
import { type ProjectLease, ProjectRuntimes } from "../project-runtimes.js"
import { type Client, type EditorSession, openEditorSession } from "./session.js"

export interface AgentOptions {
  readonly env: Environment
  readonly version: string
  /** What new sessions start with. */
  readonly model?: string
  readonly agent?: string
}

interface Opening {
  readonly cwd: string
  readonly mcpServers: readonly McpServer[]
  readonly session?: string
}

/** The workplace of a session, which becomes another one when the user trusts its folder. */
class Leased implements ProjectLease {
  #lease: ProjectLease
  readonly #before: ProjectLease[] = []

  constructor(lease: ProjectLease) {
    this.#lease = lease
  }

  get workplace(): ProjectRuntime {
    return this.#lease.workplace
  }

  /** Keeps the lease before it: what ran there may still have to end there. */
  replace(lease: ProjectLease): ProjectRuntime {
    this.#before.push(this.#lease)
    this.#lease = lease
    return lease.workplace
  }

  async release(): Promise<void> {
    for (const lease of [...this.#before.splice(0), this.#lease]) await lease.release()
  }
}

/** The sessions of one connection. */
export class AcpSessions {
  capabilities: ClientCapabilities | undefined
  connection: AgentConnection | undefined
  readonly #options: AgentOptions
  readonly #workplaces: ProjectRuntimes
  readonly #open = new Map<string, { readonly session: EditorSession; readonly lease: ProjectLease }>()
  readonly #opening = new Set<Promise<unknown>>()

  constructor(options: AgentOptions) {
    this.#options = options
    this.#workplaces = new ProjectRuntimes(options.env, (message) =>
      RequestError.invalidParams(undefined, message),
    )
  }

  get(id: string): EditorSession {
    const open = this.#open.get(id)
    if (open === undefined)
      throw RequestError.invalidParams(
        undefined,
        `the session ${id} is not open here. Use session/new, or session/load for one from before`,
      )
    return open.session
  }

  /** Opens a session. Returns the same one if it is open already. */
  async open(opening: Opening): Promise<EditorSession> {
    const known = opening.session === undefined ? undefined : this.#open.get(opening.session)
    if (known) return known.session
    const work = this.#bring(opening)
    this.#opening.add(work)
    try {
      return await work
    } finally {
      this.#opening.delete(work)
    }
  }

  async close(id: string): Promise<void> {
    const open = this.#open.get(id)
    this.#open.delete(id)
    await open?.session.close()
    await open?.lease.release()
  }

  /** Closes the sessions that are still being opened as well. */
  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#opening])
    await Promise.allSettled([...this.#open.keys()].map((id) => this.close(id)))
  }

  async #bring({ cwd, mcpServers, session }: Opening): Promise<EditorSession> {
    const { model, agent: name } = this.#options
    const wanted = { cwd, mcp: mcpOf(mcpServers) }
    const lease = new Leased(await this.#workplaces.lease(wanted))
    try {
      const opened = await openEditorSession({
        workplace: lease.workplace,
        client: this.#client(),
        trusted: async () => {
          await trustNow({ cwd, env: this.#options.env })
          return lease.replace(await this.#workplaces.lease({ ...wanted, trust: true }))
        },
        ...(model !== undefined && { model }),
        ...(name !== undefined && { agent: name }),
        ...(session !== undefined && { session }),
      })
      this.#open.set(opened.id, { session: opened, lease })
      return opened
    } catch (error) {
      await lease.release()
      throw error
    }
  }

  #client(): Client {
    return {
      notices: this.capabilities?.session?.notices != null,
      update: (sessionId, update) => {
        // If the editor no longer listens, the update is dropped.
        this.connection?.client.notify(methods.client.session.update, { sessionId, update }).catch(() => {})
      },
      ask: async (request) => {
        if (this.connection === undefined) return { outcome: "cancelled" }
        const asked = this.connection.client.request(methods.client.session.requestPermission, request)
        return (await asked).outcome
      },
    }
  }
}

const PAGE = 50

/** Lists the stored sessions that have messages, newest first. */
export async function listed(
  { cwd, cursor }: ListSessionsRequest,
  env: Environment,
): Promise<ListSessionsResponse> {
  const from = Number(cursor ?? 0)
  if (!Number.isInteger(from) || from < 0) throw RequestError.invalidParams(undefined, "unknown cursor")
  const store = await openStore(storePlace(env), { env })
  try {
    const all = (await store.list())
      .filter(
        ({ parent, messages, damaged }) => parent === undefined && messages > 0 && damaged === undefined,
      )
      .filter((session) => cwd == null || session.cwd === cwd)
    const sessions = all.slice(from, from + PAGE).map(({ id, cwd, title, updated }) => ({
      sessionId: id,
      cwd,
      updatedAt: new Date(updated).toISOString(),
      ...(title !== undefined && { title }),
    }))
    return { sessions, ...(all.length > from + PAGE && { nextCursor: String(from + PAGE) }) }
  } finally {
    await store.close()
  }
}

type Servers = Readonly<Record<string, McpServerSettings>>

export function mcpOf(servers: readonly McpServer[]): Servers {
  return Object.fromEntries(
    servers.flatMap((server): readonly (readonly [string, McpServerSettings])[] => {
      if (!("type" in server)) {
        const { name, command, args, env } = server
        return [[name, { type: "stdio", command, args, env: byName(env) }]]
      }
      if (server.type === "acp") return []
      const { name, type, url, headers } = server
      return [[name, { type, url, headers: byName(headers) }]]
    }),
  )
}

function byName(pairs: readonly { readonly name: string; readonly value: string }[]) {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
}
