import { field, listField } from "@sotto/core/dialect"
import type { OfferedTool, ReadConversation } from "../../conversation/conversation.js"
import type { ConversationBuilder } from "../../conversation/transcript.js"
import { isObject, schemaOf, textAt } from "../../json.js"

/** Lists the texts of a content, which is a text or a list of parts; names what is not text. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === "string") return [content]
  if (!Array.isArray(content)) return []
  return content.map((part) => textAt(part, "text") || textAt(part, "refusal") || `[${textAt(part, "type")}]`)
}

/** Reads a message of either API; only Chat Completions has tool messages. */
export function readMessage(
  role: string,
  texts: readonly string[],
  transcript: ConversationBuilder,
  calls = 0,
): void {
  if (role === "assistant") transcript.assistant(texts.join(""), calls)
  for (const text of texts) {
    if (role === "tool" || role === "function") transcript.result(text)
    else if (role === "system" || role === "developer") transcript.system(text)
    else if (role === "user") transcript.user(text)
  }
}

/** A tool that the client carries out: a function, or one whose input is text. */
export interface Callable extends OfferedTool {
  readonly kind: "function" | "custom"
  /** The namespace that it is defined in, if any. */
  readonly namespace?: string
}

/** Lists the tools of a request that the client carries out. What the provider runs itself is never called here. */
export function callables(body: unknown): readonly Callable[] {
  const legacy = listField(body, "functions").map((one) => callable(one, "function"))
  return [...listField(body, "tools").flatMap((tool) => callablesIn(tool)), ...legacy]
}

function callablesIn(tool: unknown, namespace?: string): readonly Callable[] {
  const kind = textAt(tool, "type")
  if (kind === "namespace")
    return listField(tool, "tools").flatMap((one) => callablesIn(one, textAt(tool, "name")))
  if (kind !== "function" && kind !== "custom") return []
  return [{ ...callable(field(tool, kind) ?? tool, kind), ...(namespace !== undefined && { namespace }) }]
}

function callable(definition: unknown, kind: Callable["kind"]): Callable {
  return { kind, name: textAt(definition, "name"), schema: schemaOf(field(definition, "parameters")) }
}

export function callableNamed(body: unknown, name: string): Callable | undefined {
  return callables(body).find((one) => one.name === name)
}

/** Gives the text that a custom tool is called with: the input's only text, or all of it. */
export function customInput(input: { readonly [key: string]: unknown }): string {
  return typeof input.input === "string" ? input.input : JSON.stringify(input)
}

/** Finds the schema that the answer has to follow, where JSON is asked for. */
export function formatOf(format: unknown): Pick<ReadConversation, "format"> {
  switch (textAt(format, "type")) {
    case "json_schema":
      return { format: schemaOf(field(field(format, "json_schema") ?? format, "schema")) }
    case "json_object":
      return { format: {} }
    default:
      return {}
  }
}

/** Reads the choice of tools. A choice that is an object names the function to call, or the ones allowed. */
export function toolChoice(choice: unknown): ReadConversation["toolChoice"] {
  if (choice === "none") return "none"
  return choice === "required" || isObject(choice) ? "required" : "auto"
}

/** True for OpenAI's own models, which reason out of sight; the older ones not at all. */
export function isOpenAis(model: string): boolean {
  return /^(gpt-(?!oss)|chatgpt|codex|o\d)/.test(model)
}

export function reasonsUnseen(model: string): boolean {
  return isOpenAis(model) && !/^(gpt-[34]|chatgpt)/.test(model)
}
