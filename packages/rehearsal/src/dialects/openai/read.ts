import type { Conversation } from "../../conversation/conversation.js"
import { Transcript } from "../../conversation/transcript.js"
import { field, listAt, textAt } from "../../json.js"
import { functionOf, readMessage, reasonsUnseen, textsOf, toolChoice } from "./content.js"

export function read(body: unknown): Conversation {
  const transcript = new Transcript()
  const instructions = textAt(body, "instructions")
  if (instructions !== "") transcript.system(instructions)
  const input = field(body, "input")
  if (typeof input === "string") transcript.user(input)
  for (const item of listAt(body, "input")) readItem(item, transcript)
  const model = textAt(body, "model")
  return {
    model,
    stream: field(body, "stream") === true,
    system: transcript.prompt,
    tools: listAt(body, "tools").map(functionOf),
    toolChoice: toolChoice(field(body, "tool_choice")),
    reasons: reasonsUnseen(model),
    groups: transcript.groups(),
  }
}

function readItem(item: unknown, transcript: Transcript): void {
  switch (textAt(item, "type") || "message") {
    case "message":
      readMessage(textAt(item, "role"), textsOf(field(item, "content")), transcript)
      break
    case "function_call":
      transcript.assistant("", 1)
      break
    case "reasoning":
      transcript.assistant("", 0)
      break
    case "function_call_output":
      for (const text of textsOf(field(item, "output"))) transcript.result(text)
  }
}
