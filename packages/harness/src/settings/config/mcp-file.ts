import type { Node, NodeEntry } from "./node.js"
import { type McpServerSettings, mcpServer, mcpServers } from "./outside.js"
import { mismatch } from "./shape.js"

/** The name of the file that agents share to say which MCP servers a project has. */
export const MCP_FILE = ".mcp.json"

const KNOWN = Object.keys((mcpServer.schema.properties ?? {}) as object)

/** Other agents write these words for the same thing. */
const SYNONYMS: Readonly<Record<string, string>> = { disabled: "disable" }

/** From here on other agents mean milliseconds. */
const MILLISECONDS = 1_000

/**
 * Reads the servers of a `.mcp.json`. The file is not ours alone: fields that only other agents know are passed over,
 * which in `sotto.json` would be errors.
 */
export function readMcpFile(root: Node, file: string): Readonly<Record<string, McpServerSettings>> {
  if (root.is !== "map") throw mismatch(root, { file, field: "" }, 'an object with "mcpServers"')
  const servers = root.entries.get("mcpServers")
  if (servers === undefined) return {}
  return mcpServers.read(eachServer(servers.value), { file, field: "mcpServers" })
}

function eachServer(node: Node): Node {
  if (node.is !== "map") return node
  const entries = [...node.entries].map(([name, { line, value }]): [string, NodeEntry] => [
    name,
    { line, value: known(value) },
  ])
  return { ...node, entries: new Map(entries) }
}

function known(server: Node): Node {
  if (server.is !== "map") return server
  const entries = [...server.entries].flatMap(([given, { line, value }]): [string, NodeEntry][] => {
    const name = SYNONYMS[given] ?? given
    return KNOWN.includes(name) ? [[name, { line, value: usual(name, value) }]] : []
  })
  return { ...server, entries: new Map(entries) }
}

function usual(name: string, node: Node): Node {
  if (node.is !== "scalar") return node
  const { value } = node
  if (name === "type" && value === "streamableHttp") return { ...node, value: "streamable-http" }
  if (name === "timeout" && typeof value === "number" && value >= MILLISECONDS)
    return { ...node, value: value / 1_000 }
  return node
}
