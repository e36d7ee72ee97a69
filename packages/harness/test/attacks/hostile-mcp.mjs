// An MCP server that answers each method with what the test wrote for it, byte by byte. It takes a file of JSON:
// {"method": [piece, …]}. A piece is a text, or [text, times]; -1 times means without an end.
// A call of a tool is looked up as "tools/call NAME", a resource as "resources/read URI".
import { appendFileSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [, , file, log] = process.argv
const script = JSON.parse(readFileSync(file, "utf8"))

const USUAL = {
  initialize: [
    '{"jsonrpc":"2.0","id":@ID@,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}}\n',
  ],
  "tools/list": ['{"jsonrpc":"2.0","id":@ID@,"result":{"tools":[]}}\n'],
  ping: ['{"jsonrpc":"2.0","id":@ID@,"result":{}}\n'],
}

/** Waits where the reader is slower, so that it is the reader whose memory is tested. */
async function write(text) {
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once("drain", resolve))
}

async function play(pieces, { id, params }) {
  const filled = (text) =>
    text
      .replaceAll("@ID@", JSON.stringify(id ?? null))
      .replaceAll("@TOKEN@", JSON.stringify(params?._meta?.progressToken ?? null))
  for (const piece of pieces) {
    if (piece === "@EXIT@") process.exit(3)
    const [text, times] = typeof piece === "string" ? [piece, 1] : piece
    const each = Math.max(1, Math.floor(60_000 / Math.max(1, text.length)))
    const endless = times < 0
    for (let left = times; endless || left > 0; left -= each)
      await write(filled(text).repeat(endless ? each : Math.min(each, left)))
  }
}

createInterface(process.stdin).on("line", (line) => {
  const message = JSON.parse(line)
  if (log) appendFileSync(log, `${line.slice(0, 2_000)}\n`)
  const { method, params } = message
  if (method === undefined) return
  const name = params?.name ?? params?.uri
  const pieces = script[`${method} ${name}`] ?? script[method] ?? USUAL[method]
  if (pieces !== undefined) void play(pieces, message)
})
process.stdin.on("end", () => process.exit(0))
process.stdout.on("error", () => process.exit(0))
