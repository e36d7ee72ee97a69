import { field, listField } from "@sotto/core/dialect"
import type { ReadConversation } from "../../conversation/conversation.js"
import { ConversationBuilder } from "../../conversation/transcript.js"
import { textAt } from "../../json.js"
import { callables, formatOf, readMessage, reasonsUnseen, textsOf, toolChoice } from "./content.js"

export function read(body: unknown): ReadConversation {
  const transcript = new ConversationBuilder()
  const instructions = textAt(body, "instructions")
  if (instructions !== "") transcript.system(instructions)
  const input = field(body, "input")
  if (typeof input === "string") transcript.user(input)
  for (const item of listField(body, "input")) readItem(item, transcript)
  const model = textAt(body, "model")
  return {
    model,
    stream: field(body, "stream") === true,
    system: transcript.prompt,
    tools: callables(body),
    searches: listField(body, "tools").some((tool) => textAt(tool, "type").startsWith("web_search")),
    toolChoice: toolChoice(field(body, "tool_choice")),
    reasons: reasonsUnseen(model),
    ...formatOf(field(field(body, "text"), "format")),
    groups: transcript.groups(),
  }
}

function readItem(item: unknown, transcript: ConversationBuilder): void {
  const type = textAt(item, "type") || "message"
  if (type === "message") readMessage(textAt(item, "role"), textsOf(field(item, "content")), transcript)
  else if (CALLS.includes(type)) transcript.assistant("", 1)
  else if (CALLS.includes(type.replace(/_output$/, ""))) readOutput(field(item, "output"), transcript)
  // What the model thought, or did with tools of the provider, belongs to its answer.
  else if (type === "reasoning" || type.endsWith("_call")) transcript.assistant("", 0)
}

/** Calls that the client carries out. */
const CALLS = [
  "function_call",
  "custom_tool_call",
  "shell_call",
  "local_shell_call",
  "apply_patch_call",
  "computer_call",
]

function readOutput(output: unknown, transcript: ConversationBuilder): void {
  const texts = textsOf(output)
  for (const text of texts.length > 0 ? texts : [JSON.stringify(output ?? null)]) transcript.result(text)
}
