import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { ContentPart } from "../../vocabulary/message.js"

/** What a tool that the SDK ran returned, as the session takes it. */
export interface ToolOutcome {
  readonly output: readonly ContentPart[]
  readonly error: boolean
}

/**
 * Finds the outcomes of a step's calls, by the provider's id. Reads them from the messages, where a tool's own
 * `toModelOutput` has had its say; those hold earlier steps too, and the newest outcome of an id is this step's.
 */
export function outcomesOf(step: unknown): ReadonlyMap<string, ToolOutcome> {
  const results = listField(field(step, "response"), "messages")
    .filter((message) => stringField(message, "role") === "tool")
    .flatMap((message) => listField(message, "content"))
    .filter((part) => stringField(part, "type") === "tool-result")
  return new Map(
    results.map((part) => [stringField(part, "toolCallId") ?? "", outcomeOf(field(part, "output"))]),
  )
}

function outcomeOf(output: unknown): ToolOutcome {
  const value = field(output, "value")
  switch (stringField(output, "type")) {
    case "text":
      return { output: text(value), error: false }
    case "error-text":
      return { output: text(value), error: true }
    case "error-json":
      return { output: text(JSON.stringify(value)), error: true }
    case "execution-denied":
      return { output: text(stringField(output, "reason") ?? "Tool call execution denied."), error: true }
    case "content":
      return { output: listField(output, "value").flatMap(itemOf), error: false }
    default:
      return { output: text(JSON.stringify(value)), error: false }
  }
}

function itemOf(item: unknown): readonly ContentPart[] {
  const data = stringField(item, "data")
  const mediaType = stringField(item, "mediaType") ?? ""
  const name = stringField(item, "filename")
  switch (stringField(item, "type")) {
    case "text":
      return text(field(item, "text"))
    case "image-data":
    case "file-data":
    case "media":
      if (data === undefined) return []
      return [
        {
          type: mediaType.startsWith("image/") ? "image" : "file",
          mediaType,
          data,
          ...(name !== undefined && { name }),
        },
      ]
    default:
      // Something that lies elsewhere: the session holds no references, but the model may know what to do with one.
      return text(stringField(item, "url") ?? JSON.stringify(item))
  }
}

function text(value: unknown): readonly ContentPart[] {
  return [{ type: "text", text: String(value ?? "") }]
}
