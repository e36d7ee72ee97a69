import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problem } from "../dialect.js"
import { checkUnicode } from "../lone-surrogates.js"
import { Problems } from "../problems.js"

/** Lists what the SDK, or the provider behind it, would refuse about a prompt, or silently change. */
export function validate(body: unknown): readonly Problem[] {
  const problems = new Problems()
  checkUnicode(body, "A text holds half of a surrogate pair: the provider would refuse it.", problems)
  const messages = listField(body, "messages")
  if (messages.length === 0) problems.add("messages", "messages must not be empty")
  messages.forEach((message, i) => {
    checkContent(message, `messages.${i}`, problems)
    checkPlace(messages, i, problems)
    checkPairs(messages, i, problems)
  })
  if (messages.some((message) => stringField(message, "role") === "system") && !field(body, "system"))
    problems.add(
      "system",
      "Without a system prompt the first system message is moved to the front.",
      "system-message",
    )
  const choice = stringField(body, "toolChoice")
  if (choice !== undefined && choice !== "auto" && choice !== "none")
    problems.add("toolChoice", `toolChoice: Sotto sends "auto" or "none", not "${choice}"`)
  return problems.list
}

function checkContent(message: unknown, path: string, problems: Problems): void {
  const content = field(message, "content")
  const parts = listField(message, "content")
  if (content === "" || (typeof content !== "string" && parts.length === 0))
    problems.add(path, `${path}: the message has no content`)
  parts.forEach((part, i) => {
    const at = `${path}.content.${i}`
    checkText(part, at, problems)
    const output = field(part, "output")
    if (stringField(part, "type") === "tool-result" && output === undefined)
      problems.add(at, `${at}: the tool result has no output`)
    if (field(output, "value") === "") problems.add(at, `${at}: the tool result is empty`)
    if (stringField(output, "type") !== "content") return
    const items = listField(output, "value")
    if (items.length === 0) problems.add(at, `${at}: the tool result is empty`)
    items.forEach((item, j) => {
      checkText(item, `${at}.output.value.${j}`, problems)
    })
  })
}

/** Checks a text. An empty one may still bring a provider's signature back. */
function checkText(part: unknown, at: string, problems: Problems): void {
  const empty = (name: string) => (stringField(part, name) ?? "").trim() === ""
  switch (stringField(part, "type")) {
    case "text":
      if (empty("text") && field(part, "providerOptions") === undefined)
        problems.add(at, `${at}: text must be non-empty`)
      break
    case "file":
    case "image-data":
    case "file-data":
      if (empty("data") || empty("mediaType")) problems.add(at, `${at}: data and media type are required`)
  }
}

function checkPlace(messages: readonly unknown[], index: number, problems: Problems): void {
  const path = `messages.${index}`
  const [before, role, after] = [-1, 0, 1].map((offset) => stringField(messages[index + offset], "role"))
  switch (role) {
    case "user":
      if (before === "system")
        problems.add(
          path,
          `${path}: a user message may not directly follow a system message`,
          "system-message",
        )
      break
    case "assistant":
      if (index === 0) problems.add(path, `${path}: the conversation must begin with a user message`)
      break
    case "tool":
      break
    case "system":
      if (before !== "user" && before !== "tool")
        problems.add(path, `${path}: a system message must directly follow a user turn`, "system-message")
      if (after !== undefined && after !== "assistant")
        problems.add(
          path,
          `${path}: a system message must be last or precede an assistant turn`,
          "system-message",
        )
      break
    default:
      problems.add(
        path,
        `Invalid message role: '${role}'. Must be one of: "system", "user", "assistant", "tool".`,
      )
  }
}

/**
 * Checks that calls and results pair up. The SDK itself refuses a call without a result; a result without its call it
 * lets pass, and the provider does not.
 */
function checkPairs(messages: readonly unknown[], index: number, problems: Problems): void {
  const path = `messages.${index}`
  const answered = idsOf(messages[index], "tool", "tool-result")
  const called = idsOf(messages[index - 1], "assistant", "tool-call")
  const missing = called.filter((id) => !answered.includes(id))
  if (missing.length > 0) problems.add(path, missingResults(missing))
  for (const id of new Set(answered)) {
    if (!called.includes(id)) problems.add(path, `${path}: no call ${id} stands directly before its result`)
    if (answered.indexOf(id) !== answered.lastIndexOf(id))
      problems.add(path, `${path}: the call ${id} has more than one result`)
  }
  const open = idsOf(messages[index], "assistant", "tool-call")
  if (new Set(open).size < open.length) problems.add(path, `${path}: tool call ids must be unique`)
  if (open.length > 0 && index === messages.length - 1) problems.add(path, missingResults(open))
}

function missingResults(ids: readonly string[]): string {
  const many = ids.length > 1
  return `Tool result${many ? "s are" : " is"} missing for tool call${many ? "s" : ""} ${ids.join(", ")}.`
}

/** Calls that the provider ran have their results beside them. */
function idsOf(message: unknown, role: string, type: string): readonly string[] {
  if (stringField(message, "role") !== role) return []
  return listField(message, "content").flatMap((part) =>
    stringField(part, "type") === type && field(part, "providerExecuted") !== true
      ? [stringField(part, "toolCallId") ?? ""]
      : [],
  )
}
