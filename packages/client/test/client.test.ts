import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { SottoApiError, SottoClient } from "../src/index.js"

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that answers each request with the next of these answers, and a client of it. */
async function answering(...answers: ((incoming: IncomingMessage, outgoing: ServerResponse) => void)[]) {
  const requests: IncomingMessage[] = []
  const server = createServer((incoming, outgoing) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push(incoming)
    answer?.(incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { requests, client: new SottoClient({ url: `http://127.0.0.1:${port}/`, token: "secret" }) }
}

function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
  return (_: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
  }
}

function stream(...pieces: readonly string[]) {
  return (_: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" })
    for (const piece of pieces) outgoing.write(piece)
    outgoing.end()
  }
}

const notNow = json(
  503,
  { error: { code: "unavailable", message: "The store is away." } },
  { "retry-after": "0" },
)

describe("a call", () => {
  it("goes to the path of its operation, with its parts escaped, its query and the token", async () => {
    const { client, requests } = await answering(json(200, { rows: [], total: 0 }))
    await client.getSteps("a/b?c", { from: 2, limit: undefined })
    expect(requests[0]?.url).toBe("/sessions/a%2Fb%3Fc/steps?from=2")
    expect(requests[0]?.headers.authorization).toBe("Bearer secret")
  })

  it("repeats a parameter that has several values", async () => {
    const { client, requests } = await answering(json(200, { sessions: [], more: false }))
    await client.listSessions({ label: ["a", "b c"] })
    expect(requests[0]?.url).toBe("/sessions?label=a&label=b+c")
  })

  it("throws what the server refuses, with its code, its remedy and the time to wait", async () => {
    const error = { code: "too-many-requests", message: "Too many.", remedy: "Wait." }
    const { client } = await answering(json(429, { error }, { "retry-after": "7" }))
    const refused = client.say("x", { text: "Hello" })
    await expect(refused).rejects.toBeInstanceOf(SottoApiError)
    await expect(refused).rejects.toMatchObject({ status: 429, ...error, retryAfter: 7 })
  })

  it("throws for an answer that is not the server's", async () => {
    const { client } = await answering((_, outgoing) => outgoing.writeHead(502).end("<h1>Bad gateway</h1>"))
    await expect(client.health()).rejects.toMatchObject({ status: 502, code: "unknown" })
  })

  it("is sent again after a 503 if it only reads, and is not if it changes something", async () => {
    const reading = await answering(notNow, notNow, json(200, { status: "ok", version: "1" }))
    expect(await reading.client.health()).toEqual({ status: "ok", version: "1" })
    expect(reading.requests).toHaveLength(3)
    const saying = await answering(notNow)
    await expect(saying.client.say("x", { text: "Hello" })).rejects.toMatchObject({ status: 503 })
    expect(saying.requests).toHaveLength(1)
  })
})

describe("a stream", () => {
  it("goes on after the newest number when the connection breaks or the server says 503", async () => {
    const { client, requests } = await answering(
      stream('id: 3\ndata: {"type":"step","n":1}\n\ndata: {"type":"partial","of":"text","text":"H"}\n\n'),
      notNow,
      stream(
        'id: 3\ndata: {"type":"step","n":1}\n\nid: 5\r\nda',
        'ta: {"type":"step",\r',
        '\ndata: "n":2}\r\n\r\n',
      ),
    )
    const told: unknown[] = []
    for await (const item of client.events("x", { from: 1 })) {
      told.push(item)
      if (item.seq === 5) break
    }
    expect(told).toEqual([
      { seq: 3, event: { type: "step", n: 1 } },
      { event: { type: "partial", of: "text", text: "H" } },
      { seq: 5, event: { type: "step", n: 2 } },
    ])
    expect(requests.map(({ url }) => url)).toEqual(Array(3).fill("/sessions/x/events?from=1"))
    expect(requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "3", "3"])
  })

  it("ends with its trace, with its signal, and with a refusal that does not pass", async () => {
    const trace = await answering(stream('id: 1\ndata: {"type":"call","n":1}\n\ndata: {"type":"end"}\n\n'))
    const types: string[] = []
    for await (const { event } of trace.client.traceEvents("t")) types.push(event.type)
    expect(types).toEqual(["call", "end"])

    const stop = new AbortController()
    const { client } = await answering(stream('id: 1\ndata: {"type":"step","n":1}\n\n'))
    let count = 0
    for await (const _ of client.events("x", { signal: stop.signal })) {
      count++
      stop.abort()
    }
    expect(count).toBe(1)

    const gone = await answering(json(404, { error: { code: "unknown-session", message: "No." } }))
    await expect(gone.client.events("x").next()).rejects.toMatchObject({ code: "unknown-session" })
  })
})
