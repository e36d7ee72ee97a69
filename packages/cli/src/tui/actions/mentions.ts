import { completions, type ProjectRuntime } from "@sotto/harness"
import type { Complete } from "../input/completion.js"

/** What can be mentioned here: files, folders, agents, and resources of MCP servers. */
export function mentionsIn(workplace: ProjectRuntime): Complete {
  return async (query) => {
    const found = await completions(query, workplace)
    return found
      .map(({ kind, text, about = "" }) => ({
        text: text.slice(1),
        detail: kind === "agent" || kind === "resource" ? `${kind}: ${about}` : "",
        goesOn: kind === "directory",
      }))
      .filter(({ text }) => text !== query)
  }
}
