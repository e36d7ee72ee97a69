import { appendFileSync, existsSync, readFileSync } from "node:fs"
import {
  type AssistantPart,
  createSession,
  type Entry,
  type Json,
  restoreSession,
  type Session,
  type SessionOptions,
} from "@sotto/core"
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

  /** What of a step has come: the SDK tells of a step only when its tools are done. */
  let said: AssistantPart[] = []
  let returned: [callId: string, output: string][] = []

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

  /** The model made the calls that run, so they are recorded: it learns that they were stopped. */
  function stop(): void {
    const { pending } = session
    if (pending.is === "request" && said.some(({ type }) => type === "tool-call")) {
      session.reply(pending.request.id, { parts: said })
      for (const [callId, output] of returned) session.result(callId, output)
    }
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
    const unwatch = session.watch(() => {
      const entry = session.log.at(-1)
      if (entry && (entry.type === "aborted" || "interrupts" in entry)) cut.abort()
    })
    const isCut = new Promise<void>((resolve) => cut.signal.addEventListener("abort", () => resolve()))
    const prepared = prepareStep(session)
    const { fullStream } = streamText({
      model,
      tools: offered,
      prompt: "(the session's messages take this place)",
      allowSystemInMessages: true, // Version 7 refuses reminders that travel as system messages without it.
      prepareStep: prepared,
      onStepFinish: prepared.onStepFinish,
      stopWhen: isLoopFinished(),
      abortSignal: cut.signal,
      onError: () => {}, // The stream has it too, and there it is thrown.
    })
    // A tool that ignores its signal keeps the stream open.
    await Promise.race([listen(fullStream, cut.signal), isCut]).finally(unwatch)
  }

  async function listen(stream: AsyncIterable<TextStreamPart<ToolSet>>, signal: AbortSignal): Promise<void> {
    for await (const part of stream) {
      if (signal.aborted) return
      if (part.type === "error") throw part.error
      if (part.type === "start-step") begin()
      if (part.type === "text-start") said.push({ type: "text", text: "" })
      if (part.type === "text-delta") {
        const last = said.at(-1)
        if (last?.type === "text") said[said.length - 1] = { ...last, text: last.text + part.text }
        onText(part.text)
      }
      if (part.type === "tool-call")
        said.push({ type: "tool-call", id: part.toolCallId, name: part.toolName, input: part.input as Json })
      if (part.type === "tool-result") returned.push([part.toolCallId, String(part.output)])
    }
  }

  function begin(): void {
    said = []
    returned = []
    if (session.pending.is === "request") session.partial(session.pending.request.id, () => ({ parts: said }))
  }

  return { session, run }
}
