import { join } from "node:path"
import {
  type AgentConnection,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk"
import { dataFolder, type Environment, isForTheUser, openStore } from "@sotto/harness"
import { readEditorState } from "./editor-state.js"
import { mcpOf } from "./mcp.js"
import { type Client, type EditorSession, openEditorSession } from "./session.js"
import { readSteering } from "./steering.js"
import { type Lease, Workplaces } from "./workplaces.js"

export interface AgentOptions {
  readonly env: Environment
  readonly version: string
  readonly model?: string
  readonly agent?: string
}

/** Serves an editor until it goes away, then gives everything back. */
export async function serve(stream: Stream, options: AgentOptions, signal: AbortSignal): Promise<void> {
  const sessions = new Sessions(options)
  const app = agent({ name: "sotto" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      sessions.capabilities = params.clientCapabilities
      return whatWeCan(options.version)
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, ({ params: { cwd, mcpServers } }) =>
      clearly(async () => {
        const session = await sessions.open({ cwd, mcpServers })
        afterAnswering(() => session.announce())
        return { sessionId: session.id, modes: session.modes }
      }),
    )
    .onRequest(methods.agent.session.load, ({ params: { sessionId, cwd, mcpServers } }) =>
      clearly(async () => {
        const session = await sessions.open({ cwd, mcpServers, session: sessionId })
        session.replay()
        afterAnswering(() => session.announce())
        return { modes: session.modes }
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params: { sessionId, cwd, mcpServers = [] } }) =>
      clearly(async () => {
        const session = await sessions.open({ cwd, mcpServers, session: sessionId })
        afterAnswering(() => session.announce())
        return { modes: session.modes }
      }),
    )
    .onRequest(methods.agent.session.list, ({ params }) => clearly(async () => listed(params, options.env)))
    .onRequest(methods.agent.session.close, ({ params }) =>
      clearly(async () => {
        await sessions.close(params.sessionId)
        return {}
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params }) =>
      clearly(async () => {
        sessions.get(params.sessionId).setMode(params.modeId)
        return {}
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal: cancelled }) =>
      clearly(() => sessions.get(params.sessionId).prompt(params.prompt, cancelled)),
    )
    .onRequest("_session/steering", readSteering, ({ params: { sessionId, prompt, whenIdle } }) =>
      clearly(async () => {
        const session = sessions.get(sessionId)
        const { isRunning } = session
        if (!isRunning && whenIdle === "ask-for-prompt")
          return { outcome: "promptRequired", reason: "noRunningTurn" }
        session.say(prompt)
        return { outcome: isRunning ? "injected" : "startedNewTurn" }
      }),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId).cancel())
    .onNotification("_sotto/editor", readEditorState, ({ params }) =>
      sessions.get(params.sessionId).look(params),
    )
    .onConnect((opened) => {
      sessions.connection = opened
    })
  const connection = app.connect(stream)
  signal.addEventListener("abort", () => connection.close(), { once: true })
  await connection.closed
  await sessions.closeAll()
}

function whatWeCan(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "sotto", title: "Sotto", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [],
    // What others call steering is a prompt while one is running, here; both are taken.
    _meta: { steering: { supported: true } },
  }
}

interface Opening {
  readonly cwd: string
  readonly mcpServers: readonly McpServer[]
  readonly session?: string
}

/** The sessions of one connection. */
class Sessions {
  capabilities: ClientCapabilities | undefined
  connection: AgentConnection | undefined
  readonly #options: AgentOptions
  readonly #workplaces: Workplaces
  readonly #open = new Map<string, { readonly session: EditorSession; readonly lease: Lease }>()
  readonly #opening = new Set<Promise<unknown>>()

  constructor(options: AgentOptions) {
    this.#options = options
    this.#workplaces = new Workplaces(options.env)
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

  /** One that is open already is the same one. */
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

  /** What is being opened as well. */
  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#opening])
    await Promise.allSettled([...this.#open.keys()].map((id) => this.close(id)))
  }

  async #bring({ cwd, mcpServers, session }: Opening): Promise<EditorSession> {
    const { model, agent: name } = this.#options
    const lease = await this.#workplaces.lease({ cwd, mcp: mcpOf(mcpServers) })
    try {
      const opened = await openEditorSession({
        workplace: lease.workplace,
        client: this.#client(),
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
        // Where nobody listens any more there is nobody to tell.
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

function listed({ cwd, cursor }: ListSessionsRequest, env: Environment): ListSessionsResponse {
  const from = Number(cursor ?? 0)
  if (!Number.isInteger(from) || from < 0) throw RequestError.invalidParams(undefined, "unknown cursor")
  const store = openStore(join(dataFolder(env), "sessions.db"))
  try {
    const all = store
      .list()
      .filter(({ parent, messages }) => parent === undefined && messages > 0)
      .filter((session) => cwd == null || session.cwd === cwd)
    const sessions = all.slice(from, from + PAGE).map(({ id, cwd, title, updated }) => ({
      sessionId: id,
      cwd,
      updatedAt: new Date(updated).toISOString(),
      ...(title !== undefined && { title }),
    }))
    return { sessions, ...(all.length > from + PAGE && { nextCursor: String(from + PAGE) }) }
  } finally {
    store.close()
  }
}

/** Errors as an editor shows them: what was wrong and what to do, not that something internal was. */
async function clearly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RequestError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new RequestError(isForTheUser(error) === "usage" ? -32602 : -32603, message)
  }
}

/** An editor knows no session before it has its id. */
function afterAnswering(work: () => void): void {
  setImmediate(work)
}
