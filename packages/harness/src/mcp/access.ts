import type { Access } from "../permissions/access.js"
import { startOf } from "../text/text.js"
import type { Fields } from "./fields.js"
import type { OfferedTool } from "./offered.js"

const LONGEST_DETAIL = 2_000

/** What a call of the tool would touch, as far as anybody knows: what its server says of it is a hint, no more. */
export function toolAccess(server: string, tool: OfferedTool, input: Fields): Access {
  const hint = tool.destructive ? "\nIts server says that it may delete or overwrite something." : ""
  return {
    permission: "mcp",
    target: `${server}/${tool.name}`,
    effect: tool.readOnly ? "read" : "unknown",
    detail: `${startOf(JSON.stringify(input, null, 1), LONGEST_DETAIL)}${hint}`,
  }
}

/** Reading is all that can be done to a resource. */
export function resourceAccess(server: string, uri: string): Access {
  return { permission: "mcp", target: `${server}/${uri}`, effect: "read" }
}
