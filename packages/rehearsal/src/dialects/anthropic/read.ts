import { capabilitiesOf, type Json } from "@sotto/core"
import type { Conversation, Tool } from "../../conversation/conversation.js"
import { Transcript } from "../../conversation/transcript.js"
import { field, isObject, listAt, textAt } from "../../json.js"

export function read(body: unknown): Conversation {
  const transcript = new Transcript()
  for (const block of blocks(field(body, "system"))) transcript.system(textAt(block, "text"))
  for (const message of listAt(body, "messages")) readMessage(message, transcript)
  const model = textAt(body, "model")
  return {
    model,
    stream: field(body, "stream") === true,
    system: transcript.prompt,
    tools: listAt(body, "tools").map(toolOf),
    toolChoice: toolChoice(textAt(field(body, "tool_choice"), "type")),
    reasons:
      capabilitiesOf(model).tiedReasoning ||
      ["enabled", "adaptive"].includes(textAt(field(body, "thinking"), "type")),
    groups: transcript.groups(),
  }
}

function readMessage(message: unknown, transcript: Transcript): void {
  const content = blocks(field(message, "content"))
  if (textAt(message, "role") === "assistant") {
    const calls = content.filter((block) => textAt(block, "type") === "tool_use").length
    transcript.assistant(content.map((block) => textAt(block, "text")).join(""), calls)
    return
  }
  for (const block of content) {
    if (textAt(message, "role") === "system") transcript.system(textAt(block, "text"))
    else if (textAt(block, "type") !== "tool_result") transcript.user(described(block))
    else for (const inner of blocks(field(block, "content"))) transcript.result(described(inner))
  }
}

function described(block: unknown): string {
  return textAt(block, "type") === "text" ? textAt(block, "text") : `[${textAt(block, "type")}]`
}

/** A text may stand for a list with one block of text. */
function blocks(content: unknown): readonly unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  return Array.isArray(content) ? content : []
}

function toolOf(tool: unknown): Tool {
  const schema = field(tool, "input_schema")
  return { name: textAt(tool, "name"), schema: isObject(schema) ? (schema as { [key: string]: Json }) : {} }
}

function toolChoice(type: string): Conversation["toolChoice"] {
  if (type === "none") return "none"
  return type === "any" || type === "tool" ? "required" : "auto"
}
