import { SottoError } from "../errors.js"
import { neutralise } from "../guard/guard.js"
import type { Json } from "../json.js"
import type { Pins, ToolDefinition } from "../wire/request.js"

/** Tools as they are sent: sorted, and with every text in them neutralised, because many come from elsewhere. */
export function pinTools(tools: readonly ToolDefinition[]): Pins["tools"] {
  return tools
    .map(({ name, description, inputSchema }) => ({
      name,
      description: neutralise(description).text,
      inputSchema: safe(inputSchema) as ToolDefinition["inputSchema"],
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function checkTools(tools: readonly ToolDefinition[]): void {
  const seen = new Set<string>()
  for (const { name } of tools) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      throw new SottoError(
        "bad-options",
        `No provider accepts a tool called ${JSON.stringify(name)}.`,
        "Use at most 64 letters, digits, _ and -; map other names in the harness.",
      )
    if (seen.has(name))
      throw new SottoError("bad-options", `Two tools are called "${name}".`, "Rename one of them.")
    seen.add(name)
  }
}

function safe(value: Json): Json {
  if (typeof value === "string") return neutralise(value).text
  if (Array.isArray(value)) return value.map(safe)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [neutralise(key).text, safe(inner)]))
}
