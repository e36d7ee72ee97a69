import type { Dialect, Message, Reply, Request, ToolDefinition } from "@sotto/core"
import { createSession } from "@sotto/core"
import { type DrivenTool, drive } from "@sotto/core/drive"

/** Answers one request: encodes it in the provider's dialect, sends it, decodes the response. */
export type Model = (request: Request, signal: AbortSignal) => Promise<Reply>

/** What the model may call. If it throws, the model is told so and the turn goes on. */
export interface Tool extends Omit<ToolDefinition, "name"> {
  readonly run: DrivenTool
}

export interface Loop {
  /** A prompt when the agent is idle, a steer while it works. Resolves to what the user sees, at the turn's end. */
  say(words: string): Promise<readonly Message[]>
  /** Ends the turn where it is: what was said resolves. */
  stop(): void
}

/** No provider's format: a request goes to the model as it is, and a reply comes back as it is. */
const PLAIN: Dialect<Request> = {
  name: "plain",
  encode: (request) => request,
  decode: (reply) => reply as Reply,
  validate: () => [],
}

/** A whole agent: `drive` asks the session what to do, does it, and tells the session how it went. */
export function createLoop(modelId: string, model: Model, tools: Readonly<Record<string, Tool>>): Loop {
  const session = createSession({
    agents: [{ name: "build" }],
    model: { id: modelId },
    tools: Object.entries(tools).map(([name, { run: _, ...definition }]) => ({ name, ...definition })),
    now: Date.now,
    newId: () => crypto.randomUUID(),
  })
  const handlers = Object.fromEntries(Object.entries(tools).map(([name, { run }]) => [name, run]))
  let turn: Promise<readonly Message[]> | undefined

  async function work(): Promise<readonly Message[]> {
    await drive(session, {
      dialect: PLAIN,
      send: (request, { signal }) => model(request, signal),
      tools: handlers,
    })
    return session.view()
  }

  function say(words: string): Promise<readonly Message[]> {
    session.say(words)
    // After a model call that failed, the very same request goes out again.
    turn ??= work().finally(() => {
      turn = undefined
    })
    return turn
  }
  return { say, stop: () => void session.abort() }
}
