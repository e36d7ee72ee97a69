import { field } from "@sotto/core/dialect"
import type { HttpDialectName } from "../call.js"
import type { Slot } from "./segment.js"

/** A field that a provider keys its cache on: `key` for all of it, `parameters` for the conversation alone. */
interface Keyed {
  readonly path: string
  readonly section: "key" | "parameters"
  /** What the provider takes a missing field for. */
  readonly usual?: string
}

/** Parameters of which no provider but Anthropic says whether its cache depends on them. */
export function isDocumented(path: string): boolean {
  return path !== "toolConfig" && path !== "tool_choice"
}

const key = (path: string): Keyed => ({ path, section: "key" })
const parameter = (path: string, usual?: string): Keyed => ({
  path,
  section: "parameters",
  ...(usual !== undefined && { usual }),
})

const KEYED: Readonly<Record<HttpDialectName, readonly Keyed[]>> = {
  anthropic: [
    key("model"),
    parameter("tool_choice", '{"type":"auto"}'),
    parameter("thinking"),
    parameter("output_config.effort"),
    parameter("output_config.format"),
    parameter("output_format"),
    parameter("speed"),
  ],
  openai: [
    key("model"),
    key("prompt_cache_key"),
    parameter("tool_choice", '"auto"'),
    parameter("reasoning.effort"),
    parameter("text.format", '{"type":"text"}'),
    parameter("text.verbosity", '"medium"'),
    parameter("service_tier", '"auto"'),
  ],
  "openai-chat": [
    key("model"),
    key("prompt_cache_key"),
    parameter("tool_choice", '"auto"'),
    parameter("reasoning_effort"),
    parameter("reasoning"),
    parameter("response_format", '{"type":"text"}'),
  ],
  gemini: [
    key("model"),
    key("cachedContent"),
    parameter("toolConfig", '{"functionCallingConfig":{"mode":"AUTO"}}'),
    parameter("generationConfig.thinkingConfig"),
    parameter("generationConfig.responseSchema"),
  ],
}

/** Lists the parameters of a body that key the cache. The model may stand in the address instead. */
export function parameterSlots(
  body: unknown,
  dialect: HttpDialectName,
  model: string | undefined,
): readonly Slot[] {
  return KEYED[dialect].flatMap(({ path, section, usual }): Slot[] => {
    const found = at(body, path) ?? (path === "model" ? model : undefined)
    if (found === undefined || found === null || JSON.stringify(found) === usual) return []
    return [{ section, path, role: "", kind: "parameter", value: found, name: path }]
  })
}

function at(body: unknown, path: string): unknown {
  return path.split(".").reduce(field, body)
}
