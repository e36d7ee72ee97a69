import { createSession, type Message, type Reply, type Request, type ToolDefinition } from "@sotto/core"

/** Answers one request: encodes it in the provider's dialect, sends it, decodes the response. */
export type Model = (request: Request) => Promise<Reply>

/** What the model may call. If it throws, the model is told so and the turn goes on. */
export interface Tool extends Omit<ToolDefinition, "name"> {
  run(input: unknown): Promise<string>
}

export interface Loop {
  /** A prompt when the agent is idle, a steer while it works. Resolves to what the user sees, at the turn's end. */
  say(words: string): Promise<readonly Message[]>
}

/** A whole agent: asks the session what to do, does it, and tells the session how it went. */
export function createLoop(modelId: string, model: Model, tools: Readonly<Record<string, Tool>>): Loop {
  const session = createSession({
    agents: [{ name: "build" }],
    model: { id: modelId },
    tools: Object.entries(tools).map(([name, { run: _, ...definition }]) => ({ name, ...definition })),
    now: Date.now,
    newId: () => crypto.randomUUID(),
  })
  let turn: Promise<readonly Message[]> | undefined

  async function work(): Promise<readonly Message[]> {
    try {
      for (;;) {
        const next = session.next()
        if (next.is === "idle") return session.view()
        if (next.is === "request") session.reply(next.request.id, await model(next.request))
        else await Promise.all(next.calls.map(({ id, name, input }) => call(id, name, input)))
      }
    } finally {
      turn = undefined
    }
  }

  async function call(id: string, name: string, input: unknown): Promise<void> {
    try {
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
      if (tool === undefined) throw new Error(`There is no tool "${name}".`)
      session.result(id, await tool.run(input))
    } catch (error) {
      session.result(id, error instanceof Error ? error.message : String(error), { error: true })
    }
  }

  function say(words: string): Promise<readonly Message[]> {
    session.say(words)
    // After a model call that failed, next() hands out the very same request again.
    turn ??= Promise.resolve().then(work)
    return turn
  }
  return { say }
}
