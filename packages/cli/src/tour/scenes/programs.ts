/*
 * The smallest real programs that a scene needs: Node runs them from the scene's own workspace, so that nothing has to be
 * installed. And a PDF, written by hand.
 */

/** An MCP server over standard input and output: one resource, and a tool that adds another tool. */
export const MCP_SERVER = `import { createInterface } from "node:readline"

const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }))
const tool = (name, description) => ({ name, description, inputSchema: { type: "object", properties: {} } })
const tools = [tool("unlock", "Adds a tool.")]
const guide = { uri: "notes://guide", name: "guide", mimeType: "text/plain" }
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: {} },
    serverInfo: { name: "notes", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": () => {
    if (tools.length === 1) tools.push(tool("search", "Searches the notes."))
    send({ method: "notifications/tools/list_changed" })
    return { content: [{ type: "text", text: "There is another tool now." }] }
  },
  "resources/list": () => ({ resources: [guide] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": () => ({ contents: [{ ...guide, text: "Release on Tuesdays." }] }),
  ping: () => ({}),
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined && answers[method]) send({ id, result: answers[method](params) })
})
`

/** A language server that calls every line with "FIXME" an error. */
export const LANGUAGE_SERVER = `const send = (message) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }))
  process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body)
}
const publish = (uri, version, text) => {
  const diagnostics = text.split("\\n").flatMap((line, i) => {
    if (!line.includes("FIXME")) return []
    const range = { start: { line: i, character: 0 }, end: { line: i, character: line.length } }
    return [{ range, severity: 1, source: "tour", message: "This line says FIXME." }]
  })
  send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics } })
}
const hear = ({ id, method, params }) => {
  if (method === "initialize") send({ id, result: { capabilities: { textDocumentSync: 1 } } })
  if (method === "shutdown") send({ id, result: null })
  if (method === "exit") process.exit(0)
  if (method === "textDocument/didOpen") publish(params.textDocument.uri, params.textDocument.version, params.textDocument.text)
  if (method === "textDocument/didChange") publish(params.textDocument.uri, params.textDocument.version, params.contentChanges[0].text)
}
let rest = Buffer.alloc(0)
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk])
  for (let end = rest.indexOf("\\r\\n\\r\\n"); end !== -1; end = rest.indexOf("\\r\\n\\r\\n")) {
    const length = Number(/content-length: (\\d+)/i.exec(rest.subarray(0, end).toString())[1])
    if (rest.length < end + 4 + length) return
    hear(JSON.parse(rest.subarray(end + 4, end + 4 + length).toString()))
    rest = rest.subarray(end + 4 + length)
  }
})
`

/** Writes a PDF of empty pages. */
export function pdfOf(pages: number): string {
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>"
  const kids = Array.from({ length: pages }, (_, i) => `${i + 3} 0 R`).join(" ")
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`,
    ...Array.from({ length: pages }, () => page),
  ]
  let text = "%PDF-1.4\n"
  const starts = objects.map((object, i) => {
    const start = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return start
  })
  const rows = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("")
  const count = objects.length + 1
  return `${text}xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
}
