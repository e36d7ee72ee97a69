import { ToolError } from "../../platform/text/errors.js"
import { MCP } from "../../tools/definitions.js"
import { checkInput } from "../../tools/input.js"
import type { Output, Tool, ToolContext } from "../../tools/tool.js"
import { resourceAccess, toolAccess } from "./access.js"
import { fieldsOf, type McpFields } from "./fields.js"
import type { McpTool } from "./offered.js"
import { resourceOutput, toolOutput } from "./output.js"
import { signatureOf } from "./schema.js"
import type { McpServers, ServerStatus } from "./servers.js"

/** Makes a tool of a server one of the agent's own. Looks up at each call what it is now: it may have changed. */
export function serverTool(servers: McpServers, server: string, offered: McpTool): Tool {
  const { name, listed, description, inputSchema, readOnly } = offered
  return {
    definition: { name: listed, description, inputSchema },
    foreign: true,
    changes: !readOnly,
    access: async (input, { abort }) => [toolAccess(server, await servers.tool(server, name, abort), input)],
    run: (input, context) => callTool(servers, server, name, input, context),
  }
}

type Call =
  | { readonly is: "tool"; readonly server: string; readonly tool: McpTool; readonly input: McpFields }
  | { readonly is: "schema"; readonly server: string; readonly tool: McpTool }
  | { readonly is: "resource"; readonly server: string; readonly uri: string }
  | { readonly is: "listing"; readonly server: string | undefined }

/**
 * Reaches every tool of every server, also those that came after the list of tools was sent. Whatever it calls is
 * judged and checked as if it had been called by its own name.
 */
export function dispatcher(servers: McpServers): Tool {
  return {
    definition: MCP,
    changes: true,
    access: async (input, { abort }) => {
      const call = await callIn(input, servers, abort)
      if (call.is === "tool") return [toolAccess(call.server, call.tool, call.input)]
      return call.is === "resource" ? [resourceAccess(call.server, call.uri)] : []
    },
    meant: async (input, { abort }) => {
      const call = await callIn(input, servers, abort)
      return call.is === "tool" ? { name: call.tool.listed, input: call.input } : { name: MCP.name, input }
    },
    run: async (input, context) => {
      const call = await callIn(input, servers, context.abort)
      switch (call.is) {
        case "tool":
          return callTool(servers, call.server, call.tool.name, call.input, context)
        case "schema":
          return { content: schemaText(call.tool) }
        case "resource":
          return readResource(servers, call.server, call.uri, context)
        case "listing":
          return { content: listing(servers.statuses().filter(({ name }) => name === (call.server ?? name))) }
      }
    },
  }
}

async function callIn(given: McpFields, servers: McpServers, abort: AbortSignal): Promise<Call> {
  const { server, tool: name, input, resource } = given
  if (typeof server !== "string") {
    if (name === undefined && resource === undefined) return { is: "listing", server: undefined }
    throw new ToolError(`\`server\` is missing. There are: ${servers.names.join(", ")}.`)
  }
  if (name !== undefined && resource !== undefined)
    throw new ToolError("Give `tool` or `resource`, not both.")
  if (typeof resource === "string") return { is: "resource", server, uri: resource }
  if (typeof name !== "string") {
    await servers.reached(server, abort)
    return { is: "listing", server }
  }
  const tool = await servers.tool(server, name, abort)
  if (input === undefined) return { is: "schema", server, tool }
  const { listed, description, inputSchema } = tool
  return {
    is: "tool",
    server,
    tool,
    input: checkInput({ name: listed, description, inputSchema }, fieldsOf(input), true),
  }
}

async function callTool(
  servers: McpServers,
  server: string,
  name: string,
  input: McpFields,
  { abort, scratch, progress }: ToolContext,
): Promise<Output> {
  const result = await servers.callTool(server, name, input, { signal: abort, onProgress: progress })
  return toolOutput(result, scratch)
}

async function readResource(
  servers: McpServers,
  server: string,
  uri: string,
  { abort, scratch }: ToolContext,
): Promise<Output> {
  return resourceOutput(await servers.resource(server, uri, abort), scratch)
}

function schemaText({ name, description, inputSchema }: McpTool): string {
  return `${name}: ${description}\nIts input schema:\n${JSON.stringify(inputSchema)}`
}

function listing(statuses: readonly ServerStatus[]): string {
  return statuses
    .flatMap(({ name, state, why, tools }) => [
      state === "connected" ? `${name}: ${tools.length} tools` : `${name}: not connected (${why})`,
      ...tools.map(
        (tool) => `- ${tool.name}(${signatureOf(tool.inputSchema)}): ${firstLine(tool.description)}`,
      ),
    ])
    .join("\n")
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.slice(0, 200) ?? ""
}
