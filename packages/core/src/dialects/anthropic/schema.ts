import { field, isWord, listField, stringField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"

/** The fields that the Messages API knows, its betas included. The tests compare them with the official types. */

const BODY = new Set(
  "max_tokens messages model cache_control compaction container context_management diagnostics fallback_credit_token fallbacks inference_geo mcp_servers metadata output_config output_format prefix_mismatch_behavior service_tier speed stop_sequences stream system temperature thinking thread tool_choice tools top_k top_p user_profile_id workspace_id".split(
    " ",
  ),
)

/** Cloud platforms want these in the body; the API itself wants them in headers. */
const OF_PLATFORMS = ["anthropic_version", "anthropic_beta"]

const MESSAGE = ["role", "content", "clear_at", "output_config"]

const words = (text: string) => text.split(" ")

/** Blocks that clients write themselves. What the provider's own tools leave behind goes back as it came. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: words("type text cache_control citations"),
  image: words("type source cache_control transformations"),
  document: words("type source cache_control citations context title"),
  search_result: words("type content source title cache_control citations"),
  thinking: words("type thinking signature"),
  redacted_thinking: words("type data"),
  tool_use: words("type id input name cache_control caller toolset_name"),
  tool_result: words("type tool_use_id content is_error cache_control toolset_name"),
}

const OTHER_BLOCKS =
  /^((server|mcp)_tool_use|\w+_tool_result|container_upload|compaction|tool_(addition|removal|reference)|mcp_tool_listing|browser_state|fallback)$/

const TOOL = words(
  "type name description input_schema cache_control allowed_callers defer_loading eager_input_streaming input_examples strict",
)

const MARKER = ["type", "ttl", "scope"]

/** Tools that the provider defines, by the beginning of their type; a date follows. */
const PROVIDED_TOOL =
  /^((bash|code_execution|computer|browser_toolset|computer_toolset|memory|text_editor|web_search|web_fetch|advisor|tool_search_tool_(bm25|regex))_20\d{6}|tool_search_tool_(bm25|regex)|mcp_toolset)$/

export function isOwnTool(tool: unknown): boolean {
  return (field(tool, "type") ?? "custom") === "custom"
}

/** Fields that no schema of the API has. The API's schemas are closed: one field too many is refused. */
export function checkFields(body: unknown, problems: Problems): void {
  for (const name of Object.keys(body ?? {})) {
    if (BODY.has(name)) continue
    if (OF_PLATFORMS.includes(name))
      problems.note(name, `${name}: only cloud platforms take this in the body`)
    else problems.add(name, extra(name))
  }
  listField(body, "tools").forEach((tool, i) => checkTool(tool, `tools.${i}`, problems))
  listField(body, "system").forEach((block, i) => checkBlock(block, `system.${i}`, problems))
  listField(body, "messages").forEach((message, i) => {
    const path = `messages.${i}`
    only(MESSAGE, message, path, path, problems)
    listField(message, "content").forEach((block, j) => {
      const at = `${path}.content.${j}`
      checkBlock(block, at, problems)
      if (stringField(block, "type") !== "tool_result") return
      listField(block, "content").forEach((inner, k) => checkBlock(inner, `${at}.content.${k}`, problems))
    })
  })
}

function checkTool(tool: unknown, path: string, problems: Problems): void {
  const type = stringField(tool, "type")
  if (isOwnTool(tool)) only(TOOL, tool, path, `${path}.custom`, problems)
  else if (!PROVIDED_TOOL.test(type ?? ""))
    problems.note(
      `${path}.type`,
      `${path}: Input tag '${type}' found using 'type' does not match any of the known tags`,
    )
  checkMarker(tool, path, problems)
}

function checkBlock(block: unknown, path: string, problems: Problems): void {
  const type = stringField(block, "type")
  if (type === undefined) return void problems.add(path, `${path}.type: Field required`)
  const known = isWord(type) ? BLOCKS[type] : undefined
  if (known) {
    // A breakpoint on thinking is refused with words of its own.
    const allowed = type === "thinking" || type === "redacted_thinking" ? [...known, "cache_control"] : known
    only(allowed, block, path, `${path}.${type}`, problems)
  } else if (!OTHER_BLOCKS.test(type))
    problems.note(
      path,
      `${path}: Input tag '${type}' found using 'type' does not match any of the known tags`,
    )
  checkCitations(block, path, problems)
  checkMarker(block, path, problems)
}

/** Checks that what quotes a search brings the API's own proof of it. */
function checkCitations(block: unknown, path: string, problems: Problems): void {
  listField(block, "citations").forEach((citation, i) => {
    if (stringField(citation, "type") !== "web_search_result_location") return
    for (const name of ["encrypted_index", "url", "cited_text"]) {
      const at = `${path}.text.citations.${i}.web_search_result_location.${name}`
      if (stringField(citation, name) === undefined) problems.add(path, `${at}: Field required`)
    }
  })
}

function checkMarker(block: unknown, path: string, problems: Problems): void {
  const marker = field(block, "cache_control") ?? undefined
  if (marker === undefined) return
  const at = `${path}.cache_control`
  if (stringField(marker, "type") !== "ephemeral")
    return void problems.add(
      at,
      `${at}: Input tag '${stringField(marker, "type")}' found using 'type' does not match any of the expected tags: 'ephemeral'`,
    )
  only(MARKER, marker, at, `${at}.ephemeral`, problems)
  const ttl = field(marker, "ttl") ?? "5m"
  if (ttl !== "5m" && ttl !== "1h")
    problems.add(`${at}.ttl`, `${at}.ephemeral.ttl: Input should be '5m' or '1h'`)
}

function only(
  allowed: readonly string[],
  value: unknown,
  path: string,
  shown: string,
  problems: Problems,
): void {
  for (const name of Object.keys(value ?? {}))
    if (!allowed.includes(name)) problems.add(`${path}.${name}`, extra(`${shown}.${name}`))
}

const extra = (path: string) => `${path}: Extra inputs are not permitted`
