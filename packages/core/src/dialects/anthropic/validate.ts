import { capabilitiesOf } from "../../vocabulary/capabilities.js"
import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problem, Sent } from "../dialect.js"
import { checkUnicode } from "../lone-surrogates.js"
import { Problems } from "../problems.js"
import { checkInputSchema } from "./input-schema.js"
import { checkMarkers } from "./markers.js"
import { checkSampling, checkThinkingConfig } from "./output-limits.js"
import { checkFields, isOwnTool } from "./schema.js"
import { checkThinkingBlocks } from "./thought-blocks.js"
import { checkToolChanges } from "./tool-changes.js"
import { checkMessages } from "./turns.js"

/** Lists what the Messages API would refuse about a body, in its own words as far as they are known. */
export function validate(body: unknown): readonly Problem[] {
  return validateSent(body, {})
}

/** Validates by what else is known of the request: a beta may lift a rule. */
export function validateSent(body: unknown, sent: Sent): readonly Problem[] {
  const problems = new Problems()
  checkUnicode(body, "The request body is not valid JSON: no low surrogate in string", problems)
  const model = stringField(body, "model")
  if (model === undefined) problems.add("model", "model: Field required")
  checkMaximum(field(body, "max_tokens"), problems)
  checkTools(body, problems)
  checkSystem(body, problems)
  checkMessages(body, model ?? "", problems)
  checkToolChanges(body, problems)
  checkThinkingConfig(body, model ?? "", sent, problems)
  checkThinkingBlocks(body, model ?? "", problems)
  checkSampling(body, model ?? "", problems)
  checkMarkers(body, problems)
  checkFields(body, problems)
  return problems.list
}

/** Checks the maximum. Zero tokens warm the cache and write nothing. */
function checkMaximum(maximum: unknown, problems: Problems): void {
  if (maximum === undefined) problems.add("max_tokens", "max_tokens: Field required")
  else if (!Number.isInteger(maximum))
    problems.add("max_tokens", "max_tokens: Input should be a valid integer")
  else if (Number(maximum) < 0)
    problems.add("max_tokens", "max_tokens: Input should be greater than or equal to 0")
}

const NAME = "^[a-zA-Z0-9_-]{1,128}$"

function checkTools(body: unknown, problems: Problems): void {
  const tools = listField(body, "tools")
  const names = new Set<string>()
  tools.forEach((tool, i) => {
    const path = `tools.${i}`
    const name = stringField(tool, "name")
    if (name !== undefined && names.has(name)) problems.add(path, "tools: Tool names must be unique.")
    if (name !== undefined) names.add(name)
    // Tools that the provider defines have a type of their own and no schema, and a set of them has no name.
    if (!isOwnTool(tool)) return
    if (name === undefined) problems.add(`${path}.name`, `${path}.custom.name: Field required`)
    else if (!new RegExp(NAME).test(name))
      problems.add(`${path}.name`, `${path}.custom.name: String should match pattern '${NAME}'`)
    const schema = field(tool, "input_schema")
    if (schema === undefined)
      problems.add(`${path}.input_schema`, `${path}.custom.input_schema: Field required`)
    else if (stringField(schema, "type") !== "object")
      problems.add(`${path}.input_schema`, `${path}.custom.input_schema.type: Input should be 'object'`)
    else checkInputSchema(schema, `${path}.input_schema`, `${path}.custom.input_schema`, problems)
  })
  const choice = stringField(field(body, "tool_choice"), "type")
  if (choice === undefined) return
  if (!["auto", "any", "tool", "none"].includes(choice))
    problems.add(
      "tool_choice",
      `tool_choice: Input tag '${choice}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    )
  if (tools.length === 0)
    problems.add("tool_choice", "tool_choice may only be specified while providing tools.")
  const named = stringField(field(body, "tool_choice"), "name") ?? ""
  if (choice === "tool" && tools.length > 0 && !names.has(named) && tools.every(isOwnTool))
    problems.add("tool_choice", `Tool '${named}' not found in provided tools`)
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
