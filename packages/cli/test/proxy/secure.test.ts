import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { createServer, type Server } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benchWith, finished } from "../support/sotto.js"
import { exchange, portOf, proxyTo, rawUpstream, upstreamWith } from "./support.js"

let folder = ""
let server: Server
let url = ""
const certificate = () => join(folder, "cert.pem")

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sotto-tls-"))
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
  const files = ["-keyout", join(folder, "key.pem"), "-out", certificate()]
  execFileSync("openssl", [...request, ...subject, ...files], { stdio: "ignore" })
  server = createServer({ key: readFileSync(join(folder, "key.pem")), cert: readFileSync(certificate()) })
  server.on("request", (incoming: IncomingMessage, response) => {
    response.end(`${incoming.method} ${incoming.url} ${incoming.headers.host}`)
  })
  server.on("upgrade", acceptSocket)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url = `https://localhost:${portOf(server)}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Accepts a WebSocket, and sends back every byte of it. */
function acceptSocket(incoming: IncomingMessage, socket: Duplex): void {
  const accept = createHash("sha1")
    .update(`${incoming.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64")
  socket.on("error", () => undefined)
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  socket.pipe(socket)
}

const UPGRADE = [
  "GET /v1/realtime?model=m HTTP/1.1",
  "Host: localhost",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Authorization: Bearer k",
  "",
  "",
].join("\r\n")
// A text frame of a client, masked, as it stands on the wire.
const FRAME = Buffer.from([0x81, 0x85, 1, 2, 3, 4, 0x69, 0x67, 0x6f, 0x68, 0x6e])

describe("over TLS", () => {
  it("passes requests on to a server whose certificate it trusts", async () => {
    const proxy = await proxyTo(url, { tls: { ca: readFileSync(certificate()) } })
    const answer = await fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}" })
    expect(await answer.text()).toBe(`POST /v1/messages localhost:${portOf(server)}`)
  })

  it("passes nothing on to a server whose certificate it does not trust", async () => {
    const proxy = await proxyTo(url)
    await expect(fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}" })).rejects.toThrow(
      "fetch failed",
    )
  })

  it("trusts what Node's own variable names", async () => {
    const script = 'curl -sS "$ANTHROPIC_BASE_URL/v1/messages" -d "{}"'
    const env = { ANTHROPIC_BASE_URL: url, NODE_EXTRA_CA_CERTS: certificate() }
    const { out } = await finished(benchWith(), ["proxy", "--", "sh", "-c", script], env)
    expect(out).toBe(`POST /v1/messages localhost:${portOf(server)}`)
  })

  it("tunnels a WebSocket", async () => {
    const proxy = await proxyTo(url, { tls: { ca: readFileSync(certificate()) } })
    const bytes = Buffer.concat([Buffer.from(UPGRADE), FRAME])
    const heard = await exchange(proxy.port, bytes, /\r\n\r\n[\s\S]{11}/)
    expect(heard).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/)
    expect(heard.slice(-FRAME.length)).toBe(FRAME.toString("latin1"))
  })
})

describe("a WebSocket", () => {
  it("reaches the server byte for byte, with the server's own host", async () => {
    const { promise, resolve } = deferred<string>()
    const upstream = await rawUpstream((socket) => socket.setEncoding("latin1").once("data", resolve))
    const proxy = await proxyTo(upstream.url)
    void exchange(proxy.port, UPGRADE).catch(() => undefined)
    expect(await promise).toBe(UPGRADE.replace("Host: localhost", `Host: ${new URL(upstream.url).host}`))
  })

  it("gets the server's refusal as it is", async () => {
    const refusal = "HTTP/1.1 401 Unauthorized\r\nX-Why: no key\r\nContent-Length: 2\r\n\r\nno"
    const upstream = await rawUpstream((socket) => socket.once("data", () => socket.end(refusal)))
    const proxy = await proxyTo(upstream.url)
    expect(await exchange(proxy.port, UPGRADE)).toBe(refusal)
  })

  it("is closed when the other side is", async () => {
    const upstream = await upstreamWith(() => undefined)
    upstream.server.on("upgrade", (_, socket) => socket.end())
    const proxy = await proxyTo(upstream.url)
    expect(await exchange(proxy.port, UPGRADE)).toBe("")
  })

  it("to a model is refused to an agent that speaks HTTP then, and no other", async () => {
    const upstream = await upstreamWith(() => undefined)
    upstream.server.on("upgrade", acceptSocket)
    const proxy = await proxyTo(upstream.url, { refuseTunnel: () => true })
    const toModel = UPGRADE.replace("/v1/realtime?model=m", "/v1/responses")
    expect(await exchange(proxy.port, toModel)).toMatch(/^HTTP\/1.1 426 /)
    expect(await exchange(proxy.port, UPGRADE, /\r\n\r\n/)).toMatch(/^HTTP\/1.1 101 /)
  })

  it("from a page of another host is refused", async () => {
    const proxy = await proxyTo((await upstreamWith(() => undefined)).url)
    expect(await exchange(proxy.port, UPGRADE.replace("Host: localhost", "Host: evil.example"))).toMatch(
      /^HTTP\/1.1 403 /,
    )
  })
})

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((given) => {
    resolve = given
  })
  return { promise, resolve }
}
