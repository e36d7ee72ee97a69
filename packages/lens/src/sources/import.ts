import type { Message } from "@sotto/core"
import { field, jsonIn } from "@sotto/core/dialect"
import {
  fromAnthropic,
  fromGemini,
  fromOpenAI,
  type Imported,
  type ImportOptions,
  type Skipped,
} from "@sotto/core/import"
import type { SourceFormat } from "../call.js"
import { type Recognised, recognise } from "./format.js"
import { isObject } from "./json.js"
import { laidOut } from "./read.js"
import { ClaudeCodeFile } from "./sessions/claude-code.js"
import { CodexFile } from "./sessions/codex.js"
import { GeminiCliFile } from "./sessions/gemini-cli.js"
import { isOpencodeMessage, OpencodeFile } from "./sessions/opencode.js"
import { splitOwnWords } from "./sessions/own-words.js"
import { PiFile } from "./sessions/pi.js"
import type { MainThread, SessionFile } from "./sessions/session-file.js"

/** The agents whose session files can be imported. */
export type SessionAgent = Extract<SourceFormat, "claude-code" | "codex" | "pi" | "opencode" | "gemini-cli">

/** The conversation of another agent's session file. */
export interface ImportedSession extends Imported {
  readonly agent: SessionAgent
  /** What the agent called the session. */
  readonly title?: string
  /** The model that spoke last, as the agent names it. */
  readonly model?: string
  /** The folder that the agent worked in. */
  readonly cwd?: string
}

/** Tells what a whole text is, by its content; undefined if it is nothing that the lens reads. */
export function formatOf(text: string): SourceFormat | undefined {
  return recognise(text, true)?.format
}

/** No agent writes deeper data, and code that goes through data of this depth has stack to spare. */
const DEEPEST = 500

/**
 * Imports the session file of another agent: finds out by its content which one wrote it, and gives the conversation
 * that its user would go on with, for `session.importMessages`. Follows the newest branch from its last compaction on,
 * and leaves subagents out. Marks as `synthetic` what that agent said for itself. Returns undefined for a text that is no
 * such file. What could not be taken is in `skipped`, a line that is cut off or damaged too.
 *
 * @example
 * ```ts
 * const imported = await importSession(readFileSync(path, "utf8"))
 * if (imported) session.importMessages(imported.messages)
 * ```
 */
export async function importSession(text: string): Promise<ImportedSession | undefined> {
  const found = recognise(text, true)
  const agent = found && agentOf(found)
  if (found === undefined || agent === undefined) return undefined
  // What stands in a document is found by its message: a person would count those, not lines.
  const unit = found.layout.is === "lines" ? "line" : "message"
  const file = fileOf(agent, found.layout.is === "list" ? jsonIn(text) : undefined)
  const damaged: Skipped[] = []
  for await (const { number, text: line } of laidOut(found.layout, pieces(text))) {
    const value = jsonIn(line)
    const problem = problemOf(agent, value)
    if (problem !== undefined) damaged.push({ at: `${unit} ${number}`, what: problem })
    else if (isObject(value)) file.add(number, value)
  }
  const thread = file.mainThread()
  const { messages, skipped } = messagesOf(thread, unit)
  const closing = messages.findLastIndex((message) => !message.parts.every(isSynthetic)) + 1
  const { title, model, cwd } = thread
  return {
    agent,
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    // Words at the end that only the agent said would wait for a reply, as if the user had asked for one.
    messages: messages.slice(0, closing),
    skipped: [
      ...damaged,
      ...thread.skipped,
      ...skipped,
      ...messages.slice(closing).map(() => ({ at: "", what: "the other harness's own words at the end" })),
    ],
  }
}

function agentOf({ format }: Recognised): SessionAgent | undefined {
  switch (format) {
    case "claude-code":
    case "codex":
    case "pi":
    case "opencode":
    case "gemini-cli":
      return format
    default:
      return undefined
  }
}

/** Makes the reader of an agent's file. `whole` is the document that has the messages, if it is one. */
function fileOf(agent: SessionAgent, whole: unknown): SessionFile {
  switch (agent) {
    case "claude-code":
      return new ClaudeCodeFile()
    case "codex":
      return new CodexFile()
    case "pi":
      return new PiFile()
    case "opencode":
      return new OpencodeFile(field(whole, "info"))
    case "gemini-cli":
      return new GeminiCliFile(whole)
  }
}

async function* pieces(text: string): AsyncGenerator<string> {
  yield text
}

function problemOf(agent: SessionAgent, value: unknown): string | undefined {
  if (value === undefined) return "not JSON: cut off or damaged"
  if (!isObject(value) || (agent === "opencode" && !isOpencodeMessage(value))) return "not a message"
  return isDeeper(value, DEEPEST) ? `nested more than ${DEEPEST} deep` : undefined
}

/** Goes down level by level, because calling itself is what fails for data that is nested too deeply. */
function isDeeper(value: unknown, most: number): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
  }
  return false
}

function messagesOf({ dialect, messages }: MainThread, unit: string): Imported {
  const options: ImportOptions = {
    at: (index) => `${unit} ${messages[index]?.number}`,
    readText: (text, { message, isResult }) =>
      messages[message]?.isOwn ? [{ text, synthetic: true }] : splitOwnWords(text, isResult),
  }
  const said = messages.map((one) => one.message)
  switch (dialect) {
    case "anthropic":
      return fromAnthropic(said, options)
    case "openai":
      return fromOpenAI(said, options)
    case "gemini":
      return fromGemini(said, options)
  }
}

function isSynthetic(part: Message["parts"][number]): boolean {
  return part.type === "text" && part.synthetic === true
}
