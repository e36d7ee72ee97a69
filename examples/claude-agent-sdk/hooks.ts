import { appendFileSync, existsSync, readFileSync } from "node:fs"
import type { HookCallback, HookInput, Options } from "@anthropic-ai/claude-agent-sdk"
import {
  createSession,
  type Entry,
  type Reply,
  restoreSession,
  type SessionOptions,
  standardRules,
} from "@sotto/core"

type Mode = "build" | "plan"
const CHANGES: readonly string[] = ["Write", "Edit", "NotebookEdit", "Bash"]

/**
 * Sotto beside Claude Code. Its hooks tell a session what happens, and hand what the session's rules say to Claude Code,
 * which decides where that goes. Pass `hooks` to `query`; switch modes and observe facts on `session`.
 */
export function openSotto(log: string) {
  const options: SessionOptions<Mode> = {
    agents: [{ name: "build" }, { name: "plan", planning: true }],
    model: { id: "claude-code", capabilities: { systemMessages: false, toolResultReminders: false } },
    // Claude Code tells its model these itself.
    rules: standardRules({ without: ["edited_text_file", "todo_reminder", "queued_command"] }),
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    onAppend: (entries) => appendFileSync(log, entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")),
  }
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  const entries: Entry[] = lines.map((line) => JSON.parse(line))
  const session =
    entries.length === 0 ? createSession(options) : restoreSession(options, entries, { crashed: true })
  if (session.isInTurn) session.abort()

  /** What the model should be told at this boundary. Claude Code wraps it in a reminder of its own. */
  function told(): { additionalContext?: string } {
    session.next()
    const texts = session.asides(1).map(({ text }) => text)
    return texts.length > 0 ? { additionalContext: texts.join("\n\n") } : {}
  }

  /** The session has to know of every step that Claude Code takes: rules count them. */
  function replied(parts: Reply["parts"]): void {
    const next = session.next()
    if (next.is === "request") session.reply(next.request.id, { parts })
  }

  /** Subagents have conversations of their own, of which this session knows nothing. */
  const main =
    (hear: (input: HookInput) => Awaited<ReturnType<HookCallback>>): HookCallback =>
    async (input) =>
      input.agent_id === undefined ? hear(input) : {}

  const prompted = main((input) => {
    if (input.hook_event_name !== "UserPromptSubmit" || session.isInTurn) return {}
    session.say(input.prompt)
    return { hookSpecificOutput: { hookEventName: "UserPromptSubmit", ...told() } }
  })

  const worked = main((input) => {
    if (input.hook_event_name !== "PostToolBatch") return {}
    const calls = input.tool_calls.map(({ tool_use_id: id, tool_name: name }) => ({ id, name, input: {} }))
    replied(calls.map((call) => ({ type: "tool-call", ...call })))
    const next = session.next()
    if (next.is === "waiting") for (const { id } of next.calls) session.result(id, "(Claude Code has it)")
    return { hookSpecificOutput: { hookEventName: "PostToolBatch", ...told() } }
  })

  const guarded = main((input) => {
    if (input.hook_event_name !== "PreToolUse") return {}
    if (session.agent !== "plan" || !CHANGES.includes(input.tool_name)) return {}
    const permissionDecisionReason = "Plan mode changes nothing."
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason,
      },
    }
  })

  const ended = main(() => {
    replied([{ type: "text", text: "(Claude Code has it)" }])
    return {}
  })

  const hooks: NonNullable<Options["hooks"]> = {
    UserPromptSubmit: [{ hooks: [prompted] }],
    PreToolUse: [{ hooks: [guarded] }],
    PostToolBatch: [{ hooks: [worked] }],
    Stop: [{ hooks: [ended] }],
  }
  return { session, hooks }
}
