// A language server that answers each method with what the test wrote for it. It takes a file of JSON:
// {"method": [piece, …]}. A piece is a text as it is, {"frame": text} for a message of the right length, or either in
// [piece, times]. "@ID@", "@URI@" and "@VERSION@" stand for those of the message it answers.
import { appendFileSync, closeSync, readFileSync } from "node:fs"

const [, , file, log] = process.argv
const script = JSON.parse(readFileSync(file, "utf8"))

const USUAL = {
  initialize: [{ frame: '{"jsonrpc":"2.0","id":@ID@,"result":{"capabilities":{"textDocumentSync":1}}}' }],
  shutdown: [{ frame: '{"jsonrpc":"2.0","id":@ID@,"result":null}' }],
}

async function write(bytes) {
  if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once("drain", resolve))
}

function bytesOf(piece, { id, params }) {
  const { uri, version } = params?.textDocument ?? {}
  const text = (typeof piece === "string" ? piece : piece.frame)
    .replaceAll("@ID@", JSON.stringify(id ?? null))
    .replaceAll("@URI@", String(uri))
    .replaceAll("@VERSION@", String(version))
  const body = Buffer.from(text)
  return typeof piece === "string"
    ? body
    : Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body])
}

async function play(pieces, message) {
  for (const one of pieces) {
    if (one === "@EXIT@") process.exit(3)
    if (one === "@CLOSE@") return closeSync(1)
    const [piece, times] = Array.isArray(one) ? one : [one, 1]
    const bytes = bytesOf(piece, message)
    const each = Math.max(1, Math.floor(60_000 / bytes.length))
    for (let left = times; left > 0; left -= each)
      await write(Buffer.concat(Array.from({ length: Math.min(each, left) }, () => bytes)))
  }
}

function hear(message) {
  if (log) appendFileSync(log, `${JSON.stringify(message).slice(0, 2_000)}\n`)
  const { method } = message
  if (method === "exit") process.exit(0)
  const pieces = script[method] ?? USUAL[method]
  if (method !== undefined && pieces !== undefined) void play(pieces, message)
}

let rest = Buffer.alloc(0)
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk])
  for (;;) {
    const end = rest.indexOf("\r\n\r\n")
    if (end === -1) return
    const length = Number(/content-length: (\d+)/i.exec(rest.subarray(0, end).toString())[1])
    if (rest.length < end + 4 + length) return
    const message = JSON.parse(rest.subarray(end + 4, end + 4 + length).toString())
    rest = rest.subarray(end + 4 + length)
    hear(message)
  }
})
process.stdin.on("end", () => process.exit(0))
process.stdout.on("error", () => process.exit(0))
