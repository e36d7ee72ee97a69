import { field, jsonIn, stringField } from "@sotto/core/dialect"
import type { HttpDialectName } from "../call.js"
import { modelIn } from "../segments/dialect.js"
import { elementsOf, type JsonSpan, type Member, membersOf } from "../segments/locate.js"
import type { OriginalRequest } from "./contract.js"

/** A body as text, and where in it the parts stand that may go out differently. */
export interface Sheet {
  readonly text: string
  readonly body: unknown
  readonly dialect: HttpDialectName
  readonly model: string
  readonly tools?: JsonSpan
  readonly system?: JsonSpan
  /** The list of messages, items or contents. */
  readonly list: JsonSpan
  readonly listName: string
  /** The text of each of them. */
  readonly items: readonly string[]
  /** How many of them, at the top, are the system prompt. */
  readonly head: number
}

const LISTS: Readonly<Record<HttpDialectName, string>> = {
  anthropic: "messages",
  openai: "input",
  "openai-chat": "messages",
  gemini: "contents",
}

const SYSTEMS: Readonly<Record<HttpDialectName, readonly string[]>> = {
  anthropic: ["system"],
  openai: ["instructions"],
  "openai-chat": [],
  gemini: ["systemInstruction", "system_instruction"],
}

/** Reads a body; undefined if it cannot be mended. */
export function sheetOf({ dialect, path, body: written }: OriginalRequest): Sheet | undefined {
  const body = jsonIn(written)
  const listName = LISTS[dialect]
  const items = field(body, listName)
  if (!Array.isArray(items) || items.length === 0) return undefined
  // The provider keeps the conversation so far: only what is new stands in the body.
  if (dialect === "openai" && (field(body, "previous_response_id") ?? field(body, "conversation")))
    return undefined
  const members = membersOf(written)
  const names = members.map(({ name }) => name)
  // A name that stands twice, or is written with escapes, is read differently by different parsers.
  if (new Set(names).size !== names.length || names.some((name) => name.includes("\\"))) return undefined
  const list = members.find(({ name }) => name === listName)
  if (list === undefined) return undefined
  const spans = elementsOf(written, list.start)
  if (spans.length !== items.length) return undefined
  const tools = members.find(({ name }) => name === "tools")
  const system = members.find(({ name }) => SYSTEMS[dialect].includes(name))
  return {
    text: written,
    body,
    dialect,
    model: stringField(body, "model") ?? modelIn(path) ?? "",
    list: spanOf(list),
    listName,
    items: spans.map(({ start, end }) => written.slice(start, end)),
    head: headOf(items, dialect, body),
    ...(tools && { tools: spanOf(tools) }),
    ...(system && { system: spanOf(system) }),
  }
}

function spanOf({ start, end }: Member): JsonSpan {
  return { start, end }
}

/** Messages of the harness at the top are the system prompt where no field holds it. */
function headOf(items: readonly unknown[], dialect: HttpDialectName, body: unknown): number {
  if (dialect !== "openai-chat" && !(dialect === "openai" && !stringField(body, "instructions"))) return 0
  const first = items.findIndex((item) => !["system", "developer"].includes(stringField(item, "role") ?? ""))
  return first < 0 ? items.length : first
}

/** Gives the text of a part of the body. */
export function partOf(sheet: Sheet, part: "tools" | "system"): string | undefined {
  const span = sheet[part]
  return span && sheet.text.slice(span.start, span.end)
}

/** Gives the role of anything that a conversation is made of, by what it says of itself. */
export function roleOf(item: unknown, dialect: HttpDialectName): string {
  const role = stringField(item, "role")
  if (role !== undefined) return role === "function" && dialect === "gemini" ? "user" : role
  if (dialect === "gemini") return "user"
  const type = stringField(item, "type") ?? ""
  return type.endsWith("_output") ? "tool" : "assistant"
}

/** True for what the model said or did. */
export function isReply(item: unknown, dialect: HttpDialectName): boolean {
  return ["assistant", "model"].includes(roleOf(item, dialect))
}
