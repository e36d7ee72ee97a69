import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent"
import {
  type AnyMessage,
  createSession,
  dynamic,
  type Entry,
  frameOnce,
  type Reply,
  removed,
  restoreSession,
  type Session,
  type SessionOptions,
  wrapReminder,
} from "@sotto/core"

type Mode = "build" | "plan"
const LOG = "sotto-log"
const PINNED = dynamic("pi:system-prompt")
const CHANGES: readonly string[] = ["write", "edit", "bash"]

/**
 * Sotto inside pi. pi keeps the conversation and sends it. A session beside it hears what happens, and its rules say what
 * the model should be told. pi stores that as messages of its own, so nothing that was sent ever changes.
 */
export default function sotto(pi: ExtensionAPI): void {
  let session: Session<Mode>

  function open(log: readonly Entry[]): Session<Mode> {
    const options: SessionOptions<Mode> = {
      agents: [{ name: "build" }, { name: "plan", planning: true }],
      // pi sends what an extension says as a user message, whatever the model.
      model: { id: "pi", capabilities: { systemMessages: false, toolResultReminders: false } },
      now: () => Date.now(),
      newId: () => crypto.randomUUID(),
      onAppend: (entries) => entries.forEach((entry) => void pi.appendEntry(LOG, entry)),
    }
    return log.length === 0 ? createSession(options) : restoreSession(options, log, { crashed: true })
  }

  /** What the model should be told at this boundary, in one text. */
  function told({ cwd }: ExtensionContext): string | undefined {
    const path = join(cwd, "AGENTS.md")
    session.observe("date", new Date().toDateString())
    session.observe("instructions:AGENTS.md", existsSync(path) ? readFileSync(path, "utf8") : removed())
    session.next()
    const texts = session.asides(1).map(({ text }) => wrapReminder(text))
    return texts.length > 0 ? texts.join("\n\n") : undefined
  }

  /** The session has to know of every step that pi takes: rules count them. */
  function replied(parts: Reply["parts"]): void {
    const next = session.next()
    if (next.is === "request") session.reply(next.request.id, { parts })
  }

  pi.on("session_start", (_, { sessionManager }) => {
    const custom = sessionManager.getEntries().filter((entry) => entry.type === "custom")
    session = open(custom.filter(({ customType }) => customType === LOG).map(({ data }) => data as Entry))
    if (session.isInTurn) session.abort()
  })

  pi.on("before_agent_start", ({ prompt, systemPrompt }, context) => {
    // A system prompt that changes (its date, AGENTS.md) would cost the whole cache: the first one stays.
    if (session.fact(PINNED) === undefined) session.observe(PINNED, systemPrompt)
    session.say(prompt)
    const content = told(context)
    return {
      systemPrompt: String(session.fact(PINNED)),
      ...(content !== undefined && { message: { customType: "sotto", content, display: false } }),
    }
  })

  pi.on("turn_end", ({ message, toolResults }, context) => {
    if (message.role !== "assistant" || toolResults.length === 0) return
    const calls = message.content.filter((part) => part.type === "toolCall")
    replied(calls.map(({ id, name }) => ({ type: "tool-call", id, name, input: {} })))
    const next = session.next()
    if (next.is === "waiting") for (const { id } of next.calls) session.result(id, "(pi has it)")
    const content = told(context)
    if (content !== undefined)
      pi.sendMessage({ customType: "sotto", content, display: false }, { deliverAs: "steer" })
  })

  pi.on("agent_end", () => replied([{ type: "text", text: "(pi has it)" }]))

  // Words that follow tool results were typed while the agent worked. That never changes, so neither does the frame.
  pi.on("context", ({ messages }) => ({
    messages: messages.map((message, i) => {
      const before = messages.slice(0, i).findLast(({ role }) => role !== "custom" && role !== "user")
      if (message.role !== "user" || before?.role !== "toolResult") return message
      return { ...message, content: framed(message.content) }
    }),
  }))

  pi.on("tool_call", ({ toolName }) =>
    session.agent === "plan" && CHANGES.includes(toolName)
      ? { block: true, reason: "Plan mode changes nothing." }
      : undefined,
  )

  for (const mode of ["build", "plan"] as const)
    pi.registerCommand(mode, {
      description: `Switch to ${mode} mode.`,
      handler: async () => session.switchAgent(mode),
    })
}

type Content = Extract<Parameters<ExtensionAPI["sendUserMessage"]>[0], readonly unknown[]>

function framed(content: string | Content): Content {
  const parts: Content = typeof content === "string" ? [{ type: "text", text: content }] : content
  const message: AnyMessage = { id: "1", role: "user", parts }
  const shown = frameOnce([message], 2).flatMap((one) => one.parts.filter((part) => !part.ignored))
  return shown as Content
}
