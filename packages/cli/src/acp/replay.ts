import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk"
import type { ContentPart, Message, ToolResultPart } from "@sotto/core"
import { diffOf, toolCallOf } from "./tool-calls.js"
import { endOf, planOf } from "./updates.js"

/** A conversation from before, as it would have been seen while it went on. */
export function replayOf(view: readonly Message[], cwd: string): readonly SessionUpdate[] {
  const results = new Map<string, ToolResultPart>()
  for (const { parts } of view)
    for (const part of parts) if (part.type === "tool-result") results.set(part.callId, part)
  // What was in a file then is not known any more.
  const before = () => undefined
  return view.flatMap(({ id: messageId, role, parts }) =>
    parts.flatMap((part): readonly SessionUpdate[] => {
      switch (part.type) {
        case "text":
        case "image":
        case "file": {
          const sessionUpdate = role === "user" ? "user_message_chunk" : "agent_message_chunk"
          return [{ sessionUpdate, content: blockOf(part), messageId }]
        }
        case "reasoning":
          if (part.text === "") return []
          return [
            {
              sessionUpdate: "agent_thought_chunk",
              content: { type: "text", text: part.text },
              messageId,
            },
          ]
        case "tool-call": {
          const result = results.get(part.id)
          const failed = result === undefined || result.error === true
          if (part.name === "todo_write") return failed ? [] : [planOf(part.input)]
          const diff = diffOf(part, cwd, before)
          const shown = { ...toolCallOf(part, cwd), ...(diff && { content: [diff] }) }
          const output = result === undefined ? "It has no result." : textOf(result.output)
          return [
            { sessionUpdate: "tool_call", ...shown, status: "in_progress" },
            endOf(part, shown, output, failed),
          ]
        }
        case "tool-result":
          return []
      }
    }),
  )
}

function blockOf(part: ContentPart): ContentBlock {
  if (part.type === "text") return { type: "text", text: part.text }
  const { mediaType, data, name } = part
  if (part.type === "image") return { type: "image", mimeType: mediaType, data }
  return { type: "resource", resource: { uri: name ?? "", mimeType: mediaType, blob: data } }
}

function textOf(output: readonly ContentPart[]): string {
  return output.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n")
}
