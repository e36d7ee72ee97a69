import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { FunctionCallingConfigMode, type GoogleGenAI } from "@google/genai"
import {
  createSession,
  type Entry,
  type Reply,
  type Request,
  restoreSession,
  type SessionOptions,
  type ToolCallPart,
  type ToolDefinition,
} from "@sotto/core"
import { decoder, encode, modelName } from "@sotto/core/gemini"

/** Something that the model may call. `changes` is true if it changes something: then it is refused in plan mode. */
export interface Tool extends Omit<ToolDefinition, "name"> {
  readonly changes?: boolean
  run(input: ToolCallPart["input"]): Promise<string>
}

export interface AgentOptions {
  readonly client: GoogleGenAI
  readonly model: string
  readonly tools: Readonly<Record<string, Tool>>
  /** The file that keeps the session. What it holds is taken up where it ended, also after a crash. */
  readonly log: string
  /** Hears the model's words as they come. */
  readonly onText?: (text: string) => void
}

/** An agent with two modes, on Google's own SDK. Say things to its session at any time, and run it. */
export function openAgent({ client, model, tools, log, onText = () => {} }: AgentOptions) {
  const options: SessionOptions<"build" | "plan"> = {
    agents: [{ name: "build" }, { name: "plan", planning: true }],
    model: { id: model, dialect: "gemini" },
    tools: Object.entries(tools).map(([name, { run: _, changes: __, ...tool }]) => ({ name, ...tool })),
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    onAppend: (entries) => appendFileSync(log, entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")),
  }
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  const entries: Entry[] = lines.map((line) => JSON.parse(line))
  const session =
    entries.length === 0 ? createSession(options) : restoreSession(options, entries, { crashed: true })

  /** Works until nothing is left to do. After an error, running again sends the very same request. */
  async function run(): Promise<void> {
    for (let next = session.next(); next.is !== "idle"; next = session.next()) {
      if (next.is === "waiting") await Promise.all(next.calls.map(call))
      else session.reply(next.request.id, await ask(next.request))
    }
  }

  async function ask(request: Request): Promise<Reply> {
    const { contents, generationConfig, toolConfig, ...fields } = encode(request)
    const noCalls = { functionCallingConfig: { mode: FunctionCallingConfigMode.NONE } }
    const config = { ...fields, ...generationConfig, ...(toolConfig && { toolConfig: noCalls }) }
    const stream = await client.models.generateContentStream({ model: modelName(request), contents, config })
    const reply = decoder()
    for await (const chunk of stream)
      for (const delta of reply.push(chunk)) if (delta.type === "text") onText(delta.text)
    return reply.end()
  }

  async function call({ id, name, input }: ToolCallPart): Promise<void> {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
    try {
      if (tool === undefined) throw new Error(`There is no tool "${name}".`)
      if (tool.changes && session.agent === "plan") throw new Error("Plan mode changes nothing.")
      session.result(id, await tool.run(input))
    } catch (error) {
      session.result(id, error instanceof Error ? error.message : String(error), { error: true })
    }
  }

  return { session, run }
}
