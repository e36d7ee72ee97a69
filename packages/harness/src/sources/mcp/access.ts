import type { Access } from "../../execution/permissions/access.js"
import { startOf } from "../../platform/text/text.js"
import type { McpFields } from "./fields.js"
import type { McpTool } from "./offered.js"

const LONGEST_DETAIL = 2_000

/**
 * Tells what a call of the tool would touch, as far as it can be known: what its server says of it is a hint, no more.
 */
export function toolAccess(server: string, tool: McpTool, input: McpFields): Access {
  const hint = tool.destructive ? "\nIts server says that it may delete or overwrite something." : ""
  return {
    permission: "mcp",
    target: `${server}/${tool.name}`,
    effect: tool.readOnly ? "read" : "unknown",
    detail: `${startOf(JSON.stringify(input, null, 1), LONGEST_DETAIL)}${hint}`,
  }
}

/** Makes an access that reads: reading is all that can be done to a resource. */
export function resourceAccess(server: string, uri: string): Access {
  return { permission: "mcp", target: `${server}/${uri}`, effect: "read" }
}
