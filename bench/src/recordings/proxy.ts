import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http"
import type { AddressInfo } from "node:net"

export interface RecordingProxy {
  readonly url: string
  close(): Promise<void>
}

const CREDENTIALS = new Set(["authorization", "x-api-key", "x-goog-api-key", "cookie", "set-cookie"])

/** Passes everything on to a server and writes each call as a line, as a recording of `sotto proxy` has it. */
export async function recordingProxy(target: string, file: string): Promise<RecordingProxy> {
  const lines = createWriteStream(file)
  const server = createServer(async (incoming, response) => {
    const at = Date.now()
    const body = await bytesOf(incoming)
    const { method = "GET", url = "/", headers } = incoming
    const outgoing = request(new URL(url, target), {
      method,
      headers: { ...headers, host: new URL(target).host },
    })
    outgoing.on("error", (error) => response.destroy(error))
    outgoing.end(body)
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage]
    const reply = await bytesOf(answer)
    const status = answer.statusCode ?? 0
    if (method === "POST" && status < 400) {
      const sent = { method, path: url, headers: withoutCredentials(headers), body: body.toString() }
      const got = { status, headers: withoutCredentials(answer.headers), body: reply.toString() }
      lines.write(`${JSON.stringify({ at, ms: Date.now() - at, request: sent, response: got })}\n`)
    }
    response.writeHead(status, answer.headers).end(reply)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await new Promise<void>((resolve) => lines.end(resolve))
    },
  }
}

function withoutCredentials(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name)))
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
