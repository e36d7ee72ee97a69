import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Plugin } from "@opencode-ai/plugin"
import {
  type AnyMessage,
  createSession,
  dynamic,
  type Entry,
  frameOnce,
  removed,
  restoreSession,
  type Session,
  type SessionOptions,
  standardRules,
  wrapReminder,
} from "@sotto/core"

type Parts = Parameters<NonNullable<Awaited<ReturnType<Plugin>>["chat.message"]>>[1]["parts"]

/**
 * Sotto inside opencode. opencode keeps the conversation and sends it. A session beside each of its sessions hears what
 * happens, and its rules say what the model should be told. That goes into messages and results before opencode stores
 * them, so nothing that was sent ever changes.
 */
export const SottoPlugin: Plugin = async ({ directory }) => {
  const sessions = new Map<string, Session>()

  function sessionFor(id: string): Session {
    const session = sessions.get(id) ?? open(id)
    sessions.set(id, session)
    return session
  }

  function open(id: string): Session {
    // Not in ".opencode": where a project has that folder, opencode installs packages into it.
    const logs = join(homedir(), ".local/state/sotto-opencode")
    mkdirSync(logs, { recursive: true, mode: 0o700 })
    const log = join(logs, `${id}.jsonl`)
    const options: SessionOptions = {
      agents: [{ name: "any" }],
      model: { id: "opencode", capabilities: { systemMessages: false, toolResultReminders: false } },
      // opencode announces its modes itself.
      rules: standardRules({
        only: ["instructions_change", "date_change", "edited_text_file", "critical_system_reminder"],
      }),
      now: () => Date.now(),
      newId: () => crypto.randomUUID(),
      onAppend: (entries) =>
        appendFileSync(log, entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")),
    }
    const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
    const entries: Entry[] = lines.map((line) => JSON.parse(line))
    if (entries.length === 0) return createSession(options)
    const session = restoreSession(options, entries, { crashed: true })
    if (session.isInTurn) session.abort()
    return session
  }

  /** What the model should be told at this boundary, in one text. */
  function told(session: Session): string | undefined {
    const path = join(directory, "AGENTS.md")
    session.observe("date", new Date().toDateString())
    session.observe("instructions:AGENTS.md", existsSync(path) ? readFileSync(path, "utf8") : removed())
    session.next()
    const texts = session.asides(1).map(({ text }) => wrapReminder(text))
    return texts.length > 0 ? texts.join("\n\n") : undefined
  }

  return {
    // A system prompt that changes (its date, AGENTS.md) would cost the whole cache: the first one stays. The agents of
    // a session, and the one that writes its title, are told apart by how their prompts begin.
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (sessionID === undefined) return
      const session = sessionFor(sessionID)
      const key = dynamic(`opencode:system:${system[0]?.slice(0, 100)}`)
      const pinned = session.fact(key)
      if (Array.isArray(pinned)) system.splice(0, system.length, ...pinned.map(String))
      else session.observe(key, system)
    },

    // What opencode adds to the newest user message only (its plan mode) would be gone from it in the next request.
    "experimental.chat.messages.transform": async (_, { messages }) => {
      for (const { info, parts } of messages) {
        if (info.role !== "user") continue
        const session = sessionFor(info.sessionID)
        const key = dynamic(`opencode:sent:${info.id}`)
        const sent = session.fact(key)
        if (Array.isArray(sent)) parts.splice(0, parts.length, ...(sent as Parts))
        else session.observe(key, parts)
      }
    },

    "chat.message": async ({ sessionID }, { message, parts }) => {
      const session = sessionFor(sessionID)
      if (session.isInTurn) {
        parts.splice(0, parts.length, ...framed(parts))
        return
      }
      session.say(wordsOf(parts) || "(no words)")
      const text = told(session)
      const last = parts.at(-1)
      if (text === undefined || last === undefined) return
      parts.push({ id: `${last.id}0`, sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },

    "tool.execute.after": async ({ sessionID, callID, tool }, output) => {
      const session = sessionFor(sessionID)
      const next = session.next()
      if (next.is !== "request") return
      session.reply(next.request.id, { parts: [{ type: "tool-call", id: callID, name: tool, input: {} }] })
      for (const call of waiting(session)) session.result(call, "(opencode has it)")
      const text = told(session)
      if (text !== undefined) output.output += `\n\n${text}`
    },

    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      const session = sessions.get(event.properties.sessionID)
      const next = session?.next()
      if (next?.is !== "request") return
      session?.reply(next.request.id, { parts: [{ type: "text", text: "(opencode has it)" }] })
    },
  }
}

function waiting(session: Session): readonly string[] {
  const next = session.next()
  return next.is === "waiting" ? next.calls.map(({ id }) => id) : []
}

function wordsOf(parts: Parts): string {
  return parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join("\n")
}

/** opencode's parts have the flags that `frameOnce` sets: users see what is ignored, the model what is synthetic. */
function framed(parts: Parts): Parts {
  const message: AnyMessage = { id: "1", role: "user", parts }
  const [first] = parts
  return frameOnce([message], 2)
    .flatMap((one) => one.parts)
    .map((part, i) => ({ ...first, ...part, ...("id" in part ? {} : { id: `${first?.id}${i}` }) })) as Parts
}
