import type { Session } from "@sotto/core"
import { SNIP } from "./definitions.js"
import type { Tool } from "./tool.js"

/** Drops messages that the model no longer needs. */
export function snipTool(session: Pick<Session, "snip">): Tool {
  return {
    definition: SNIP,
    changes: true,
    access: async () => [{ permission: "snip", target: "*" }],
    run: async ({ ids }) => {
      const { removed, refused } = session.snip(Array.isArray(ids) ? ids.map(String) : [])
      const parts = [
        removed.length > 0 ? `Dropped: ${removed.join(", ")}.` : "Nothing was dropped.",
        refused.length > 0 ? `Not to be dropped: ${refused.join(", ")}.` : "",
      ]
      return { content: parts.filter((part) => part !== "").join(" ") }
    },
  }
}
