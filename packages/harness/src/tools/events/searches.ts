import type { AssistantPart, Json } from "@sotto/core"

/** Lists what a provider has searched the web for in the middle of a reply, by the items that its search leaves. */
export function searchesIn(parts: readonly AssistantPart[]): readonly string[] {
  return parts.flatMap(({ verbatim }) => {
    const query = queryIn(verbatim?.block)
    return query === undefined ? [] : [query]
  })
}

function queryIn(block: Json | undefined): string | undefined {
  switch (at(block, "type")) {
    case "server_tool_use":
      return at(block, "name") === "web_search" ? textOf(at(at(block, "input"), "query")) : undefined
    case "web_search_call":
      return textOf(at(at(block, "action"), "query"))
    default: {
      const called = at(block, "toolCall")
      const queries = at(at(called, "args"), "queries")
      return at(called, "toolType") === "GOOGLE_SEARCH_WEB" && Array.isArray(queries)
        ? queries.join(", ")
        : undefined
    }
  }
}

function at(value: Json | undefined, name: string): Json | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined
  return (value as { readonly [field: string]: Json })[name]
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}
