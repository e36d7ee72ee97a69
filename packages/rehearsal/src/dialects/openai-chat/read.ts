import type { Conversation } from "../../conversation/conversation.js"
import { Transcript } from "../../conversation/transcript.js"
import { field, listAt, textAt } from "../../json.js"
import { functionOf, readMessage, textsOf, toolChoice } from "../openai/content.js"

export function read(body: unknown): Conversation {
  const transcript = new Transcript()
  for (const message of listAt(body, "messages")) {
    const texts = textsOf(field(message, "content"))
    readMessage(textAt(message, "role"), texts, transcript, listAt(message, "tool_calls").length)
  }
  return {
    model: textAt(body, "model"),
    stream: field(body, "stream") === true,
    system: transcript.prompt,
    tools: listAt(body, "tools").map((tool) => functionOf(field(tool, "function"))),
    toolChoice: toolChoice(field(body, "tool_choice")),
    reasons: false,
    groups: transcript.groups(),
  }
}
