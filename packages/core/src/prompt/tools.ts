import { outsideText } from "../text/guard/outside.js"
import { SottoError } from "../vocabulary/errors.js"
import type { Json } from "../vocabulary/json.js"
import type { Pins } from "../vocabulary/request.js"
import { byName, type ToolDefinition } from "../vocabulary/tool.js"

/** Tools as they are sent: sorted, and with every text in them neutralised, because many come from elsewhere. */
export function pinTools(tools: readonly ToolDefinition[]): {
  readonly tools: Pins["tools"]
  readonly neutralised: number
} {
  let neutralised = 0
  const safe = (value: Json): Json => {
    if (typeof value === "string") {
      const { text, count } = outsideText(value)
      neutralised += count
      return text
    }
    if (Array.isArray(value)) return value.map(safe)
    if (value === null || typeof value !== "object") return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [safe(key), safe(inner)]))
  }
  const pinned = tools
    .map(({ name, description, inputSchema, provided }) => ({
      name,
      description: safe(description) as string,
      inputSchema: safe(inputSchema) as ToolDefinition["inputSchema"],
      ...(provided !== undefined && { provided }),
    }))
    .sort(byName)
  return { tools: pinned, neutralised }
}

export function checkTools(tools: readonly ToolDefinition[]): void {
  const seen = new Set<string>()
  for (const { name } of tools) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      throw new SottoError(
        "bad-options",
        `No provider accepts a tool called ${JSON.stringify(name)}.`,
        "Use at most 64 letters, digits, _ and -.",
      )
    if (seen.has(name))
      throw new SottoError("bad-options", `Two tools are called "${name}".`, "Rename one of them.")
    seen.add(name)
  }
}
