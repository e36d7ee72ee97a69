import { field, listField, parseInput, stringField } from "../vocabulary/fields.js"
import type { AssistantPart, ContentPart } from "../vocabulary/message.js"
import { kindOf, listIn, mediaAt, mediaPart, textIn } from "./content.js"
import { type Imported, type ImportOptions, Transcript, textPart } from "./transcript.js"

/**
 * Imports what OpenAI's APIs were sent: items of the Responses API, messages of Chat Completions, or a whole body with
 * `input` or `messages`. The system prompt does not come over: it is the agent's `prompt`. Never throws: what could not
 * be taken is in `skipped`.
 *
 * @example
 * ```ts
 * session.importMessages(fromOpenAI(body.input).messages)
 * ```
 */
export function fromOpenAI(input: unknown, options?: ImportOptions): Imported {
  const into = new Transcript(options)
  const text = typeof input === "string" ? input : field(input, "input")
  // In the Responses API a text by itself is what the user says.
  if (typeof text === "string" && !/^\s*[[{]/.test(text)) into.add("user", into.text(text), undefined)
  else
    listIn(typeof text === "string" ? text : input, into, "input", "messages", "items").forEach((item, i) =>
      addItem(item, into.begin(i), into),
    )
  return into.finish()
}

function addItem(item: unknown, at: string, into: Transcript): void {
  const role = stringField(item, "role")
  if (role !== undefined) {
    addMessage(item, role, at, into)
    return
  }
  const called = field(item, "call_id")
  const id = called ?? field(item, "id")
  switch (stringField(item, "type")) {
    case "function_call":
      into.add(
        "assistant",
        [into.call(id, field(item, "name"), argumentsOf(field(item, "arguments")))],
        field(item, "id"),
      )
      return
    case "custom_tool_call":
      into.add(
        "assistant",
        [into.call(id, field(item, "name"), { input: field(item, "input") })],
        field(item, "id"),
      )
      return
    case "local_shell_call":
    case "shell_call":
      into.add("assistant", [into.call(id, "shell", field(item, "action"))], field(item, "id"))
      return
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "shell_call_output": {
      const output = outputOf(field(item, "output"), at, into)
      into.add("tool", [into.result(called, undefined, output, false, at)], field(item, "id"))
      return
    }
    case "reasoning": {
      const text = textIn(field(item, "summary")) || textIn(field(item, "content"))
      into.add("assistant", text === "" ? [] : [{ type: "reasoning", text }], field(item, "id"))
      return
    }
    default:
      into.skip(at, `an item of a kind that is not known here: ${kindOf(item)}`)
  }
}

function addMessage(message: unknown, role: string, at: string, into: Transcript): void {
  const content = field(message, "content")
  const id = field(message, "id")
  switch (role) {
    case "user":
      into.add("user", contentOf(content, at, into), id)
      return
    case "assistant":
      into.add("assistant", assistantParts(message, at, into), id)
      return
    case "tool":
    case "function": {
      const [call, name] = [field(message, "tool_call_id"), field(message, "name")]
      into.add("tool", [into.result(call, name, outputOf(content, at, into), false, at)], id)
      return
    }
    case "system":
    case "developer":
      if (into.isAtFirst) into.skip(at, "the system prompt: it belongs in the agent's `prompt`")
      else into.add("user", textPart(textIn(content), true), id)
      return
    default:
      into.skip(at, `a message of an unknown role: ${JSON.stringify(role)}`)
  }
}

function assistantParts(message: unknown, at: string, into: Transcript): readonly AssistantPart[] {
  const thought = stringField(message, "reasoning_content") ?? stringField(message, "reasoning") ?? ""
  const content = field(message, "content")
  const blocks = Array.isArray(content) ? content : [content]
  const said = blocks.flatMap((block, i): readonly AssistantPart[] => {
    const text =
      typeof block === "string" ? block : (stringField(block, "text") ?? stringField(block, "refusal"))
    if (text !== undefined) return text.trim() === "" ? [] : [{ type: "text", text }]
    if (block !== null && block !== undefined)
      into.skip(`${at}.content.${i}`, `a part of a kind that is not known here: ${kindOf(block)}`)
    return []
  })
  const refusal = stringField(message, "refusal")
  const legacy = field(message, "function_call")
  const calls = [...listField(message, "tool_calls"), ...(legacy ? [{ function: legacy }] : [])]
  return [
    ...(thought.trim() === "" ? [] : [{ type: "reasoning", text: thought } as const]),
    ...said,
    ...(refusal ? [{ type: "text", text: refusal } as const] : []),
    ...calls.map((call) => {
      const called = field(call, "function") ?? field(call, "custom")
      const input = field(called, "arguments") ?? { input: field(called, "input") ?? "" }
      return into.call(field(call, "id"), field(called, "name"), argumentsOf(input))
    }),
  ]
}

function argumentsOf(value: unknown): unknown {
  return typeof value === "string" ? (parseInput(value) ?? { malformed: value }) : value
}

function outputOf(output: unknown, at: string, into: Transcript): readonly ContentPart[] {
  if (typeof output === "string" || Array.isArray(output)) return contentOf(output, at, into, true)
  if (output === undefined || output === null) return []
  return into.text(textIn(output) || JSON.stringify(output), true)
}

function contentOf(content: unknown, at: string, into: Transcript, isResult = false): readonly ContentPart[] {
  const blocks = Array.isArray(content) ? content : [content]
  return blocks.flatMap((block, i): readonly ContentPart[] => {
    const here = `${at}.content.${i}`
    const type = typeof block === "string" ? "text" : stringField(block, "type")
    switch (type) {
      case "text":
      case "input_text":
      case "output_text":
        return into.text(typeof block === "string" ? block : field(block, "text"), isResult)
      case "image_url":
      case "input_image": {
        const image = field(block, "image_url")
        return mediaAt(typeof image === "string" ? image : field(image, "url"), into, here)
      }
      case "file":
      case "input_file": {
        const file = field(block, "file") ?? block
        const name = field(file, "filename")
        const data = stringField(file, "file_data") ?? ""
        if (data !== "" && !data.startsWith("data:"))
          return mediaPart({ mediaType: "application/pdf", data, name }, into, here)
        return mediaAt(data || field(file, "file_url"), into, here, { name })
      }
      default:
        if (block !== null && block !== undefined)
          into.skip(here, `a part of a kind that is not known here: ${kindOf(block)}`)
        return []
    }
  })
}
