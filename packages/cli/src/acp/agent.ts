import {
  agent,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk"
import { isForTheUser, reasonOf } from "@sotto/harness"
import { readEditorState } from "./editor-state.js"
import { advertised, METHODS, methodOf, readMessageOptions, readMethod, readSteering } from "./methods.js"
import { AcpSessions, type AgentOptions, listed } from "./sessions.js"

/** Serves an editor until it goes away, then gives everything back. */
export async function serve(stream: Stream, options: AgentOptions, signal: AbortSignal): Promise<void> {
  const sessions = new AcpSessions(options)
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
        const session = sessions.get(params.sessionId)
        session.setMode(params.modeId)
        await session.kept()
        return {}
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal: cancelled }) =>
      clearly(async () => {
        const options = readMessageOptions(params._meta)
        return sessions.get(params.sessionId).prompt(params.prompt, options, cancelled)
      }),
    )
    .onRequest("_session/steering", readSteering, ({ params: { sessionId, prompt, whenIdle, options } }) =>
      clearly(async () => {
        const session = sessions.get(sessionId)
        await session.ready()
        const { isRunning } = session
        if (!isRunning && whenIdle === "ask-for-prompt")
          return { outcome: "promptRequired", reason: "noRunningTurn" }
        session.say(prompt, options)
        await session.kept()
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
  for (const type of METHODS)
    app.onRequest(
      methodOf(type),
      (params) => readMethod(type, params),
      ({ params: { sessionId, command } }) => clearly(() => sessions.get(sessionId).obey(command)),
    )
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
      _meta: { sotto: advertised() },
    },
    authMethods: [],
    // What others call steering is a prompt while one is running, here; both are taken.
    _meta: { steering: { supported: true } },
  }
}

/** Errors as an editor shows them: what was wrong and what to do, not that something internal was. */
async function clearly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RequestError) throw error
    const message = reasonOf(error)
    throw new RequestError(isForTheUser(error) === "usage" ? -32602 : -32603, message)
  }
}

/** Runs the work once the answer is sent: an editor knows no session before it has its id. */
function afterAnswering(work: () => void): void {
  setImmediate(work)
}
