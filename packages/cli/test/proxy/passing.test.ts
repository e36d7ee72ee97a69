import { once } from "node:events"
import { Agent, type IncomingMessage, request } from "node:http"
import { connect, type Socket } from "node:net"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { exchange, proxyTo, rawUpstream, upstreamWith } from "./support.js"

const BODY = JSON.stringify({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "größer ✓" }] })

/** What a server receives for these bytes, byte for byte, straight or through the proxy. */
async function received(
  bytes: (port: number) => string | Uint8Array,
): Promise<{ straight: string; proxied: string }> {
  const seen: string[] = []
  const upstream = await rawUpstream((socket) => {
    let heard = ""
    socket.setEncoding("latin1").on("data", (text: string) => {
      heard += text
      if (!/END|\r\n\r\n$/.test(heard.slice(-20))) return
      seen.push(heard)
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    })
  })
  const proxy = await proxyTo(upstream.url)
  const port = Number(new URL(upstream.url).port)
  await exchange(port, bytes(port))
  await exchange(proxy.port, bytes(proxy.port))
  const [straight = "", proxied = ""] = seen
  return { straight, proxied: proxied.replace(`127.0.0.1:${proxy.port}`, `127.0.0.1:${port}`) }
}

describe.concurrent("what the server receives is what the client sent, byte for byte", () => {
  const head = (port: number, first: string, ...lines: string[]) =>
    [first, `Host: 127.0.0.1:${port}`, ...lines, "", ""].join("\r\n")

  it.each<[string, (port: number) => string | Uint8Array]>([
    [
      "a body with its length, headers in any order and spelling, one of them twice",
      (port) =>
        `${head(
          port,
          "POST /v1/messages?beta=true HTTP/1.1",
          "X-Api-Key: k",
          "aNTHROPIC-version: 2023-06-01",
          "X-Twice: one",
          "Accept-Encoding: gzip, br, zstd",
          "x-twice: two",
          "Content-Length: 6",
          "Connection: keep-alive",
        )}{}\nEND`,
    ],
    [
      "a body in chunks",
      (port) =>
        `${head(port, "POST /v1/responses HTTP/1.1", "Connection: close", "Transfer-Encoding: chunked", "Authorization: Bearer x")}5\r\n{}END\r\n0\r\n\r\n`,
    ],
    [
      "a path that the platform would write otherwise",
      (port) =>
        head(
          port,
          "GET /v1beta/models/a%2fb|c:x?key=K^&q=a'b HTTP/1.1",
          "x-goog-api-key: k",
          "Connection: close",
        ),
    ],
    [
      "a request without a body and without a length",
      (port) => head(port, "POST /v1/messages HTTP/1.1", "x-api-key: k", "Connection: close"),
    ],
    [
      "a compressed body",
      (port) => {
        const body = Buffer.concat([gzipSync(BODY), Buffer.from("END")])
        return Buffer.concat([
          Buffer.from(
            head(
              port,
              "POST /v1/messages HTTP/1.1",
              "content-encoding: gzip",
              `content-length: ${body.length}`,
              "connection: close",
            ),
          ),
          body,
        ])
      },
    ],
    [
      "a method that nobody uses",
      (port) => head(port, "DELETE /v1/files/f-1 HTTP/1.1", "Authorization: Bearer x", "Connection: close"),
    ],
  ])("%s", async (_, bytes) => {
    const { straight, proxied } = await received(bytes)
    expect(straight).not.toBe("")
    expect(proxied).toBe(straight)
  })

  it("leaves out what concerns the connection to the proxy only", async () => {
    const { proxied } = await received((port) =>
      head(
        port,
        "GET /v1/models HTTP/1.1",
        "Proxy-Authorization: Basic x",
        "Connection: close, X-Mine",
        "X-Mine: 1",
      ),
    )
    expect(proxied).not.toMatch(/proxy-authorization|x-mine/i)
    expect(proxied).toMatch(/^Connection: close\r$/m)
  })
})

describe.concurrent("what the client receives is what the server sent", () => {
  const answered = async (answer: string, ask = "GET /v1/models HTTP/1.1") => {
    const upstream = await rawUpstream((socket) => socket.once("data", () => socket.end(answer, "latin1")))
    const proxy = await proxyTo(upstream.url)
    return exchange(proxy.port, `${ask}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  }

  it.each([
    [
      "a body",
      "HTTP/1.1 418 I am a Teapot\r\nX-B: 2\r\nx-a: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
    ],
    ["no body", "HTTP/1.1 204 No Content\r\nX-Id: 1\r\nConnection: close\r\n\r\n"],
    ["not modified", "HTTP/1.1 304 Not Modified\r\nETag: x\r\nConnection: close\r\n\r\n"],
    [
      "a broken compression",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
    ],
    [
      "trailers",
      "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 6\r\n\r\n",
    ],
    [
      "a header that is no ASCII",
      "HTTP/1.1 200 OK\r\nX-Name: gr\u00fc\u00df\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    ],
  ])("%s", async (_, answer) => {
    expect(await answered(answer)).toBe(answer)
  })

  it("the head alone, with the length of what is not sent", async () => {
    const answer = "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nConnection: close\r\n\r\n"
    expect(await answered(answer, "HEAD /v1/models HTTP/1.1")).toBe(answer)
  })

  it("to a client of HTTP/1.0, without chunks", async () => {
    const answer =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    const heard = await answered(answer, "GET /v1/models HTTP/1.0")
    expect(heard).not.toMatch(/chunked/i)
    expect(heard).toMatch(/\r\n\r\nabc$/)
  })

  it("compressed bodies as they are", async () => {
    const bytes = brotliCompressSync(BODY)
    const upstream = await upstreamWith((_, response) =>
      response.writeHead(200, { "content-encoding": "br" }).end(bytes),
    )
    const proxy = await proxyTo(upstream.url)
    const [response] = (await once(
      request(`${proxy.url}/v1/messages`, { method: "POST", headers: { "accept-encoding": "br" } }).end(BODY),
      "response",
    )) as [IncomingMessage]
    expect(response.headers["content-encoding"]).toBe("br")
    expect(Buffer.concat(await response.toArray())).toEqual(bytes)
  })
})

describe.concurrent("while a call is under way", () => {
  it("hands on each event as it comes, and the head before the first", async () => {
    const going: { write?: (text: string) => void; end?: () => void } = {}
    const upstream = await upstreamWith((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      going.write = (text) => response.write(text)
      going.end = () => response.end()
    })
    const proxy = await proxyTo(upstream.url)
    const [response] = (await once(
      request(`${proxy.url}/v1/messages`, { method: "POST" }).end("{}"),
      "response",
    )) as [IncomingMessage]
    response.setEncoding("utf8")
    for (const text of ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]) {
      going.write?.(text)
      const [heard] = await once(response, "data")
      expect(heard).toBe(text)
    }
    going.end?.()
    await once(response, "end")
  })

  it("asks the server whether to go on, and passes on what it says", async () => {
    const proxied = await upstreamWith((incoming, response) => {
      incoming.resume().once("end", () => response.end("done"))
    })
    const asked: string[] = []
    proxied.server.on("checkContinue", (incoming: IncomingMessage, response) => {
      asked.push(String(incoming.headers.expect))
      if (incoming.url === "/v1/messages") {
        response.writeContinue()
        incoming.resume().once("end", () => response.end("done"))
      } else response.writeHead(413, { connection: "close" }).end("too large")
    })
    const proxy = await proxyTo(proxied.url)
    const ask = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n`
    expect(await exchange(proxy.port, ask("/v1/messages"), /100 Continue\r\n\r\n/)).toMatch(
      /^HTTP\/1.1 100 Continue/,
    )
    expect(await exchange(proxy.port, ask("/v1/responses"))).toMatch(/^HTTP\/1.1 413 .*too large/s)
    expect(asked).toEqual(["100-continue", "100-continue"])
  })

  it("ends the upstream call when the client goes away", async () => {
    const gone: { resolve?: () => void } = {}
    const left = new Promise<void>((resolve) => {
      gone.resolve = resolve
    })
    const upstream = await upstreamWith((_, response) => {
      response.writeHead(200).write("beginning")
      response.once("close", () => gone.resolve?.())
    })
    const proxy = await proxyTo(upstream.url)
    const asking = request(`${proxy.url}/v1/messages`, { method: "POST" }).end("{}")
    asking.on("error", () => undefined)
    const [response] = (await once(asking, "response")) as [IncomingMessage]
    response.on("error", () => undefined)
    await once(response, "data")
    asking.destroy()
    await left
  })

  it("ends the upstream call when the client goes away in the middle of its request", async () => {
    const upstream = await upstreamWith(() => undefined)
    const aborted = new Promise<void>((resolve) => {
      upstream.server.on("request", (incoming: IncomingMessage) => {
        incoming.on("data", () => socket.destroy())
        incoming.once("error", () => resolve())
      })
    })
    const proxy = await proxyTo(upstream.url)
    const socket: Socket = connect(proxy.port, "127.0.0.1")
    socket.write("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf")
    await aborted
  })

  it("reads no faster from the server than the client reads", async () => {
    const SIZE = 200 * 1024 * 1024
    const sent = { bytes: 0 }
    const piece = Buffer.alloc(1024 * 1024, 97)
    const stalled = { resolve: () => {} }
    const isStalled = new Promise<void>((resolve) => {
      stalled.resolve = resolve
    })
    const upstream = await upstreamWith((_, response) => {
      response.writeHead(200, { "content-length": SIZE })
      const more = () => {
        while (sent.bytes < SIZE) {
          sent.bytes += piece.length
          if (!response.write(piece)) {
            // Nobody reads: after this no drain comes until somebody does.
            if (sent.bytes > 4 * piece.length) stalled.resolve()
            return
          }
        }
        response.end()
      }
      response.on("drain", more)
      more()
    })
    const proxy = await proxyTo(upstream.url)
    const [response] = (await once(
      request(`${proxy.url}/v1/messages`, { method: "POST" }).end("{}"),
      "response",
    )) as [IncomingMessage]
    response.pause()
    await isStalled
    expect(sent.bytes).toBeLessThan(SIZE / 2)
    let heard = 0
    for await (const part of response as AsyncIterable<Buffer>) heard += part.length
    expect(heard).toBe(SIZE)
  })

  it("keeps and closes a client's connection as the server keeps and closes its own", async () => {
    const connections = new Set<Socket | null>()
    const upstream = await upstreamWith((incoming, response) => {
      connections.add(incoming.socket)
      response.end("ok")
    })
    const proxy = await proxyTo(upstream.url)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const get = async () => {
      const asking = request(`${proxy.url}/v1/models`, { agent }).end()
      const [response] = (await once(asking, "response")) as [IncomingMessage]
      await response.toArray()
      return asking
    }
    await get()
    const second = await get()
    expect(second.reusedSocket).toBe(true)
    expect(connections.size).toBe(1)
    const closed = once(second.socket as Socket, "close")
    for (const socket of connections) socket?.end()
    await closed
    agent.destroy()
  })
})

describe.concurrent("an upstream that fails", () => {
  const ask = (port: number, hear: (heard: string) => void = () => undefined) =>
    new Promise<{ code: string; heard: string }>((resolve) => {
      const socket = connect(port, "127.0.0.1")
      let heard = ""
      socket.setEncoding("latin1").on("data", (text: string) => {
        heard += text
        hear(heard)
      })
      socket.once("error", (error) => resolve({ code: String("code" in error && error.code), heard }))
      socket.once("end", () => resolve({ code: "closed", heard }))
      socket.write(`POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`)
    })

  it("refuses the connection: the client's is closed without an answer", async () => {
    const upstream = await upstreamWith(() => undefined)
    await new Promise((resolve) => upstream.server.close(resolve))
    const proxy = await proxyTo(upstream.url)
    expect(await ask(proxy.port)).toEqual({ code: "closed", heard: "" })
  })

  it("resets before it answers: a reset", async () => {
    const upstream = await rawUpstream((socket) => socket.once("data", () => socket.resetAndDestroy()))
    const proxy = await proxyTo(upstream.url)
    expect(await ask(proxy.port)).toEqual({ code: "ECONNRESET", heard: "" })
  })

  it("closes before it answers: closed", async () => {
    const upstream = await rawUpstream((socket) => socket.once("data", () => socket.end()))
    const proxy = await proxyTo(upstream.url)
    expect(await ask(proxy.port)).toEqual({ code: "closed", heard: "" })
  })

  const EVENTS = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
    "message_stop",
  ]

  it.each(
    EVENTS.flatMap(
      (_, i) =>
        [
          [i, "ECONNRESET" as const],
          [i, "closed" as const],
        ] as const,
    ),
  )(
    "breaks off after event %i (%s): the client has all that came before, and sees the same end",
    async (index, how) => {
      const events = EVENTS.slice(0, index + 1).map((event) => `event: ${event}\ndata: {}\n\n`)
      let end = () => {}
      const upstream = await rawUpstream((socket) =>
        socket.once("data", () => {
          socket.write(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
          )
          for (const event of events) socket.write(`${event.length.toString(16)}\r\n${event}\r\n`)
          end = () => (how === "closed" ? socket.end() : socket.resetAndDestroy())
        }),
      )
      const proxy = await proxyTo(upstream.url)
      // A reset that comes together with bytes is an ordinary end to Node, so it comes once these have arrived.
      const { code, heard } = await ask(proxy.port, (text) => {
        if (text.includes(events.at(-1) ?? "")) end()
      })
      expect(code).toBe(how)
      for (const event of events) expect(heard).toContain(event)
      expect(heard).not.toMatch(/\r\n0\r\n\r\n$/)
    },
  )

  it("says something that is no HTTP: closed", async () => {
    const upstream = await rawUpstream((socket) => socket.once("data", () => socket.end("what?\r\n\r\n")))
    const proxy = await proxyTo(upstream.url)
    expect((await ask(proxy.port)).heard).toBe("")
  })

  it("answers before it has read the request: the answer arrives", async () => {
    const upstream = await upstreamWith((_, response) => {
      response.writeHead(413, { connection: "close" }).end("too large")
    })
    const proxy = await proxyTo(upstream.url)
    const heard = await exchange(
      proxy.port,
      `POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n${"x".repeat(100_000)}`,
      /too large/,
    )
    expect(heard).toMatch(/^HTTP\/1.1 413/)
  })
})

describe.concurrent("who may ask", () => {
  const answerTo = async (host: string, path = "/v1/models") => {
    const upstream = await upstreamWith((_, response) => response.end("passed"))
    const proxy = await proxyTo(upstream.url)
    return exchange(proxy.port, `GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
  }

  it.each([
    "localhost",
    "LOCALHOST:1234",
    "127.0.0.1:80",
    "127.9.9.9",
    "[::1]:5",
    "me.localhost",
    "localhost.",
  ])("a client that names this machine: %s", async (host) => {
    expect(await answerTo(`Host: ${host}\r\n`)).toContain("passed")
  })

  it.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "xlocalhost"])(
    "no page that names another host: %s",
    async (host) => {
      const heard = await answerTo(`Host: ${host}\r\n`)
      expect(heard).toMatch(/^HTTP\/1.1 403 .*another host/s)
      expect(heard).not.toContain("passed")
    },
  )

  it("says that it is no forward proxy", async () => {
    expect(await answerTo("Host: api.anthropic.com\r\n", "http://api.anthropic.com/v1/models")).toMatch(
      /^HTTP\/1.1 400/,
    )
    expect(await answerTo("Host: localhost\r\n", "http://localhost/v1/models")).toContain("passed")
  })

  it("says so if it cannot tell whose a request is", async () => {
    expect(await answerTo("Host: localhost\r\n", "/hello")).toMatch(/^HTTP\/1.1 404 .*which provider/s)
  })
})
