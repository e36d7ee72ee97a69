import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { createSession, type Entry, restoreSession, type Session, type SessionOptions } from "@sotto/core"
import { prepareStep, refusedCarrier } from "@sotto/core/ai-sdk"
import { isLoopFinished, type LanguageModel, streamText, type TextStreamPart, type ToolSet } from "ai"

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

/**
 * An agent with two modes. The AI SDK runs the loop and the tools, so this is not built on `drive`: the session only
 * decides what the model is told.
 */
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
  let step = prepareStep(session)

  /** Works until nothing is left to do, or until `signal` interrupts. After an error, running again sends the same request. */
  async function run(signal?: AbortSignal): Promise<void> {
    signal?.addEventListener("abort", stop)
    if (signal?.aborted) stop()
    try {
      while (session.phase !== "idle" && !signal?.aborted) await runOnce().catch(refuse)
    } finally {
      signal?.removeEventListener("abort", stop)
    }
  }

  /** At once: a tool that ignores its signal keeps the SDK from telling of the abort. */
  function stop(): void {
    step.onAbort()
    session.abort()
  }

  function refuse(error: unknown): void {
    const carrier = refusedCarrier(error)
    if (carrier === undefined) throw error
    session.refuseCarrier(carrier)
  }

  /** The SDK's loop ends with an answer, or when the session is aborted or told something that cannot wait. */
  async function runOnce(): Promise<void> {
    const cut = new AbortController()
    const isCut = new Promise<void>((resolve) => cut.signal.addEventListener("abort", () => resolve()))
    const unwatch = session.watch(() => {
      const entry = session.log.at(-1)
      if (entry && (entry.type === "aborted" || "interrupts" in entry)) cut.abort()
    })
    step = prepareStep(session)
    const { fullStream } = streamText({
      model,
      tools: offered,
      prompt: "(the session's messages take this place)",
      allowSystemInMessages: true, // Version 7 refuses reminders that travel as system messages without it.
      prepareStep: step,
      onStepFinish: step.onStepFinish,
      onChunk: step.onChunk,
      onAbort: step.onAbort,
      stopWhen: isLoopFinished(),
      abortSignal: cut.signal,
      onError: () => {}, // The stream has it too, and there it is thrown.
    })
    await Promise.race([listen(fullStream), isCut]).finally(unwatch)
  }

  async function listen(stream: AsyncIterable<TextStreamPart<ToolSet>>): Promise<void> {
    for await (const part of stream) {
      if (part.type === "error") throw part.error
      if (part.type === "text-delta") onText(part.text)
    }
  }

  return { session, run }
}
