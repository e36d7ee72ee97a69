// A language server for tests, in plain Node: a line with "BAD: text" is an error that says the text, one with
// "HINT: text" a hint. Words on the command line give it faults and habits. What it is told goes to the file LSP_LOG.
import { spawn } from "node:child_process"
import { appendFileSync, readFileSync } from "node:fs"

const habits = new Set(process.argv.slice(2))
const log = process.env.LSP_LOG
const documents = new Map()

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }))
  if (habits.has("garbage")) process.stdout.write('Debug: about to speak\nContent-Length: 9\r\n\r\n{"no json')
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`)
  process.stdout.write(body)
}

function problemsIn(text) {
  return text.split("\n").flatMap((line, i) => {
    const [, word, message] = /(BAD|HINT): (.*)/.exec(line) ?? []
    if (word === undefined) return []
    const range = { start: { line: i, character: 0 }, end: { line: i, character: 1 } }
    return [{ range, severity: word === "BAD" ? 1 : 4, message, source: "fake", code: 7 }]
  })
}

/** In "all" files there is what is bad in any: as where a change in one makes problems in another. */
function judge(uri) {
  const text = habits.has("all")
    ? [...documents.values()].map(({ text }) => text).join("\n")
    : documents.get(uri).text
  return problemsIn(text)
}

function publish(uri) {
  if (habits.has("pull")) return
  const { version, text } = documents.get(uri)
  if (text.includes("fatal")) {
    process.stderr.write("Segmentation fault, as it were\n")
    process.exit(3)
  }
  const diagnostics = judge(uri)
  if (habits.has("slow")) readFileSync(process.env.LSP_GATE)
  const said = { uri, diagnostics, ...(!habits.has("unversioned") && { version }) }
  if (habits.has("pieces"))
    send({ method: "textDocument/publishDiagnostics", params: { ...said, diagnostics: [] } })
  send({ method: "textDocument/publishDiagnostics", params: said })
  note("published", { version })
}

function flood(uri) {
  const diagnostics = Array.from(
    { length: 10_000 },
    (_, i) => problemsIn(`BAD: problem ${i} ${"x".repeat(100)}`)[0],
  )
  send({ method: "window/logMessage", params: { type: 4, message: "x".repeat(50_000_000) } })
  send({
    method: "textDocument/publishDiagnostics",
    params: { uri, diagnostics: [null, {}, ...diagnostics] },
  })
}

function note(method, params) {
  if (log !== undefined) appendFileSync(log, `${JSON.stringify({ method, params, pid: process.pid })}\n`)
}

function capabilities() {
  if (!habits.has("pull")) return { textDocumentSync: { openClose: true, change: 1, save: true } }
  return {
    textDocumentSync: 1,
    diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false },
  }
}

function hear({ id, method, params, result }) {
  note(method ?? "answered", params ?? { result })
  switch (method) {
    case "initialize":
      if (habits.has("silent")) return
      if (habits.has("refuses")) return send({ id, error: { code: -32603, message: "There is no licence." } })
      return send({ id, result: { capabilities: capabilities() } })
    case "initialized": {
      const items = [{ section: "" }, {}, { section: "css" }, { section: "eslint.options" }]
      return habits.has("asks")
        ? send({ id: "asks", method: "workspace/configuration", params: { items } })
        : undefined
    }
    case "textDocument/didOpen": {
      const { uri, version, text } = params.textDocument
      documents.set(uri, { version, text })
      if (habits.has("flood") && version > 1) flood(uri)
      else for (const one of habits.has("all") ? documents.keys() : [uri]) publish(one)
      return
    }
    case "textDocument/didChange": {
      const { uri, version } = params.textDocument
      documents.set(uri, { version, text: params.contentChanges[0].text })
      if (habits.has("flood")) flood(uri)
      else for (const one of habits.has("all") ? documents.keys() : [uri]) publish(one)
      return
    }
    case "textDocument/didClose":
      documents.delete(params.textDocument.uri)
      return
    case "textDocument/diagnostic":
      return send({ id, result: { kind: "full", items: judge(params.textDocument.uri) } })
    case "shutdown":
      return habits.has("stubborn") ? undefined : send({ id, result: null })
    case "exit":
      if (!habits.has("stubborn")) process.exit(0)
      return
    default:
  }
}

if (habits.has("stubborn")) {
  process.on("SIGTERM", () => undefined)
  const child = spawn("sleep", ["1000"], { stdio: "inherit" })
  note("spawned", { pid: child.pid })
  setInterval(() => undefined, 1_000)
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
