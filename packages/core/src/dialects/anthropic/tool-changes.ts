import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"

/** Checks tools that come and go within the conversation. */
export function checkToolChanges(body: unknown, problems: Problems): void {
  const tools = new Set(listField(body, "tools").map((tool) => stringField(tool, "name") ?? ""))
  const known = new Set(tools)
  listField(body, "messages").forEach((message, i) => {
    listField(message, "content").forEach((block, j) => {
      const path = `messages.${i}.content.${j}`
      const type = stringField(block, "type")
      if (type !== "tool_addition" && type !== "tool_removal") return
      if (stringField(message, "role") !== "system")
        problems.add(path, `${path}: ${type} blocks are only permitted in system messages`, "system-message")
      const tool = field(block, "tool")
      // A whole set of an MCP server's tools: only the server knows what is in it.
      if (stringField(tool, "type") === "mcp_toolset_reference") return
      const definition = field(tool, "definition")
      const name = stringField(definition ?? tool, "name") ?? ""
      if (definition === undefined ? !known.has(name) : tools.has(name))
        problems.add(path, `${path}.tool: ${definition ? "already available" : "unknown tool"}: ${name}`)
      known.add(name)
      if (type === "tool_addition") tools.add(name)
      else tools.delete(name)
    })
  })
}
