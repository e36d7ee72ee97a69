import { type Capabilities, capabilitiesOf } from "../capabilities.js"
import { field, listField, type Problem, stringField } from "../dialect.js"
import { Problems } from "../problems.js"
import { isCheckable, prefixSignatures } from "./signature.js"
import { checkToolChanges } from "./tool-changes.js"

/** What the Messages API would refuse about a body, in its own words as far as they are known. */
export function validate(body: unknown): readonly Problem[] {
  const problems = new Problems()
  const model = stringField(body, "model")
  if (model === undefined) problems.add("model", "model: Field required")
  const maxTokens = field(body, "max_tokens")
  if (!(Number.isInteger(maxTokens) && Number(maxTokens) >= 1))
    problems.add("max_tokens", "max_tokens: Field required")
  checkTools(body, problems)
  checkSystem(body, problems)
  checkMessages(body, model ?? "", problems)
  checkToolChanges(body, problems)
  checkThinking(body, model ?? "", problems)
  checkMarkers(body, problems)
  return problems.list
}

function checkTools(body: unknown, problems: Problems): void {
  const names = new Set<string>()
  listField(body, "tools").forEach((tool, i) => {
    const path = `tools.${i}`
    const name = stringField(tool, "name") ?? ""
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      problems.add(`${path}.name`, `${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (names.has(name)) problems.add(path, "tools: Tool names must be unique.")
    names.add(name)
    // Tools that the provider runs or defines have a type of their own and no schema.
    const isOwn = ["custom", undefined].includes(stringField(tool, "type"))
    if (isOwn && stringField(field(tool, "input_schema"), "type") !== "object")
      problems.add(`${path}.input_schema`, `${path}.input_schema.type: Input should be 'object'`)
  })
  const choice = stringField(field(body, "tool_choice"), "type")
  if (choice === undefined) return
  if (!["auto", "any", "tool", "none"].includes(choice))
    problems.add("tool_choice", `tool_choice: unknown type '${choice}'`)
  if (names.size === 0)
    problems.add("tool_choice", "tool_choice may only be specified while providing tools.")
  const model = stringField(body, "model") ?? ""
  if (capabilitiesOf(model).tiedReasoning && (choice === "any" || choice === "tool"))
    problems.add(
      "tool_choice",
      "Thinking may not be disabled on this model, and tool_choice forces tool use.",
    )
}

function checkSystem(body: unknown, problems: Problems): void {
  listField(body, "system").forEach((block, i) => {
    if ((stringField(block, "text") ?? "") === "")
      problems.add(`system.${i}`, "system: text content blocks must be non-empty")
  })
}

/** A turn of the conversation: messages of one role that follow each other count as one, as the API merges them. */
interface TurnSeen {
  readonly role: string | undefined
  readonly content: readonly unknown[]
  readonly path: string
}

function turnsOf(body: unknown): readonly TurnSeen[] {
  const turns: TurnSeen[] = []
  listField(body, "messages").forEach((message, i) => {
    const role = stringField(message, "role")
    const content = listField(message, "content")
    const before = turns.at(-1)
    if (before !== undefined && before.role === role)
      turns[turns.length - 1] = { ...before, content: [...before.content, ...content] }
    else turns.push({ role, content, path: `messages.${i}` })
  })
  return turns
}

function checkMessages(body: unknown, model: string, problems: Problems): void {
  const messages = listField(body, "messages")
  if (messages.length === 0) problems.add("messages", "messages: at least one message is required")
  messages.forEach((message, i) => {
    checkContent(message, `messages.${i}`, problems)
  })
  const turns = turnsOf(body)
  const seenCalls = new Set<string>()
  turns.forEach((turn, i) =>
    checkTurn(turn, turns[i - 1], turns[i + 1], capabilitiesOf(model), seenCalls, problems),
  )
  const last = turns.at(-1)
  if (last?.role === "assistant" && !capabilitiesOf(model).prefill)
    problems.add(
      last.path,
      "This model does not support assistant message prefill. The conversation must end with a user message.",
      "assistant-text",
    )
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

function checkContent(message: unknown, path: string, problems: Problems): void {
  const content = field(message, "content")
  const empty = `${path}: all messages must have non-empty content except for the optional final assistant message`
  if (typeof content === "string") {
    if (content === "") problems.add(path, empty)
    return
  }
  const blocks = listField(message, "content")
  if (blocks.length === 0) problems.add(path, empty)
  const check = (block: unknown, at: string) => {
    const text = stringField(block, "text")
    if (stringField(block, "type") === "text" && (text ?? "").trim() === "")
      problems.add(at, `${at}: text content blocks must contain non-whitespace text`)
    const source = field(block, "source")
    if (
      source !== undefined &&
      (stringField(source, "data") ?? "") === "" &&
      stringField(source, "type") === "base64"
    )
      problems.add(at, `${at}.source.data: data cannot be empty`)
  }
  blocks.forEach((block, i) => {
    check(block, `${path}.content.${i}`)
    listField(block, "content").forEach((inner, j) => {
      check(inner, `${path}.content.${i}.content.${j}`)
    })
  })
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

/** Thinking needs its signature, and on newer models the very conversation it was signed in. */
function checkThinking(body: unknown, model: string, problems: Problems): void {
  const { tiedReasoning } = capabilitiesOf(model)
  if (tiedReasoning && stringField(field(body, "thinking"), "type") === "disabled")
    problems.add("thinking", "thinking: thinking cannot be disabled on this model")
  const tolerated = stringField(body, "prefix_mismatch_behavior") === "drop"
  const expected = prefixSignatures(body)
  listField(body, "messages").forEach((message, i) => {
    listField(message, "content").forEach((block, j) => {
      if (stringField(block, "type") !== "thinking") return
      const path = `messages.${i}.content.${j}`
      const signature = stringField(block, "signature") ?? ""
      if (signature === "") problems.add(path, `${path}.signature: Field required`)
      else if (tiedReasoning && !tolerated && isCheckable(signature) && signature !== expected(i))
        problems.add(
          path,
          `${path}: Invalid \`signature\` in \`thinking\` block: the conversation before it is not the one it was created in`,
        )
    })
  })
}

function checkMarkers(body: unknown, problems: Problems): void {
  const blocks = [
    ...listField(body, "tools"),
    ...listField(body, "system"),
    ...listField(body, "messages").flatMap((message) =>
      listField(message, "content").flatMap((block) => [block, ...listField(block, "content")]),
    ),
  ]
  const marked = blocks.filter((block) => field(block, "cache_control") !== undefined)
  if (marked.length > 4)
    problems.add(
      "cache_control",
      `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`,
    )
  if (marked.some((block) => stringField(block, "type") === "thinking"))
    problems.add("cache_control", "thinking blocks cannot have cache_control")
}

function callIds(turn: TurnSeen): readonly string[] {
  return idsOf(turn, "tool_use", "id")
}

function idsOf({ content }: TurnSeen, type: string, name: string): readonly string[] {
  return content.flatMap((block) =>
    stringField(block, "type") === type ? [stringField(block, name) ?? ""] : [],
  )
}
