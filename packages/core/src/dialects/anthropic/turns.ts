import { type Capabilities, capabilitiesOf } from "../../vocabulary/capabilities.js"
import { field, isWord, listField, stringField } from "../../vocabulary/fields.js"
import { isBase64 } from "../base64.js"
import type { Problems } from "../problems.js"

/** A turn of the conversation: messages of one role that follow each other count as one, as the API merges them. */
interface TurnSeen {
  readonly role: string | undefined
  readonly content: readonly unknown[]
  readonly path: string
}

/** Lists the blocks of a message. A text by itself stands for a list with one block of text. */
function blocksIn(message: unknown): readonly unknown[] {
  const text = stringField(message, "content")
  return text === undefined ? listField(message, "content") : [{ type: "text", text }]
}

function turnsOf(body: unknown): readonly TurnSeen[] {
  const turns: TurnSeen[] = []
  listField(body, "messages").forEach((message, i) => {
    const role = stringField(message, "role")
    const content = blocksIn(message)
    const before = turns.at(-1)
    if (before !== undefined && before.role === role)
      turns[turns.length - 1] = { ...before, content: [...before.content, ...content] }
    else turns.push({ role, content, path: `messages.${i}` })
  })
  return turns
}

export function checkMessages(body: unknown, model: string, problems: Problems): void {
  const messages = listField(body, "messages")
  if (messages.length === 0) problems.add("messages", "messages: at least one message is required")
  messages.forEach((message, i) => {
    checkContent(message, `messages.${i}`, i === messages.length - 1, problems)
  })
  const turns = turnsOf(body)
  const seenCalls = new Set<string>()
  turns.forEach((turn, i) =>
    checkTurn(turn, turns[i - 1], turns[i + 1], capabilitiesOf(model), seenCalls, problems),
  )
  const last = turns.at(-1)
  if (last?.role === "assistant") checkPrefill(last, model, problems)
  checkDefined(body, turns, problems)
}

function checkPrefill(last: TurnSeen, model: string, problems: Problems): void {
  const end = last.content.at(-1)
  if (!capabilitiesOf(model).prefill)
    problems.add(
      last.path,
      "This model does not support assistant message prefill. The conversation must end with a user message.",
      "assistant-text",
    )
  else if (/\s$/.test(stringField(end, "text") ?? ""))
    problems.add(last.path, "messages: final assistant content cannot end with trailing whitespace")
}

/** Checks that a conversation that speaks of tools defines some, at the beginning or on the way. */
function checkDefined(body: unknown, turns: readonly TurnSeen[], problems: Problems): void {
  const has = (...types: readonly string[]) =>
    turns.some(({ content }) => content.some((block) => types.includes(stringField(block, "type") ?? "")))
  if (listField(body, "tools").length > 0 || has("tool_addition")) return
  if (has("tool_use", "tool_result"))
    problems.add("tools", "Requests which include `tool_use` or `tool_result` blocks must define tools.")
}

function checkTurn(
  turn: TurnSeen,
  before: TurnSeen | undefined,
  after: TurnSeen | undefined,
  capabilities: Capabilities,
  seenCalls: Set<string>,
  problems: Problems,
): void {
  const { path } = turn
  switch (turn.role) {
    case "user":
      if (before?.role === "system")
        problems.add(
          path,
          `${path}: a user message may not directly follow a system message`,
          "system-message",
        )
      checkResults(turn, before, problems)
      break
    case "system":
      if (!capabilities.systemMessages)
        problems.add(path, "role 'system' is not supported on this model", "system-message")
      else if (before?.role !== "user")
        problems.add(path, `${path}: a system message must directly follow a user turn`, "system-message")
      else if (after !== undefined && after.role !== "assistant")
        problems.add(
          path,
          `${path}: a system message must be last or precede an assistant turn`,
          "system-message",
        )
      break
    case "assistant":
      if (before === undefined) problems.add(path, 'messages: first message must use the "user" role')
      for (const id of callIds(turn)) {
        if (seenCalls.has(id)) problems.add(path, `${path}: \`tool_use\` ids must be unique`)
        seenCalls.add(id)
      }
      checkAnswered(turn, after, problems)
      break
    default:
      problems.add(path, `${path}.role: Input should be 'user', 'assistant' or 'system'`)
  }
}

function checkContent(message: unknown, path: string, isLast: boolean, problems: Problems): void {
  const content = field(message, "content")
  const mayBeEmpty = isLast && stringField(message, "role") === "assistant"
  const empty = `${path}: all messages must have non-empty content except for the optional final assistant message`
  if (typeof content === "string") {
    if (content === "" && !mayBeEmpty) problems.add(path, empty)
    return
  }
  const blocks = listField(message, "content")
  if (blocks.length === 0 && !mayBeEmpty) problems.add(path, empty)
  const check = (block: unknown, at: string) => {
    const text = stringField(block, "text")
    if (stringField(block, "type") === "text" && (text ?? "").trim() === "")
      problems.add(at, `${at}: text content blocks must contain non-whitespace text`)
    checkSource(block, at, problems)
  }
  blocks.forEach((block, i) => {
    check(block, `${path}.content.${i}`)
    checkCall(block, stringField(message, "role"), path, i, problems)
    listField(block, "content").forEach((inner, j) => {
      check(inner, `${path}.content.${i}.content.${j}`)
    })
  })
}

/** What data of a type may be. The published types list no others. */
const MEDIA_TYPES: Readonly<Record<string, readonly string[]>> = {
  image: ["image/jpeg", "image/png", "image/gif", "image/webp"],
  document: ["application/pdf"],
}

function checkSource(block: unknown, at: string, problems: Problems): void {
  const source = field(block, "source")
  const type = stringField(block, "type") ?? ""
  if (source === undefined || stringField(source, "type") !== "base64") return
  const data = stringField(source, "data") ?? ""
  if (data === "") problems.add(at, `${at}.source.data: data cannot be empty`)
  else if (!isBase64(data)) problems.add(at, `${at}.${type}.source.base64: invalid base64 data`)
  const types = isWord(type) ? MEDIA_TYPES[type] : undefined
  if (types !== undefined && !types.includes(stringField(source, "media_type") ?? ""))
    problems.add(
      `${at}.source.media_type`,
      `${at}.${type}.source.base64.media_type: Input should be ${listed(types)}`,
    )
}

/** Lists values as the API does: "'a', 'b' or 'c'". */
function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`)
  return [quoted.slice(0, -1).join(", "), ...quoted.slice(-1)].filter(Boolean).join(" or ")
}

const CALL_ID = "^[a-zA-Z0-9_-]+$"
const SPOKEN_BY: Readonly<Record<string, string>> = { tool_use: "assistant", tool_result: "user" }

/** Calls and results stand with the role that makes them, under ids that the API allows. */
function checkCall(
  block: unknown,
  role: string | undefined,
  path: string,
  index: number,
  problems: Problems,
): void {
  const type = stringField(block, "type") ?? ""
  const speaker = SPOKEN_BY[type]
  if (speaker === undefined) return
  const at = `${path}.content.${index}`
  if (role !== speaker) problems.add(at, `${path}: \`${type}\` blocks can only be in \`${speaker}\` messages`)
  const name = type === "tool_use" ? "id" : "tool_use_id"
  const id = stringField(block, name)
  if (id === undefined) problems.add(`${at}.${name}`, `${at}.${type}.${name}: Field required`)
  else if (!new RegExp(CALL_ID).test(id))
    problems.add(`${at}.${name}`, `${at}.${type}.${name}: String should match pattern '${CALL_ID}'`)
  if (type !== "tool_use") return
  const input = field(block, "input")
  if (input === null || typeof input !== "object" || Array.isArray(input))
    problems.add(`${at}.input`, `${at}.tool_use.input: Input should be a valid dictionary`)
}

function checkResults(turn: TurnSeen, before: TurnSeen | undefined, problems: Problems): void {
  const { path } = turn
  const called = new Set(before?.role === "assistant" ? callIds(before) : [])
  const seen = new Set<string>()
  for (const id of idsOf(turn, "tool_result", "tool_use_id")) {
    if (!called.has(id))
      problems.add(
        path,
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    if (seen.has(id))
      problems.add(
        path,
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      )
    seen.add(id)
  }
}

/** Results come first in the turn after their calls: text before one counts as no result at all. */
function checkAnswered(turn: TurnSeen, next: TurnSeen | undefined, problems: Problems): void {
  const blocks = next?.role === "user" ? next.content : []
  const firstOther = blocks.findIndex((block) => stringField(block, "type") !== "tool_result")
  const leading = firstOther < 0 ? blocks : blocks.slice(0, firstOther)
  const answered = new Set(leading.map((block) => stringField(block, "tool_use_id")))
  const missing = callIds(turn).filter((id) => !answered.has(id))
  if (missing.length > 0)
    problems.add(
      turn.path,
      `${turn.path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    )
}

function callIds(turn: TurnSeen): readonly string[] {
  return idsOf(turn, "tool_use", "id")
}

function idsOf({ content }: TurnSeen, type: string, name: string): readonly string[] {
  return content.flatMap((block) =>
    stringField(block, "type") === type ? [stringField(block, name) ?? ""] : [],
  )
}
