import { capabilitiesOf } from "../../vocabulary/capabilities.js"
import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"
import { isCheckable, isIssued, isSignedAfter, prefixPrints } from "./signature.js"

const MISMATCH = "prefix_mismatch_behavior"

/** Checks that thinking has its signature, and on newer models the very conversation it was signed in. */
export function checkThinkingBlocks(body: unknown, model: string, problems: Problems): void {
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
