import { capabilitiesOf } from "../../vocabulary/capabilities.js"
import { field, isWord, listField, stringField } from "../../vocabulary/fields.js"
import type { Problem } from "../dialect.js"
import { checkUnicode } from "../lone-surrogates.js"
import { isOpenAis, mayReason } from "../openai/family.js"
import { checkKnown, checkSampling, checkSaysJson } from "../openai/parameters.js"
import { checkRanges } from "../openai/ranges.js"
import {
  apiPath,
  checkCacheKey,
  checkCalled,
  checkFile,
  checkImage,
  checkLength,
  checkNotEmpty,
  missing,
  unknown,
  unsupported,
} from "../openai/rules.js"
import { checkAnswerSchema } from "../openai/strict.js"
import { checkChatTools } from "../openai/tools.js"
import { LONGEST_CALL_ID } from "../openai/write.js"
import { Problems } from "../problems.js"

/** Lists what the Chat Completions API, or a server compatible with it, would refuse about a body. */
export function validate(body: unknown): readonly Problem[] {
  const problems = new Problems()
  checkUnicode(body, "We could not parse the JSON body of your request.", problems)
  const model = stringField(body, "model")
  if (model === undefined) problems.add("model", "you must provide a model parameter")
  checkChatTools(body, problems)
  checkParameters(body, model ?? "", problems)
  const messages = field(body, "messages")
  if (!Array.isArray(messages)) missing("messages", problems)
  else checkMessages(messages, model ?? "", problems)
  checkKnown(body, "chat", model ?? "", problems)
  return problems.list
}

function checkParameters(body: unknown, model: string, problems: Problems): void {
  checkRanges(body, model, problems)
  if (typeof field(body, "max_tokens") === "number" && isOpenAis(model) && mayReason(model))
    problems.add(
      "max_tokens",
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    )
  if ((field(body, "stream_options") ?? undefined) !== undefined && field(body, "stream") !== true)
    problems.add("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
  checkCacheKey(body, problems)
  checkSampling(body, "chat", model, problems)
  const format = field(body, "response_format")
  checkAnswerSchema(format, "response_format", problems)
  if (isOpenAis(model))
    checkSaysJson(
      format,
      listField(body, "messages").map((message) => field(message, "content")),
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      "messages",
      problems,
    )
}

function checkMessages(messages: readonly unknown[], model: string, problems: Problems): void {
  checkNotEmpty(messages, "messages", problems)
  const { systemMessages } = capabilitiesOf(model)
  const seen = new Set<string>()
  messages.forEach((message, i) => {
    const path = `messages.${i}`
    const role = stringField(message, "role")
    checkContent(message, role, path, problems)
    switch (role) {
      case "system":
      case "developer":
        if (i > 0 && !systemMessages)
          problems.add(path, "System message must be at the beginning.", "system-message")
        return
      case "user":
        return
      case "assistant":
        checkCalls(message, path, seen, problems)
        return checkAnswered(messages, i, problems)
      case "tool":
        return checkAnswer(messages, i, problems)
      case "function":
        return stringField(message, "name") === undefined ? missing(`${path}.name`, problems) : undefined
      default:
        unsupported(`${path}.role`, role, ["system", "assistant", "user", "tool", "developer"], problems)
    }
  })
}

function checkCalls(message: unknown, path: string, seen: Set<string>, problems: Problems): void {
  if ((field(message, "tool_calls") ?? undefined) === undefined) return
  const calls = listField(message, "tool_calls")
  checkNotEmpty(calls, `${path}.tool_calls`, problems)
  calls.forEach((call, i) => {
    const at = `${path}.tool_calls.${i}`
    const id = stringField(call, "id")
    if (id === undefined) return missing(`${at}.id`, problems)
    checkLength(id, LONGEST_CALL_ID.chat, `${at}.id`, problems)
    if (seen.has(id)) problems.add(`${at}.id`, `Duplicate value for 'tool_call_id': '${id}'.`)
    seen.add(id)
    const type = stringField(call, "type")
    if (type === "function") checkCalled(field(call, "function"), `${at}.function`, problems)
    else if (type !== "custom") unknown(`${at}.type`, type, ["function", "custom"], problems)
    else if (stringField(field(call, "custom"), "name") === undefined) missing(`${at}.custom.name`, problems)
  })
}

/** Lists the tool messages directly after a message. */
function answersTo(messages: readonly unknown[], index: number): readonly unknown[] {
  const after = messages.slice(index + 1)
  const end = after.findIndex((message) => stringField(message, "role") !== "tool")
  return end < 0 ? after : after.slice(0, end)
}

function checkAnswered(messages: readonly unknown[], index: number, problems: Problems): void {
  const answered = answersTo(messages, index).map((message) => stringField(message, "tool_call_id"))
  const open = callIds(messages[index]).filter((id) => !answered.includes(id))
  if (open.length > 0)
    problems.add(
      `messages.${index}`,
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
    )
}

function checkAnswer(messages: readonly unknown[], index: number, problems: Problems): void {
  const path = `messages.${index}`
  const caller = messages.findLastIndex((message, i) => i < index && stringField(message, "role") !== "tool")
  const id = stringField(messages[index], "tool_call_id")
  const called = callIds(messages[caller])
  if (id === undefined) missing(`${path}.tool_call_id`, problems)
  else if (called.length === 0)
    problems.add(
      path,
      "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    )
  else if (!called.includes(id))
    problems.add(
      path,
      `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
    )
  else if (messages.slice(caller + 1, index).some((message) => stringField(message, "tool_call_id") === id))
    problems.add(path, `Duplicate value for 'tool_call_id': '${id}'.`)
}

function callIds(message: unknown): readonly string[] {
  return listField(message, "tool_calls").map((call) => stringField(call, "id") ?? "")
}

const FOR_ROLE: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
}

function checkContent(message: unknown, role: string | undefined, path: string, problems: Problems): void {
  const content = field(message, "content")
  if (typeof content === "string") return
  const isSilent = content === undefined || content === null
  const says = ["function_call", "refusal", "audio"].some(
    (name) => (field(message, name) ?? undefined) !== undefined,
  )
  if (isSilent && role === "function") return
  if (isSilent && role !== "assistant") missing(`${path}.content`, problems)
  else if (isSilent && callIds(message).length === 0 && !says)
    problems.add(path, "Invalid assistant message: content or tool_calls must be set")
  else if (!isSilent) {
    const parts = listField(message, "content")
    checkNotEmpty(parts, `${path}.content`, problems)
    parts.forEach((part, i) => checkPart(part, role ?? "", `${path}.content.${i}`, problems))
  }
}

function checkPart(part: unknown, role: string, path: string, problems: Problems): void {
  const type = stringField(part, "type")
  const allowed = (isWord(role) && FOR_ROLE[role]) || ["text"]
  if (type === "image_url" && role !== "user")
    problems.add(
      path,
      `Invalid '${apiPath(path)}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
    )
  else if (type === undefined || !allowed.includes(type)) unsupported(path, type, allowed, problems)
  else if (type === "image_url")
    checkImage(stringField(field(part, "image_url"), "url"), `${path}.image_url.url`, problems)
  else if (type === "input_audio") {
    if (stringField(field(part, "input_audio"), "data") === undefined)
      missing(`${path}.input_audio.data`, problems)
  } else if (type === "file") checkFile(field(part, "file"), `${path}.file`, problems)
  else if (stringField(part, type) === undefined) missing(`${path}.${type}`, problems)
}
