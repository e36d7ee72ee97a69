// An MCP server over standard input and output. It offers one tool, and a second one as soon as the first was called.
import { createInterface } from "node:readline"

interface Request {
  readonly id?: number
  readonly method?: string
}

const tool = (name: string) => ({
  name,
  description: `The ${name} tool.`,
  inputSchema: { type: "object", properties: {} },
})
const tools = [tool("early")]
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line) as Request
  if (id === undefined) return
  if (method === "initialize")
    send({
      id,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "notes", version: "1" },
      },
    })
  else if (method === "tools/list") send({ id, result: { tools } })
  else if (method === "tools/call") {
    if (tools.length === 1) {
      tools.push(tool("late"))
      send({ method: "notifications/tools/list_changed" })
    }
    send({ id, result: { content: [{ type: "text", text: "Called." }] } })
  } else send({ id, result: {} })
})
