import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"
import { isOpenSchema } from "./family.js"
import { checkName, checkNotEmpty, missing, unknown, unsupported } from "./rules.js"
import { checkFunctionSchema } from "./strict.js"

/** The types of tools that both of OpenAI's APIs publish. A type that is not among them is newer than this list. */
const RESPONSES_TOOLS =
  "function custom namespace tool_search web_search web_search_2025_08_26 web_search_preview web_search_preview_2025_03_11 file_search code_interpreter computer computer_use computer_use_preview mcp image_generation local_shell shell apply_patch programmatic_tool_calling".split(
    " ",
  )

const CHAT_TOOLS = ["function", "custom"]
const CHOICES = ["none", "auto", "required"]
const NO_TOOLS = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."

/** Checks the tools of a Responses request: functions stand in the list itself, or in a namespace. */
export function checkResponsesTools(body: unknown, problems: Problems): void {
  const isOpen = isOpenSchema(stringField(body, "model") ?? "")
  checkList(listField(body, "tools"), "tools", isOpen, problems)
  const choice = field(body, "tool_choice") ?? undefined
  // Codex brings the tools of newer models along in the conversation: the choice is among those.
  if (listField(body, "input").some((item) => field(item, "type") === "additional_tools")) return
  if (
    choice !== undefined &&
    (field(body, "tools") ?? undefined) === undefined &&
    field(body, "prompt") === undefined
  )
    problems.add("tool_choice", NO_TOOLS)
  else if (choice === "required" && listField(body, "tools").length === 0)
    problems.add("tool_choice", "Tool choice 'required' must be specified with 'tools' parameter.")
  checkChoice(choice, functionsIn(body), problems)
}

function checkList(tools: readonly unknown[], path: string, isOpen: boolean, problems: Problems): void {
  const names = new Set<string>()
  tools.forEach((tool, i) => {
    const at = `${path}.${i}`
    const type = stringField(tool, "type")
    switch (type) {
      case "function":
        return checkFunction(tool, at, names, isOpen, problems)
      case "custom":
        return checkNamed(tool, at, names, problems)
      case "namespace":
        checkNamed(tool, at, names, problems)
        return checkList(listField(tool, "tools"), `${at}.tools`, isOpen, problems)
      default:
        if (!RESPONSES_TOOLS.includes(type ?? "")) unknown(`${at}.type`, type, RESPONSES_TOOLS, problems)
    }
  })
}

/** Checks the tools of a Chat Completions request, `functions` of older clients included. */
export function checkChatTools(body: unknown, problems: Problems): void {
  const tools = field(body, "tools") ?? undefined
  const choice = field(body, "tool_choice") ?? undefined
  if (choice !== undefined && listField(body, "tools").length === 0) problems.add("tool_choice", NO_TOOLS)
  const names = new Set<string>()
  const isOpen = isOpenSchema(stringField(body, "model") ?? "")
  for (const list of ["tools", "functions"] as const)
    if (Array.isArray(field(body, list))) checkNotEmpty(listField(body, list), list, problems)
  listField(body, "functions").forEach((described, i) =>
    checkFunction(described, `functions.${i}`, names, isOpen, problems),
  )
  if (tools === undefined) return
  listField(body, "tools").forEach((tool, i) => {
    const type = stringField(tool, "type")
    if (type === "function" || type === "custom") {
      const path = `tools.${i}.${type}`
      const described = field(tool, type)
      if (described === undefined) missing(path, problems)
      else if (type === "function") checkFunction(described, path, names, isOpen, problems)
      else checkNamed(described, path, names, problems)
    } else unknown(`tools.${i}.type`, type, CHAT_TOOLS, problems)
  })
  checkChoice(choice, names, problems)
}

function checkChoice(choice: unknown, names: ReadonlySet<string>, problems: Problems): void {
  if (typeof choice === "string") {
    if (!CHOICES.includes(choice)) unsupported("tool_choice", choice, CHOICES, problems)
    return
  }
  if (stringField(choice, "type") !== "function") return
  const name = stringField(choice, "name") ?? stringField(field(choice, "function"), "name")
  if (name === undefined) missing("tool_choice.name", problems)
  else if (!names.has(name))
    problems.add("tool_choice", `Tool choice 'function' not found in 'tools' parameter.`)
}

function functionsIn(body: unknown): ReadonlySet<string> {
  const named = (tools: readonly unknown[]): readonly string[] =>
    tools.flatMap((tool) => [
      ...(stringField(tool, "type") === "function" ? [stringField(tool, "name") ?? ""] : []),
      ...named(listField(tool, "tools")),
    ])
  return new Set(named(listField(body, "tools")))
}

function checkFunction(
  described: unknown,
  path: string,
  names: Set<string>,
  isOpen: boolean,
  problems: Problems,
): void {
  checkNamed(described, path, names, problems)
  checkFunctionSchema(described, `${path}.parameters`, isOpen, problems)
}

function checkNamed(described: unknown, path: string, names: Set<string>, problems: Problems): void {
  const name = stringField(described, "name")
  checkName(name, `${path}.name`, problems)
  if (name !== undefined && names.has(name))
    problems.add(`${path}.name`, `Tool names must be unique: '${name}'.`)
  if (name !== undefined) names.add(name)
}
