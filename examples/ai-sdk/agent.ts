import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { createSession, type Entry, restoreSession, type Session, type SessionOptions } from "@sotto/core"
import { prepareStep, refusedCarrier } from "@sotto/core/ai-sdk"
import { isLoopFinished, type LanguageModel, streamText, type ToolSet } from "ai"

type Mode = "build" | "plan"

export interface AgentOptions {
  readonly model: Exclude<LanguageModel, string>
  /** The SDK's own tools. They can ask the session which mode holds. */
  readonly tools: (session: Session<Mode>) => ToolSet
  /** The file that keeps the session. What it holds is taken up where it ended, also after a crash. */
  readonly log: string
  /** Hears the model's words as they come. */
  readonly onText?: (text: string) => void
}

/** An agent with two modes. The AI SDK runs the loop and the tools, the session decides what the model is told. */
export function openAgent({ model, tools, log, onText = () => {} }: AgentOptions) {
  const options: SessionOptions<Mode> = {
    agents: [{ name: "build" }, { name: "plan", planning: true }],
    model: { id: model.modelId, dialect: "ai-sdk" },
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    onAppend: (entries) => appendFileSync(log, entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")),
  }
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  const entries: Entry[] = lines.map((line) => JSON.parse(line))
  const session =
    entries.length === 0 ? createSession(options) : restoreSession(options, entries, { crashed: true })
  const offered = tools(session)

  /** Works until nothing is left to do. After an error, running again sends the very same request. */
  async function run(): Promise<void> {
    while (session.phase !== "idle") {
      try {
        await runOnce()
      } catch (error) {
        const carrier = refusedCarrier(error)
        if (carrier === undefined) throw error
        session.refuseCarrier(carrier)
      }
    }
  }

  /** The SDK's loop ends with an answer. What was said during the answer starts another. */
  async function runOnce(): Promise<void> {
    const prepared = prepareStep(session)
    const { fullStream } = streamText({
      model,
      tools: offered,
      prompt: "(the session's messages take this place)",
      prepareStep: prepared,
      onStepFinish: prepared.onStepFinish,
      stopWhen: isLoopFinished(),
      onError: () => {}, // The stream has it too, and there it is thrown.
    })
    for await (const part of fullStream) {
      if (part.type === "error") throw part.error
      if (part.type === "text-delta") onText(part.text)
    }
  }

  return { session, run }
}
