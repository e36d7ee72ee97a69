import { field, listField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"
import { BESIDES, DATA, words } from "./replay.js"

/** The fields that Google publishes, Vertex AI's included. The tests compare them with the official types. */
const BODY = words(
  "model contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent labels serviceTier store modelArmorConfig",
)

const GENERATION = words(
  "modelSelectionConfig responseJsonSchema audioTranscriptionConfig audioTimestamp candidateCount enableAffectiveDialog frequencyPenalty logprobs maxOutputTokens mediaResolution presencePenalty responseFormat responseLogprobs responseMimeType responseModalities responseSchema routingConfig seed speechConfig stopSequences temperature thinkingConfig topK topP enableEnhancedCivicAnswers translationConfig imageConfig continuationToken automaticContinuation generationOutputConfig",
)

const TOOL = words(
  "retrieval googleMaps mcpServers codeExecution computerUse enterpriseWebSearch exaAiSearch functionDeclarations googleSearch googleSearchRetrieval parallelAiSearch urlContext fileSearch",
)

const TOOL_CONFIG = words("functionCallingConfig retrievalConfig includeServerSideToolInvocations")

/** Fields inside of these, as far as the validator looks at them. */
const INNER = words(
  "mimeType fileUri displayName functionCallingConfig allowedFunctionNames includeThoughts thinkingBudget thinkingLevel parametersJsonSchema willContinue",
)

/** Every name that may be written in snake case too. */
export const NAMES: ReadonlySet<string> = new Set(
  [BODY, GENERATION, TOOL, TOOL_CONFIG, DATA, BESIDES, INNER].flatMap((names) => [...names]),
)

/** Names that no message of the API has. Its parser refuses them, except that a tool may be newer than this list. */
export function checkNames(body: unknown, problems: Problems): void {
  only(BODY, body, "", problems)
  only(GENERATION, field(body, "generationConfig"), "generation_config", problems)
  only(TOOL_CONFIG, field(body, "toolConfig"), "tool_config", problems)
  listField(body, "tools").forEach((tool, i) => {
    for (const name of Object.keys(tool ?? {}))
      if (!TOOL.has(name)) problems.note(`tools.${i}.${name}`, unknownName(name, `tools[${i}]`))
  })
}

function only(known: ReadonlySet<string>, value: unknown, place: string, problems: Problems): void {
  if (value === null || typeof value !== "object") return
  for (const name of Object.keys(value))
    if (!known.has(name)) problems.add(place === "" ? name : `${place}.${name}`, unknownName(name, place))
}

export function unknownName(name: string, place: string): string {
  const where = place === "" ? "" : ` at '${place}'`
  return `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`
}
