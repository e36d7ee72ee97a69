import { capabilitiesOf } from "@sotto/core"
import { field, listField } from "@sotto/core/dialect"
import type { OfferedTool, ReadConversation } from "../../conversation/conversation.js"
import { ConversationBuilder } from "../../conversation/transcript.js"
import { schemaOf, textAt } from "../../json.js"

export function read(body: unknown): ReadConversation {
  const transcript = new ConversationBuilder()
  for (const block of blocks(field(body, "system"))) transcript.system(textAt(block, "text"))
  for (const message of listField(body, "messages")) readMessage(message, transcript)
  const model = textAt(body, "model")
  return {
    model,
    stream: field(body, "stream") === true,
    system: transcript.prompt,
    // Only what has a schema is called: the rest is the provider's own, or runs elsewhere.
    tools: listField(body, "tools")
      .filter((tool) => field(tool, "input_schema") !== undefined)
      .map(toolOf),
    searches: listField(body, "tools").some((tool) => textAt(tool, "type").startsWith("web_search_")),
    toolChoice: toolChoice(textAt(field(body, "tool_choice"), "type")),
    reasons:
      capabilitiesOf(model).tiedReasoning ||
      ["enabled", "adaptive"].includes(textAt(field(body, "thinking"), "type")),
    ...formatOf(body),
    groups: transcript.groups(),
  }
}

function readMessage(message: unknown, transcript: ConversationBuilder): void {
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

/** Lists the blocks. A text may stand for a list with one block of text. */
function blocks(content: unknown): readonly unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  return Array.isArray(content) ? content : []
}

function toolOf(tool: unknown): OfferedTool {
  return { name: textAt(tool, "name"), schema: schemaOf(field(tool, "input_schema")) }
}

function formatOf(body: unknown): Pick<ReadConversation, "format"> {
  const format = field(field(body, "output_config"), "format") ?? field(body, "output_format")
  return textAt(format, "type") === "json_schema" ? { format: schemaOf(field(format, "schema")) } : {}
}

function toolChoice(type: string): ReadConversation["toolChoice"] {
  if (type === "none") return "none"
  return type === "any" || type === "tool" ? "required" : "auto"
}
