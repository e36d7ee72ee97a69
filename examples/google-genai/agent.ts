import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { FunctionCallingConfigMode, type GoogleGenAI } from "@google/genai"
import {
  createSession,
  type Entry,
  restoreSession,
  type SessionOptions,
  type ToolDefinition,
} from "@sotto/core"
import { type DrivenTool, drive } from "@sotto/core/drive"
import * as gemini from "@sotto/core/gemini"

/** Something that the model may call. `changes` is true if it changes something: then it is refused in plan mode. */
export interface Tool extends Omit<ToolDefinition, "name"> {
  readonly changes?: boolean
  readonly run: DrivenTool
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

  const handlers = Object.entries(tools).map(([name, { changes, run }]): [string, DrivenTool] => [
    name,
    async (...given) => {
      if (changes && session.agent === "plan") throw new Error("Plan mode changes nothing.")
      return run(...given)
    },
  ])

  /** Works until nothing is left to do, or until `signal` interrupts. After an error, running again sends the very same request. */
  function run(signal?: AbortSignal) {
    return drive(session, {
      dialect: gemini,
      send({ contents, generationConfig, toolConfig, ...fields }, { request, signal }) {
        const noCalls = { functionCallingConfig: { mode: FunctionCallingConfigMode.NONE } }
        const calling = toolConfig && { toolConfig: noCalls }
        const config = { ...fields, ...generationConfig, ...calling, abortSignal: signal }
        return client.models.generateContentStream({ model: gemini.modelName(request), contents, config })
      },
      tools: Object.fromEntries(handlers),
      signal,
      onDelta: (delta) => delta.type === "text" && onText(delta.text),
    })
  }

  return { session, run }
}
