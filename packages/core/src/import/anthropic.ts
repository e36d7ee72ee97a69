import { field, listField, stringField } from "../vocabulary/fields.js"
import type { AssistantPart, ContentPart, ToolResultPart } from "../vocabulary/message.js"
import { kindOf, listIn, mediaAt, mediaPart, textIn } from "./content.js"
import { type Imported, type ImportOptions, Transcript, textPart } from "./transcript.js"

/**
 * Messages of Anthropic's Messages API: the list, or a whole body with `messages`. The system prompt does not come over:
 * it is the agent's `prompt`. Never throws: what could not be taken is in `skipped`.
 *
 * @example
 * ```ts run
 * import { createSession } from "@sotto/core"
 * import { fromAnthropic } from "@sotto/core/import"
 *
 * const { messages, skipped } = fromAnthropic([
 *   { role: "user", content: "What is 2 + 2?" },
 *   { role: "assistant", content: [{ type: "text", text: "4" }, { type: "hologram" }] },
 * ])
 * const session = createSession({
 *   agents: [{ name: "build" }],
 *   model: { id: "claude-sonnet-5-5" },
 *   now: () => Date.now(),
 *   newId: () => crypto.randomUUID(),
 * })
 * session.importMessages(messages)
 * console.log(session.view().length, skipped)
 * ```
 */
export function fromAnthropic(messages: unknown, options?: ImportOptions): Imported {
  const into = new Transcript(options)
  listIn(messages, into, "messages").forEach((message, i) => addMessage(message, into.begin(i), into))
  return into.finish()
}

function addMessage(message: unknown, at: string, into: Transcript): void {
  const content = field(message, "content")
  const id = field(message, "id")
  const blocks =
    typeof content === "string" ? [{ type: "text", text: content }] : listField(message, "content")
  switch (stringField(message, "role")) {
    case "user":
      addUser(blocks, at, into, id)
      return
    case "assistant":
      into.add("assistant", assistantParts(blocks, at, into), id)
      return
    case "system":
      if (into.isAtFirst) into.skip(at, "the system prompt: it belongs in the agent's `prompt`")
      else into.add("user", textPart(textIn(content), true), id)
      return
    default:
      into.skip(at, `not a message: ${kindOf(message)}`)
  }
}

function addUser(blocks: readonly unknown[], at: string, into: Transcript, id: unknown): void {
  const results: ToolResultPart[] = []
  const said: ContentPart[] = []
  blocks.forEach((block, i) => {
    const here = `${at}.content.${i}`
    if (stringField(block, "type") !== "tool_result") said.push(...contentOf(block, here, into))
    else {
      const output = outputOf(field(block, "content"), here, into)
      const error = field(block, "is_error") === true
      results.push(into.result(field(block, "tool_use_id"), undefined, output, error, here))
    }
  })
  into.add("user", [...results, ...said], id)
}

function outputOf(content: unknown, at: string, into: Transcript): readonly ContentPart[] {
  if (!Array.isArray(content)) return into.text(textIn(content), true)
  return content.flatMap((block, i) => contentOf(block, `${at}.content.${i}`, into, true))
}

function contentOf(block: unknown, at: string, into: Transcript, isResult = false): readonly ContentPart[] {
  if (typeof block === "string") return into.text(block, isResult)
  const source = field(block, "source")
  const name = field(block, "title")
  switch (stringField(block, "type")) {
    case "text":
      return into.text(field(block, "text"), isResult)
    case "image":
    case "document":
      if (stringField(source, "type") === "text") return textPart(field(source, "data"))
      if (stringField(source, "type") === "content") return textPart(textIn(field(source, "content")))
      if (field(source, "data") !== undefined)
        return mediaPart(
          { mediaType: field(source, "media_type"), data: field(source, "data"), name },
          into,
          at,
        )
      return mediaAt(field(source, "url"), into, at, { name })
    case "search_result":
      return textPart(`${stringField(block, "title") ?? ""}\n${textIn(field(block, "content"))}`)
    default:
      into.skip(at, `a block of a kind that is not known here: ${kindOf(block)}`)
      return []
  }
}

function assistantParts(blocks: readonly unknown[], at: string, into: Transcript): readonly AssistantPart[] {
  return blocks.flatMap((block, i): readonly AssistantPart[] => {
    const text = typeof block === "string" ? block : field(block, "text")
    switch (typeof block === "string" ? "text" : stringField(block, "type")) {
      case "text":
        return typeof text === "string" && text.trim() !== "" ? [{ type: "text", text }] : []
      case "thinking": {
        const signature = stringField(block, "signature")
        const thought = stringField(block, "thinking") ?? ""
        return [{ type: "reasoning", text: thought, ...(signature && { signature }) }]
      }
      case "tool_use":
        return [into.call(field(block, "id"), field(block, "name"), field(block, "input"))]
      case "redacted_thinking":
        into.skip(`${at}.content.${i}`, "thinking that only its provider can read")
        return []
      default:
        into.skip(`${at}.content.${i}`, `a block of a kind that is not known here: ${kindOf(block)}`)
        return []
    }
  })
}
