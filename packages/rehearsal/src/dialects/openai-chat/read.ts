import { field, listField } from "@sotto/core/dialect"
import type { ReadConversation } from "../../conversation/conversation.js"
import { ConversationBuilder } from "../../conversation/transcript.js"
import { textAt } from "../../json.js"
import { callables, formatOf, readMessage, textsOf, toolChoice } from "../openai/content.js"

export function read(body: unknown): ReadConversation {
  const transcript = new ConversationBuilder()
  for (const message of listField(body, "messages")) {
    const texts = textsOf(field(message, "content"))
    readMessage(
      textAt(message, "role"),
      texts,
      transcript,
      listField(message, "tool_calls").length || (field(message, "function_call") ? 1 : 0),
    )
  }
  return {
    model: textAt(body, "model"),
    stream: field(body, "stream") === true,
    system: transcript.prompt,
    tools: callables(body),
    searches: false,
    toolChoice: toolChoice(field(body, "tool_choice")),
    reasons: false,
    ...formatOf(field(body, "response_format")),
    groups: transcript.groups(),
  }
}
