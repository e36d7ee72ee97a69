import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from "node:net"
import type { Duplex } from "node:stream"
import { createServer as createTlsServer } from "node:tls"
import { afterAll } from "vitest"
import type { Certificate } from "./certificates.js"

const servers: { close(): unknown }[] = []
afterAll(() => {
  for (const server of servers.splice(0)) server.close()
})

/** What a page answers: a text, with a type and headers if need be. */
export type Answer =
  | string
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Uint8Array
    }
  | ((request: IncomingMessage, response: ServerResponse) => void)

export interface Site {
  readonly port: number
  /** As a permission names it. */
  readonly host: string
  readonly url: (path?: string) => string
  /** The paths that were asked for, in order. */
  readonly asked: string[]
}

/** A site on this machine, with these pages. */
export async function siteWith(pages: Readonly<Record<string, Answer>>): Promise<Site> {
  const asked: string[] = []
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? ""
    asked.push(path)
    const answer = pages[path] ?? { status: 404, body: "Nothing is here." }
    if (typeof answer === "function") return answer(incoming, response)
    const { status = 200, headers = {}, body = "" } = typeof answer === "string" ? { body: answer } : answer
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers })
    response.end(body)
  })
  const port = await listening(server)
  return { port, host: `127.0.0.1:${port}`, url: (path = "/") => `http://127.0.0.1:${port}${path}`, asked }
}

/** Puts TLS before a server of this machine. Returns the port. */
export function tlsBefore(port: number, { key, cert }: Pick<Certificate, "key" | "cert">): Promise<number> {
  const server = createTlsServer({ key, cert }, (socket) => joined(socket, connect(port, "127.0.0.1")))
  server.on("tlsClientError", () => {})
  return listening(server)
}

export interface TestProxy {
  readonly port: number
  /** What it was asked: "CONNECT host:port", or "GET http://…". */
  readonly asked: string[]
  /** The headers of each. */
  readonly headers: IncomingMessage["headers"][]
  /** All bytes that came from clients, tunnels included. */
  readonly seen: () => string
}

/** A real proxy, which knows these names and sends everything for them to a port of this machine. */
export async function proxyTo(
  names: Readonly<Record<string, number>>,
  options: { readonly password?: string; readonly refuses?: number } = {},
): Promise<TestProxy> {
  const asked: string[] = []
  const headers: IncomingMessage["headers"][] = []
  const seen: Buffer[] = []
  const refusal = (incoming: IncomingMessage): string | undefined => {
    if (options.refuses !== undefined) return `${options.refuses} Forbidden by policy`
    const wanted = options.password && `Basic ${Buffer.from(options.password).toString("base64")}`
    return wanted && incoming.headers["proxy-authorization"] !== wanted
      ? "407 Proxy Authentication Required"
      : undefined
  }
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    headers.push(incoming.headers)
    const url = new URL(incoming.url ?? "")
    const port = names[url.hostname]
    if (refusal(incoming) !== undefined || port === undefined) return void response.writeHead(502).end()
    const { "proxy-authorization": _, ...rest } = incoming.headers
    const passed = request(
      {
        host: "127.0.0.1",
        port,
        path: `${url.pathname}${url.search}`,
        method: incoming.method,
        headers: rest,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      },
    )
    incoming.pipe(passed)
  })
  server.on("connect", (incoming, socket, head) => {
    asked.push(`CONNECT ${incoming.url}`)
    headers.push(incoming.headers)
    const no = refusal(incoming)
    const port = names[(incoming.url ?? "").split(":")[0] ?? ""]
    if (no !== undefined || port === undefined)
      return void socket.end(`HTTP/1.1 ${no ?? "502 Bad Gateway"}\r\n\r\n`)
    const target = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
      target.write(head)
      socket.on("data", (piece: Buffer) => seen.push(piece))
      joined(socket, target)
    })
    target.on("error", () => socket.destroy())
  })
  const port = await listening(server)
  return { port, asked, headers, seen: () => Buffer.concat(seen).toString("latin1") }
}

/** A port of this machine where nobody listens. */
export async function freePort(): Promise<number> {
  const server = createTcpServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

function joined(one: Duplex, other: Duplex): void {
  one.pipe(other)
  other.pipe(one)
  one.on("error", () => other.destroy())
  other.on("error", () => one.destroy())
}

async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}
