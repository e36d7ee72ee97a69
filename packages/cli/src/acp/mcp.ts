import type { McpServer } from "@agentclientprotocol/sdk"
import type { McpServerSettings } from "@sotto/harness"

type Servers = Readonly<Record<string, McpServerSettings>>

/** The servers that an editor hands over, in the words of `sotto.json`. */
export function mcpOf(servers: readonly McpServer[]): Servers {
  return Object.fromEntries(
    servers.flatMap((server): readonly (readonly [string, McpServerSettings])[] => {
      if (!("type" in server)) {
        const { name, command, args, env } = server
        return [[name, { type: "stdio", command, args, env: byName(env) }]]
      }
      if (server.type === "acp") return []
      const { name, type, url, headers } = server
      return [[name, { type, url, headers: byName(headers) }]]
    }),
  )
}

function byName(pairs: readonly { readonly name: string; readonly value: string }[]) {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
}
