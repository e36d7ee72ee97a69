import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problem, Sent } from "../dialect.js"
import { checkUnicode } from "../lone-surrogates.js"
import { Problems } from "../problems.js"
import { checkNames, unknownName } from "./fields.js"
import { canonical } from "./names.js"
import { checkGenerationConfig, checkInlineData, checkParameters } from "./ranges.js"
import { BESIDES, DATA, FUNCTION_NAME } from "./replay.js"

/** Lists what generateContent would refuse about a body, in its own words as far as they are known. */
export function validate(body: unknown): readonly Problem[] {
  return validateSent(body, {})
}

/** Validates for a known model, which only the address names: Gemini 3 asks for more. */
export function validateSent(written: unknown, { model }: Sent): readonly Problem[] {
  const problems = new Problems()
  checkUnicode(written, "Invalid JSON payload received. A text holds half of a surrogate pair.", problems)
  const body = canonical(written)
  checkTools(body, problems)
  checkSystem(body, problems)
  const contents = listField(body, "contents")
  if (contents.length === 0)
    problems.add("contents", "* GenerateContentRequest.contents: contents is not specified")
  contents.forEach((content, i) => {
    checkParts(content, `contents.${i}`, problems)
    checkTurn(contents, i, problems)
  })
  if (stringField(contents.at(-1), "role") === "model")
    problems.add(
      `contents.${contents.length - 1}`,
      "Please ensure that multiturn requests end with a user turn or a function response turn.",
      "assistant-text",
    )
  checkSignatures(contents, model, problems)
  checkGenerationConfig(body, problems)
  checkNames(body, problems)
  return problems.list
}

const MODES = ["AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"]

function checkTools(body: unknown, problems: Problems): void {
  const names = new Set<string>()
  listField(body, "tools").forEach((tool, i) => {
    listField(tool, "functionDeclarations").forEach((declaration, j) => {
      const path = `tools.${i}.functionDeclarations.${j}`
      const name = stringField(declaration, "name") ?? ""
      if (!FUNCTION_NAME.test(name))
        problems.add(
          `${path}.name`,
          `* GenerateContentRequest.tools[${i}].function_declarations[${j}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
        )
      checkParameters(declaration, path, problems)
      if (names.has(name)) problems.add(path, `Duplicate function declaration found: ${name}`)
      names.add(name)
    })
  })
  const config = field(field(body, "toolConfig"), "functionCallingConfig")
  if (config === undefined) return
  const mode = stringField(config, "mode")
  if (mode !== undefined && !MODES.includes(mode))
    problems.add(
      "toolConfig.functionCallingConfig.mode",
      `Invalid value at 'tool_config.function_calling_config.mode': "${mode}"`,
    )
  if (names.size === 0)
    problems.add("toolConfig", "Function calling config is set without function_declarations.")
}

function checkSystem(body: unknown, problems: Problems): void {
  const system = field(body, "systemInstruction")
  if (system === undefined) return
  const parts = listField(system, "parts")
  const isEmptyText = (part: unknown) =>
    stringField(part, "text") === "" || Object.keys(part ?? {}).length === 0
  if (typeof system !== "string" && (parts.length === 0 || parts.some(isEmptyText)))
    problems.add(
      "systemInstruction",
      "* GenerateContentRequest.system_instruction.parts: text must not be empty",
    )
}

function checkParts(content: unknown, path: string, problems: Problems): void {
  const parts = listField(content, "parts")
  if (parts.length === 0) problems.add(path, `* GenerateContentRequest.${path}.parts: must not be empty`)
  parts.forEach((part, i) => {
    const at = `${path}.parts.${i}`
    const names = Object.keys(part ?? {})
    for (const name of names)
      if (!DATA.has(name) && !BESIDES.has(name)) problems.add(at, unknownName(name, at))
    const data = names.filter((name) => DATA.has(name))
    if (data.length !== 1 || isEmpty(part))
      problems.add(
        at,
        `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`,
      )
    checkInlineData(part, at, problems)
    const called = field(part, "functionCall") ?? field(part, "functionResponse")
    if (called !== undefined && !FUNCTION_NAME.test(stringField(called, "name") ?? ""))
      problems.add(at, `* GenerateContentRequest.${at}.name: Name cannot be empty or malformed.`)
  })
}

/** True for a part that says nothing. A text with nothing in it may still bring a signature back. */
function isEmpty(part: unknown): boolean {
  if (stringField(part, "text") === "") return field(part, "thoughtSignature") === undefined
  const media = field(part, "inlineData")
  if (media === undefined) return false
  return (stringField(media, "data") ?? "") === "" || (stringField(media, "mimeType") ?? "") === ""
}

function checkTurn(contents: readonly unknown[], index: number, problems: Problems): void {
  const path = `contents.${index}`
  const content = contents[index]
  const before = contents[index - 1]
  const role = roleOf(content)
  if (role !== "user" && role !== "model") problems.add(path, "Please use a valid role: user, model.")
  if (index === 0 && role === "model")
    problems.add(path, "Please ensure that multiturn requests begin with a user turn.")
  const asked = idsOf(content, "functionCall")
  const answered = idsOf(content, "functionResponse")
  if (asked.length > 0 && (index === 0 || roleOf(before) !== "user"))
    problems.add(
      path,
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    )
  const owed = idsOf(before, "functionCall")
  const unpaired =
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
  if (owed.length !== answered.length) problems.add(path, unpaired)
  else if (answered.some((id, i) => id !== undefined && !owed.includes(id) && owed[i] !== undefined))
    problems.add(path, `${path}: a function response has an id that no function call of the turn before has.`)
  if (asked.length > 0 && index === contents.length - 1) problems.add(path, unpaired)
}

/**
 * Checks signatures. From Gemini 3 on the first call of every step of the current turn needs one; older models may sign
 * and insist on nothing. If the model is not known, a step that is signed shows that the model signs, and a step
 * without a signature has lost it. Earlier turns are not checked.
 */
function checkSignatures(contents: readonly unknown[], model: string | undefined, problems: Problems): void {
  const opening = contents.findLastIndex(
    (content) => roleOf(content) === "user" && idsOf(content, "functionResponse").length === 0,
  )
  const steps = contents.flatMap((content, i) => {
    const parts = listField(content, "parts")
    const position = parts.findIndex((part) => field(part, "functionCall") !== undefined)
    return i > opening && position >= 0
      ? [{ path: `contents.${i}.parts.${position}`, part: parts[position] }]
      : []
  })
  const unsigned = steps.filter(({ part }) => field(part, "thoughtSignature") === undefined)
  const generation = Number(/gemini-(\d+)/i.exec(model ?? "")?.[1] ?? Number.NaN)
  if (generation < 3 || (Number.isNaN(generation) && unsigned.length === steps.length)) return
  for (const { path, part } of unsigned) {
    const name = stringField(field(part, "functionCall"), "name")
    problems.add(
      path,
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\`.`,
    )
  }
}

function idsOf(content: unknown, kind: "functionCall" | "functionResponse"): readonly (string | undefined)[] {
  return listField(content, "parts").flatMap((part) => {
    const found = field(part, kind)
    return found === undefined ? [] : [stringField(found, "id")]
  })
}

/** Reads who speaks. Without a role the user does; older clients call the role of their responses "function". */
function roleOf(content: unknown): string | undefined {
  const role = field(content, "role") ?? "user"
  return role === "function" || role === "" ? "user" : typeof role === "string" ? role : undefined
}
