import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk"
import type { Json } from "@sotto/core"
import { placeOf } from "./file-range.js"

/** A call of the model's, for people to see. */
export interface ShownCall {
  readonly id: string
  readonly name: string
  readonly input: Json
}

export type ToolCall = Omit<Extract<SessionUpdate, { sessionUpdate: "tool_call" }>, "sessionUpdate">

const LONGEST_TITLE = 120

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  write: "edit",
  edit: "edit",
  glob: "search",
  grep: "search",
  bash: "execute",
  fetch: "fetch",
  task: "think",
  todo_write: "think",
  plan_exit: "switch_mode",
}

export function toolCallOf({ id, name, input }: ShownCall, cwd: string): ToolCall {
  return {
    toolCallId: id,
    title: titleOf(name, input),
    name,
    kind: KINDS[name] ?? "other",
    locations: locationsOf(name, input, cwd),
    rawInput: input,
  }
}

/** Shows what a call would change, as the editor shows changes. `before` reads what is in the file now, if anything. */
export function diffOf(
  { name, input }: ShownCall,
  cwd: string,
  before: (absolute: string) => string | undefined,
): ToolCallContent | undefined {
  const path = textIn(input, "path")
  if (path === undefined) return undefined
  const { absolute } = placeOf(path, cwd)
  if (name === "edit") {
    const [oldText, newText] = [textIn(input, "old"), textIn(input, "new")]
    return oldText === undefined || newText === undefined
      ? undefined
      : { type: "diff", path: absolute, oldText, newText }
  }
  const newText = name === "write" ? textIn(input, "content") : undefined
  if (newText === undefined) return undefined
  return { type: "diff", path: absolute, oldText: before(absolute) ?? null, newText }
}

export function outputOf({ name, input }: ShownCall, output: string): ToolCallContent {
  const command = name === "bash" ? textIn(input, "command") : undefined
  return textContent(command === undefined ? output : fenced(`$ ${command}\n${output}`))
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } }
}

function titleOf(name: string, input: Json): string {
  const text = (field: string) => textIn(input, field) ?? "…"
  switch (name) {
    case "read":
    case "write":
    case "edit":
      return short(`${name === "read" ? "Read" : name === "write" ? "Write" : "Edit"} ${text("path")}`)
    case "bash":
      return short(text("command"))
    case "glob":
      return short(`Find ${text("pattern")}`)
    case "grep":
      return short(`Search for ${text("pattern")}`)
    case "fetch":
      return short(`Fetch ${text("url")}`)
    case "task":
      return short(`${text("agent")}: ${text("prompt")}`)
    case "skill":
      return short(`Use the skill ${text("name")}`)
    case "question":
      return short(text("question"))
    case "plan_exit":
      return "Ready to carry out the plan?"
    case "todo_write":
      return "Update the list"
    default:
      return short(`${name} ${JSON.stringify(input)}`)
  }
}

function locationsOf(name: string, input: Json, cwd: string): ToolCallLocation[] {
  const path = name in KINDS ? textIn(input, "path") : undefined
  if (path === undefined) return []
  const line = (input as { readonly offset?: Json }).offset
  return [{ path: placeOf(path, cwd).absolute, ...(typeof line === "number" && { line }) }]
}

export function textIn(input: Json, field: string): string | undefined {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return undefined
  const value = (input as { readonly [key: string]: Json })[field]
  return typeof value === "string" ? value : undefined
}

function short(text: string): string {
  const [first = "", ...more] = text.split("\n")
  if (first.length > LONGEST_TITLE) return `${first.slice(0, LONGEST_TITLE)}…`
  return more.length > 0 ? `${first} …` : first
}

/** Makes the fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}console\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`
}
