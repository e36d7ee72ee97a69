import { field, stringField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"
import {
  checkCalled,
  checkFile,
  checkImage,
  checkLength,
  checkNotEmpty,
  missing,
  unknown,
  unsupported,
} from "./rules.js"
import { LONGEST_CALL_ID } from "./write.js"

/** Calls that the client carries out: each is answered once, by an item of its own type. */
const ANSWERED: Readonly<Record<string, string>> = {
  function_call: "function call",
  custom_tool_call: "custom tool call",
  shell_call: "shell call",
  apply_patch_call: "apply patch call",
  computer_call: "computer call",
}

/** Further items that the API publishes. Their insides are the provider's business. */
const OTHER_ITEMS =
  "reasoning item_reference compaction compaction_summary compaction_trigger context_compaction additional_tools file_search_call web_search_call image_generation_call code_interpreter_call local_shell_call local_shell_call_output tool_search_call tool_search_output mcp_list_tools mcp_approval_request mcp_approval_response mcp_call program program_output".split(
    " ",
  )

/** Checks the items of the input. `isContinued`: the server knows more of the conversation than the body shows. */
export function checkInput(items: readonly unknown[], isContinued: boolean, problems: Problems): void {
  if (!isContinued) checkNotEmpty(items, "input", problems)
  const pairs = new Pairs(isContinued || items.some(isReference), problems)
  items.forEach((item, i) => checkItem(item, `input.${i}`, pairs, problems))
  pairs.end()
}

function checkItem(item: unknown, path: string, pairs: Pairs, problems: Problems): void {
  const type = typeOf(item)
  const id = stringField(item, "call_id")
  if (type === "message") return void checkMessage(item, path, problems)
  if (type === undefined) return void missing(`${path}.type`, problems)
  if (ANSWERED[type] !== undefined) {
    if (type === "function_call") checkCalled(item, path, problems)
    if (id === undefined) return void missing(`${path}.call_id`, problems)
    checkLength(id, LONGEST_CALL_ID.responses, `${path}.call_id`, problems)
    return void pairs.called(type, id, path)
  }
  const call = type.replace(/_output$/, "")
  if (type.endsWith("_output") && ANSWERED[call] !== undefined) {
    if (id === undefined) return void missing(`${path}.call_id`, problems)
    pairs.answered(call, id, path)
    if (type === "function_call_output" || type === "custom_tool_call_output")
      checkContent(field(item, "output"), ANY_INPUT, `${path}.output`, problems)
    return
  }
  const others = [...Object.keys(ANSWERED), ...OTHER_ITEMS]
  if (!OTHER_ITEMS.includes(type)) unknown(`${path}.type`, type, ["message", ...others], problems)
}

function typeOf(item: unknown): string | undefined {
  const type = stringField(item, "type")
  if (type !== undefined) return type
  if (field(item, "role") !== undefined) return "message"
  return stringField(item, "id") === undefined ? undefined : "item_reference"
}

function isReference(item: unknown): boolean {
  return typeOf(item) === "item_reference"
}

/** Which calls were made and which were answered. */
class Pairs {
  readonly #called = new Map<string, Set<string>>()
  readonly #answered = new Map<string, Set<string>>()
  readonly #isContinued: boolean
  readonly #problems: Problems

  constructor(isContinued: boolean, problems: Problems) {
    this.#isContinued = isContinued
    this.#problems = problems
  }

  called(type: string, id: string, path: string): void {
    const calls = idsOf(this.#called, type)
    if (calls.has(id)) this.#problems.add(path, `Duplicate ${ANSWERED[type]} found with call_id ${id}.`)
    calls.add(id)
  }

  answered(type: string, id: string, path: string): void {
    const words = ANSWERED[type]
    const answers = idsOf(this.#answered, type)
    if (!this.#isContinued && !idsOf(this.#called, type).has(id))
      this.#problems.add(path, `No tool call found for ${words} output with call_id ${id}.`)
    if (answers.has(id)) this.#problems.add(path, `Duplicate ${words} output found with call_id ${id}.`)
    answers.add(id)
  }

  end(): void {
    for (const [type, calls] of this.#called)
      for (const id of calls)
        if (!idsOf(this.#answered, type).has(id))
          this.#problems.add("input", `No tool output found for ${ANSWERED[type]} ${id}.`)
  }
}

function idsOf(ids: Map<string, Set<string>>, type: string): Set<string> {
  const found = ids.get(type) ?? new Set()
  ids.set(type, found)
  return found
}

const ANY_INPUT = ["input_text", "input_image", "input_file", "input_audio"]

const ANY_OUTPUT = ["output_text", "refusal"]

const FOR_ROLE: Readonly<Record<string, readonly string[]>> = {
  user: ANY_INPUT,
  developer: ["input_text"],
  system: ["input_text"],
  assistant: ANY_OUTPUT,
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
  if (type === undefined || !allowed.includes(type)) {
    // The published types let developers send more than text, and a list of types grows.
    const isOtherSide = (allowed === ANY_OUTPUT ? ANY_INPUT : ANY_OUTPUT).includes(type ?? "")
    return void (isOtherSide ? unsupported : unknown)(path, type, allowed, problems)
  }
  switch (type) {
    case "input_image":
      if (typeof field(part, "file_id") === "string") return
      return void checkImage(stringField(part, "image_url"), `${path}.image_url`, problems)
    case "input_file":
      return void checkFile(part, path, problems)
    case "input_audio":
      if (field(part, "input_audio") === undefined) missing(`${path}.input_audio`, problems)
      return
    default: {
      const text = type === "refusal" ? "refusal" : "text"
      if (stringField(part, text) === undefined) missing(`${path}.${text}`, problems)
    }
  }
}
