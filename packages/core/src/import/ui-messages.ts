import { field, listField, stringField } from "../vocabulary/fields.js"
import type { AssistantPart, ContentPart, ToolResultPart } from "../vocabulary/message.js"
import { kindOf, listIn, mediaAt } from "./content.js"
import { type Imported, Transcript, textPart } from "./transcript.js"

/**
 * Imports UI messages of the AI SDK, as `useChat` keeps them, those of version 4 with `toolInvocations` included. Makes
 * of one assistant message with several steps one message a step, each followed by its results. Never throws: what
 * could not be taken is in `skipped`.
 *
 * @example
 * ```ts
 * session.importMessages(fromUIMessages(chat.messages).messages)
 * ```
 */
export function fromUIMessages(messages: unknown): Imported {
  const into = new Transcript()
  listIn(messages, into, "messages").forEach((message, i) => addMessage(message, into.begin(i), into))
  return into.finish()
}

function addMessage(message: unknown, at: string, into: Transcript): void {
  const given = field(message, "parts")
  const id = field(message, "id")
  const parts = Array.isArray(given) ? given : [{ type: "text", text: field(message, "content") }]
  switch (stringField(message, "role")) {
    case "user":
      into.add(
        "user",
        parts.flatMap((part, i) => contentOf(part, `${at}.parts.${i}`, into)),
        id,
      )
      return
    case "assistant":
      addAssistant(Array.isArray(given) ? parts : [...parts, ...invocations(message)], at, into, id)
      return
    case "system":
      into.skip(at, "the system prompt: it belongs in the agent's `prompt`")
      return
    default:
      into.skip(at, `not a message: ${kindOf(message)}`)
  }
}

/** Lists the calls of a message of version 4, which stand beside its text. */
function invocations(message: unknown): readonly unknown[] {
  return listField(message, "toolInvocations").map((toolInvocation) => ({
    type: "tool-invocation",
    toolInvocation,
  }))
}

function addAssistant(parts: readonly unknown[], at: string, into: Transcript, id: unknown): void {
  let said: AssistantPart[] = []
  let results: ToolResultPart[] = []
  const close = () => {
    into.add("assistant", said, id)
    into.add("tool", results, undefined)
    said = []
    results = []
  }
  parts.forEach((part, i) => {
    const here = `${at}.parts.${i}`
    const tool = toolOf(part)
    if (tool === undefined) {
      // What is said after a call was said in the next step.
      if (said.some(({ type }) => type === "tool-call")) close()
      said.push(...spokenOf(part, here, into))
      return
    }
    if (tool.state === "input-streaming" || tool.state === "partial-call") {
      into.skip(here, "a call that was not sent to its end")
      return
    }
    const call = into.call(tool.id, tool.name, tool.input)
    said.push(call)
    if (tool.output === undefined) return
    results.push(into.answer(call, tool.output, tool.failed))
  })
  close()
}

function spokenOf(part: unknown, at: string, into: Transcript): readonly AssistantPart[] {
  const text = stringField(part, "text") ?? stringField(part, "reasoning") ?? ""
  const type = stringField(part, "type") ?? ""
  if (type === "text") return text.trim() === "" ? [] : [{ type: "text", text }]
  if (type === "reasoning") return text.trim() === "" ? [] : [{ type: "reasoning", text }]
  if (type !== "step-start") into.skip(at, `a part of a kind that is not known here: ${kindOf(part)}`)
  return []
}

interface ToolPart {
  readonly id: unknown
  readonly name: unknown
  readonly input: unknown
  readonly state: string
  readonly output: readonly ContentPart[] | undefined
  readonly failed: boolean
}

function toolOf(part: unknown): ToolPart | undefined {
  const type = stringField(part, "type") ?? ""
  const old = type === "tool-invocation" ? field(part, "toolInvocation") : undefined
  if (old === undefined && !type.startsWith("tool-") && type !== "dynamic-tool") return undefined
  const call = old ?? part
  const state = stringField(call, "state") ?? ""
  const error = stringField(call, "errorText")
  const denied = state === "output-denied" ? "The user did not allow this call." : undefined
  const given = error ?? denied ?? field(call, "output") ?? field(call, "result")
  return {
    id: field(call, "toolCallId"),
    name: field(call, "toolName") ?? type.slice("tool-".length),
    input: field(call, "input") ?? field(call, "args"),
    state,
    output:
      given === undefined ? undefined : textPart(typeof given === "string" ? given : JSON.stringify(given)),
    failed: error !== undefined || denied !== undefined,
  }
}

function contentOf(part: unknown, at: string, into: Transcript): readonly ContentPart[] {
  switch (stringField(part, "type")) {
    case "text":
      return textPart(field(part, "text"))
    case "file":
      return mediaAt(field(part, "url"), into, at, {
        mediaType: field(part, "mediaType") ?? field(part, "mimeType"),
        name: field(part, "filename"),
      })
    default:
      into.skip(at, `a part of a kind that is not known here: ${kindOf(part)}`)
      return []
  }
}
