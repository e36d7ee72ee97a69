import { field, listField } from "@sotto/core/dialect"
import { canonical } from "@sotto/core/gemini"
import type { OfferedTool, ReadConversation } from "../../conversation/conversation.js"
import { ConversationBuilder } from "../../conversation/transcript.js"
import { schemaOf, textAt } from "../../json.js"
import type { RequestAddress } from "../dialect.js"

/** Reads a request. Its address says the model and whether it streams. */
export function read(written: unknown, { model = "", stream = false }: RequestAddress): ReadConversation {
  const body = canonical(written)
  const transcript = new ConversationBuilder()
  for (const part of listField(field(body, "systemInstruction"), "parts"))
    transcript.system(textAt(part, "text"))
  for (const content of listField(body, "contents")) readContent(content, transcript)
  const thoughts = field(field(field(body, "generationConfig"), "thinkingConfig"), "includeThoughts")
  return {
    model,
    stream,
    system: transcript.prompt,
    tools: listField(body, "tools").flatMap((tool) => listField(tool, "functionDeclarations").map(toolOf)),
    searches: listField(body, "tools").some((tool) => field(tool, "googleSearch") !== undefined),
    toolChoice: toolChoice(textAt(field(field(body, "toolConfig"), "functionCallingConfig"), "mode")),
    reasons: thoughts === true,
    ...formatOf(field(body, "generationConfig")),
    groups: transcript.groups(),
  }
}

function readContent(content: unknown, transcript: ConversationBuilder): void {
  const isModel = textAt(content, "role") === "model"
  for (const part of listField(content, "parts")) {
    const response = field(part, "functionResponse")
    if (isModel) {
      const said = field(part, "thought") === true ? "" : textAt(part, "text")
      transcript.assistant(said, field(part, "functionCall") === undefined ? 0 : 1)
    } else if (response !== undefined) readResponse(field(response, "response"), transcript)
    else transcript.user(field(part, "inlineData") === undefined ? textAt(part, "text") : "[inlineData]")
  }
}

/** Reads a tool's response: any object is one; by custom it has an output or an error. */
function readResponse(response: unknown, transcript: ConversationBuilder): void {
  const output = field(response, "output") ?? field(response, "error") ?? response
  for (const one of Array.isArray(output) ? output : [output])
    transcript.result(typeof one === "string" ? one : JSON.stringify(one))
}

function formatOf(config: unknown): Pick<ReadConversation, "format"> {
  if (textAt(config, "responseMimeType") !== "application/json") return {}
  const schema = field(config, "responseJsonSchema") ?? field(config, "responseSchema")
  return { format: schemaOf(schema) }
}

function toolOf(tool: unknown): OfferedTool {
  const schema = field(tool, "parametersJsonSchema") ?? field(tool, "parameters")
  return { name: textAt(tool, "name"), schema: schemaOf(schema) }
}

function toolChoice(mode: string): ReadConversation["toolChoice"] {
  if (mode === "NONE") return "none"
  return mode === "ANY" ? "required" : "auto"
}
