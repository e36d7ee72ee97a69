import { field, listField, type Problem, stringField } from "../dialect.js"
import { Problems } from "../problems.js"
import { mayReason } from "./family.js"
import { checkInputReasoning } from "./reasoning.js"
import {
  checkCacheKey,
  checkCalled,
  checkFile,
  checkImage,
  checkLength,
  checkNotEmpty,
  checkTools,
  missing,
  unsupported,
} from "./rules.js"
import { LONGEST_CALL_ID } from "./write.js"

/** What the Responses API would refuse about a body, in its own words as far as they are known. */
export function validate(body: unknown): readonly Problem[] {
  const problems = new Problems()
  const model = stringField(body, "model")
  if (model === undefined) missing("model", problems)
  checkTools(body, undefined, problems)
  checkParameters(body, model ?? "", problems)
  const input = field(body, "input")
  if (typeof input === "string") return problems.list
  if (!Array.isArray(input)) missing("input", problems)
  else checkInput(input, problems)
  checkInputReasoning(body, problems)
  return problems.list
}

function checkParameters(body: unknown, model: string, problems: Problems): void {
  const most = field(body, "max_output_tokens")
  if (typeof most === "number" && most < 16)
    problems.add(
      "max_output_tokens",
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`,
    )
  if (listField(body, "include").includes("reasoning.encrypted_content") && !mayReason(model))
    problems.add("include", "Encrypted content is not supported with this model.")
  checkCacheKey(body, problems)
}

/** Items that the API knows and Sotto sends back without looking into them. */
const OTHER_ITEMS =
  /^(item_reference|compaction|mcp_\w+|\w+_call|\w+_call_output|tool_search_output|program|program_output)$/

function checkInput(items: readonly unknown[], problems: Problems): void {
  checkNotEmpty(items, "input", problems)
  const called = new Set<string>()
  const answered = new Set<string>()
  items.forEach((item, i) => {
    const path = `input.${i}`
    const type = stringField(item, "type") ?? (field(item, "role") === undefined ? undefined : "message")
    const id = stringField(item, "call_id")
    switch (type) {
      case "message":
        return checkMessage(item, path, problems)
      case "reasoning":
        return
      case "function_call":
        checkCalled(item, path, problems)
        if (id === undefined) return missing(`${path}.call_id`, problems)
        checkLength(id, LONGEST_CALL_ID.responses, `${path}.call_id`, problems)
        if (called.has(id)) problems.add(path, `Duplicate function call found with call_id ${id}.`)
        called.add(id)
        return
      case "function_call_output":
        if (id === undefined) return missing(`${path}.call_id`, problems)
        if (!called.has(id))
          problems.add(path, `No tool call found for function call output with call_id ${id}.`)
        if (answered.has(id)) problems.add(path, `Duplicate function call output found with call_id ${id}.`)
        answered.add(id)
        return checkContent(field(item, "output"), ANY_INPUT, `${path}.output`, problems)
      default:
        if (type === undefined || !OTHER_ITEMS.test(type))
          unsupported(
            `${path}.type`,
            type,
            ["message", "reasoning", "function_call", "function_call_output"],
            problems,
          )
    }
  })
  for (const id of called)
    if (!answered.has(id)) problems.add("input", `No tool output found for function call ${id}.`)
}

const ANY_INPUT = ["input_text", "input_image", "input_file"]

const FOR_ROLE: Readonly<Record<string, readonly string[]>> = {
  user: ANY_INPUT,
  developer: ["input_text"],
  system: ["input_text"],
  assistant: ["output_text", "refusal"],
}

function checkMessage(message: unknown, path: string, problems: Problems): void {
  const role = stringField(message, "role")
  const allowed = FOR_ROLE[role ?? ""]
  if (allowed === undefined) unsupported(`${path}.role`, role, Object.keys(FOR_ROLE), problems)
  else checkContent(field(message, "content"), allowed, `${path}.content`, problems)
}

function checkContent(content: unknown, allowed: readonly string[], path: string, problems: Problems): void {
  if (typeof content === "string") return
  if (Array.isArray(content)) {
    checkNotEmpty(content, path, problems)
    content.forEach((part, i) => checkPart(part, allowed, `${path}.${i}`, problems))
  } else missing(path, problems)
}

function checkPart(part: unknown, allowed: readonly string[], path: string, problems: Problems): void {
  const type = stringField(part, "type")
  const text = type === "refusal" ? "refusal" : "text"
  if (type === undefined || !allowed.includes(type)) unsupported(path, type, allowed, problems)
  else if (type === "input_image") checkImage(stringField(part, "image_url"), `${path}.image_url`, problems)
  else if (type === "input_file") checkFile(part, path, problems)
  else if (stringField(part, text) === undefined) missing(`${path}.${text}`, problems)
}
