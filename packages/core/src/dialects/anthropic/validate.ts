import { capabilitiesOf } from "../../vocabulary/capabilities.js"
import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problem, Sent } from "../dialect.js"
import { checkUnicode } from "../lone-surrogates.js"
import { Problems } from "../problems.js"
import { checkInputSchema } from "./input-schema.js"
import { checkSampling, checkThinkingConfig } from "./output-limits.js"
import { checkFields, isOwnTool } from "./schema.js"
import { isCheckable, isIssued, isSignedAfter, prefixPrints } from "./signature.js"
import { checkMessages } from "./turns.js"

const MISMATCH = "prefix_mismatch_behavior"

/** Checks that thinking has its signature, and on newer models the very conversation it was signed in. */
function checkThinkingBlocks(body: unknown, model: string, problems: Problems): void {
  const { tiedReasoning } = capabilitiesOf(model)
  const binding = field(field(body, "thinking"), "block_binding")
  const behaviour = stringField(binding, MISMATCH) ?? stringField(body, MISMATCH) ?? "error"
  const tolerated = behaviour !== "error"
  const printBefore = prefixPrints(body)
  listField(body, "messages").forEach((message, i) => {
    listField(message, "content").forEach((block, j) => {
      if (stringField(block, "type") !== "thinking") return
      const path = `messages.${i}.content.${j}`
      const signature = stringField(block, "signature") ?? ""
      if (signature === "") problems.add(path, `${path}.thinking.signature: Field required`)
      else if (isCheckable(signature) && !isIssued(signature, stringField(block, "thinking") ?? ""))
        problems.add(path, `${path}: Invalid \`signature\` in \`thinking\` block`)
      else if (
        tiedReasoning &&
        !tolerated &&
        isCheckable(signature) &&
        !isSignedAfter(signature, printBefore(i))
      )
        problems.add(
          path,
          `${path}: Invalid \`signature\` in \`thinking\` block: the conversation before it is not the one it was created in`,
        )
    })
  })
  checkToolLoop(body, problems)
}

const THOUGHT = ["thinking", "redacted_thinking"]

/**
 * Checks that, with a budget for thinking, the turn of the tool results begins with the thinking that led to the calls.
 */
function checkToolLoop(body: unknown, problems: Problems): void {
  if (stringField(field(body, "thinking"), "type") !== "enabled") return
  const messages = listField(body, "messages")
  const isResult = (block: unknown) => stringField(block, "type") === "tool_result"
  const answers = (message: unknown) => listField(message, "content").some(isResult)
  if (!answers(messages.at(-1))) return
  const opening = messages.findLastIndex(
    (message) => stringField(message, "role") === "user" && !answers(message),
  )
  const first = messages.findIndex(
    (message, i) => i > opening && stringField(message, "role") === "assistant",
  )
  const begins = stringField(listField(messages[first], "content")[0], "type")
  if (begins === undefined || THOUGHT.includes(begins)) return
  const path = `messages.${first}.content.0.type`
  problems.add(
    path,
    `${path}: Expected \`thinking\` or \`redacted_thinking\`, but found \`${begins}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking`,
  )
}

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

/** Checks tools that come and go within the conversation. */
function checkToolChanges(body: unknown, problems: Problems): void {
  const tools = new Set(listField(body, "tools").map((tool) => stringField(tool, "name") ?? ""))
  const known = new Set(tools)
  listField(body, "messages").forEach((message, i) => {
    listField(message, "content").forEach((block, j) => {
      const path = `messages.${i}.content.${j}`
      const type = stringField(block, "type")
      if (type !== "tool_addition" && type !== "tool_removal") return
      if (stringField(message, "role") !== "system")
        problems.add(path, `${path}: ${type} blocks are only permitted in system messages`, "system-message")
      const tool = field(block, "tool")
      // A whole set of an MCP server's tools: only the server knows what is in it.
      if (stringField(tool, "type") === "mcp_toolset_reference") return
      const definition = field(tool, "definition")
      const name = stringField(definition ?? tool, "name") ?? ""
      if (definition === undefined ? !known.has(name) : tools.has(name))
        problems.add(path, `${path}.tool: ${definition ? "already available" : "unknown tool"}: ${name}`)
      known.add(name)
      if (type === "tool_addition") tools.add(name)
      else tools.delete(name)
    })
  })
}

interface Marked {
  readonly path: string
  readonly type: string | undefined
  readonly ttl: string
}

/** Checks the cache breakpoints: how many, on what, and in which order of lifetimes. */
function checkMarkers(body: unknown, problems: Problems): void {
  const marked = [
    ...listField(body, "tools").flatMap((tool, i) => markedAt(tool, `tools.${i}`)),
    ...listField(body, "system").flatMap((block, i) => markedAt(block, `system.${i}`)),
    ...listField(body, "messages").flatMap((message, i) =>
      listField(message, "content").flatMap((block, j) => {
        const path = `messages.${i}.content.${j}`
        const inner = listField(block, "content").flatMap((one, k) => markedAt(one, `${path}.content.${k}`))
        return [...inner, ...markedAt(block, path)]
      }),
    ),
    // The breakpoint that the API itself places takes one of the four, at the very end.
    ...markedAt(body, ""),
  ]
  if (marked.length > 4)
    problems.add(
      "cache_control",
      `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`,
    )
  if (marked.some(({ type }) => type === "thinking" || type === "redacted_thinking"))
    problems.add("cache_control", "thinking blocks cannot have cache_control")
  const short = marked.findIndex(({ ttl }) => ttl === "5m")
  const late = short < 0 ? undefined : marked.slice(short).find(({ ttl }) => ttl === "1h")
  if (late === undefined) return
  const path = `${late.path === "" ? "" : `${late.path}.`}cache_control.ttl`
  problems.add(
    path,
    `${path}: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
  )
}

function markedAt(block: unknown, path: string): readonly Marked[] {
  const marker = field(block, "cache_control") ?? undefined
  if (marker === undefined) return []
  return [{ path, type: stringField(block, "type"), ttl: stringField(marker, "ttl") ?? "5m" }]
}
