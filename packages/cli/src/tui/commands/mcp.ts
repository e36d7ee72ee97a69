import type { SlashCommand } from "./command.js"

export const mcp: SlashCommand = {
  name: "mcp",
  help: "the MCP servers: whether they answer, their tools, what they printed, and a way to reconnect",
  run: ({ open }) => open("mcp"),
}
