import type { Attributes } from "@opentelemetry/api"
import type { Reply, Request, ToolCallPart } from "@sotto/core"
import type { Output } from "@sotto/harness/telemetry"
import { finishOf } from "./chat-attributes.js"
import { CONTENT } from "./names.js"
import type { Redactor } from "./parts.js"

/*
 * Content in the shapes of the conventions' JSON schemas, as JSON text. Secrets are taken out of the text of it. Images
 * and documents are named and left out.
 */

type Block = Request["messages"] extends Iterable<infer Message> ? Message : never
type Content = Block["content"][number] | Reply["parts"][number]

/** Collects what a request says: system prompt, tools, and the whole conversation. */
export function inputContent({ pins, messages }: Request, redacting: Redactor): Attributes {
  const tools = pins.tools.map(({ name, description }) => ({ type: "function", name, description }))
  return {
    [CONTENT.system]: json([{ type: "text", content: pins.system }], redacting),
    [CONTENT.tools]: json(tools, redacting),
    [CONTENT.inputs]: json([...messages].flatMap(messageOf), redacting),
  }
}

export function outputContent(reply: Reply, redacting: Redactor): Attributes {
  const message = { role: "assistant", parts: reply.parts.map(partOf), finish_reason: finishOf(reply) }
  return { [CONTENT.outputs]: json([message], redacting) }
}

export function argumentContent({ input }: ToolCallPart, redacting: Redactor): Attributes {
  return { [CONTENT.arguments]: json(input, redacting) }
}

export function resultContent({ content }: Output, redacting: Redactor): Attributes {
  const text = typeof content === "string" ? content : content.map((part) => partOf(part))
  return { [CONTENT.result]: typeof text === "string" ? redacting(text) : json(text, redacting) }
}

/** Writes a message. Tool results are messages of their own in the conventions. */
function messageOf({ role, content }: Block): readonly object[] {
  const parts = (content as readonly Content[]).map((block) => ({ part: partOf(block), block }))
  const results = parts.filter(({ block }) => block.type === "tool-result")
  const rest = parts.filter(({ block }) => block.type !== "tool-result")
  return [
    ...(results.length > 0 ? [{ role: "tool", parts: results.map(({ part }) => part) }] : []),
    ...(rest.length > 0 ? [{ role, parts: rest.map(({ part }) => part) }] : []),
  ]
}

function partOf(block: Content): object {
  switch (block.type) {
    case "text":
      return { type: "text", content: block.text }
    case "reasoning":
      return { type: "reasoning", content: block.text }
    case "tool-call":
      return { type: "tool_call", id: block.id, name: block.name, arguments: block.input }
    case "tool-result":
      return { type: "tool_call_response", id: block.callId, response: block.content.map(partOf) }
    case "image":
    case "file":
      return { type: block.type, mime_type: block.mediaType }
    default:
      return { type: block.type }
  }
}

/** Redacts before it writes JSON, because a secret may hold characters that JSON escapes. */
function json(value: unknown, redacting: Redactor): string {
  return JSON.stringify(value, (_, one) => (typeof one === "string" ? redacting(one) : one))
}
