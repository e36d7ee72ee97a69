import { field, stringField } from "../../vocabulary/fields.js"
import type { Problem } from "../dialect.js"
import { checkUnicode } from "../lone-surrogates.js"
import { Problems } from "../problems.js"
import { mayReason } from "./family.js"
import { checkInput } from "./input.js"
import { asksForEncrypted, checkKnown, checkSampling, checkSaysJson } from "./parameters.js"
import { checkRanges } from "./ranges.js"
import { checkCacheKey, missing } from "./rules.js"
import { checkAnswerSchema } from "./strict.js"
import { checkInputReasoning } from "./thought-items.js"
import { checkResponsesTools } from "./tools.js"

/** Lists what the Responses API would refuse about a body, in its own words as far as they are known. */
export function validate(body: unknown): readonly Problem[] {
  const problems = new Problems()
  checkUnicode(body, "We could not parse the JSON body of your request.", problems)
  const model = stringField(body, "model")
  // A stored prompt brings its own model, and whatever continues a conversation may say nothing new.
  const hasPrompt = has(body, "prompt")
  const isContinued = has(body, "previous_response_id") || has(body, "conversation")
  if (model === undefined && !hasPrompt) missing("model", problems)
  checkResponsesTools(body, problems)
  checkParameters(body, model ?? "", isContinued || hasPrompt, problems)
  if (has(body, "previous_response_id") && has(body, "conversation"))
    problems.add(
      "previous_response_id",
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of these parameters.",
    )
  const input = field(body, "input") ?? undefined
  if (Array.isArray(input)) checkInput(input, isContinued || hasPrompt, problems)
  else if (typeof input !== "string" && !isContinued && !hasPrompt) missing("input", problems)
  checkInputReasoning(body, problems)
  checkKnown(body, "responses", model ?? "", problems)
  return problems.list
}

function checkParameters(body: unknown, model: string, isContinued: boolean, problems: Problems): void {
  checkRanges(body, model, problems)
  if (asksForEncrypted(body) && model !== "" && !mayReason(model))
    problems.add("include", "Encrypted content is not supported with this model.")
  checkCacheKey(body, problems)
  checkSampling(body, "responses", model, problems)
  const format = field(field(body, "text"), "format")
  checkAnswerSchema(format, "text.format.schema", problems)
  if (!isContinued)
    checkSaysJson(
      format,
      [field(body, "instructions"), field(body, "input")],
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      "input",
      problems,
    )
}

/** True if a field is there. Null stands for a field that is not. */
function has(body: unknown, name: string): boolean {
  return (field(body, name) ?? undefined) !== undefined
}
