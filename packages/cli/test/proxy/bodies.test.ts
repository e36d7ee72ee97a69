import { createHash } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { type IncomingMessage, request } from "node:http"
import { createGzip, gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { type Bench, benchWith, type Run, reaching, sotto } from "../support/sotto.js"
import { upstreamWith } from "./support.js"

const MB = 1024 * 1024
const LIMIT = 128 * MB
const PIECE = Buffer.alloc(MB, "x")

async function proxyAt(bench: Bench, upstream: string, args: readonly string[]) {
  const run = sotto(bench, ["proxy", "--record", "calls.jsonl", ...args], reaching(upstream))
  const [, url = ""] = await run.said(/listening on (http:\/\/127\.0\.0\.1:\d+)/)
  await run.said(/Ctrl\+C ends/)
  return { run, url }
}

/** The calls of a recording, once the proxy has ended. */
async function recorded(bench: Bench, run: Run) {
  run.signal("SIGINT")
  await run.ended
  const lines = readFileSync(bench.path("calls.jsonl"), "utf8").trimEnd().split("\n")
  return lines.map((line) => JSON.parse(line))
}

/** An upstream that says how much reached it, and tells when something did. */
async function counting() {
  const hash = createHash("sha256")
  let size = 0
  let tell = () => {}
  const begun = new Promise<void>((resolve) => {
    tell = resolve
  })
  const { url } = await upstreamWith(async (asked, response) => {
    for await (const piece of asked as AsyncIterable<Buffer>) {
      size += piece.length
      hash.update(piece)
      tell()
    }
    response.end(JSON.stringify({ size, hash: hash.digest("hex") }))
  })
  return { url, begun }
}

/** Zeros, so many megabytes of them, in a few kilobytes. */
const MEMBER = gzipSync(Buffer.alloc(64 * MB))
const BOMB = Buffer.concat(Array.from({ length: 16 }, () => MEMBER))

describe("a request that is larger than what the proxy reads", () => {
  it.each([[[]], [["--hold"]]])("passes as a stream, byte for byte: %j", async (args) => {
    const [bench, upstream] = [benchWith(), await counting()]
    const { run, url } = await proxyAt(bench, upstream.url, args)
    const asking = request(`${url}/v1/messages`, {
      method: "POST",
      headers: { "transfer-encoding": "chunked", expect: "100-continue" },
    })
    asking.flushHeaders()
    await once(asking, "continue")
    const hash = createHash("sha256")
    const count = LIMIT / MB + 2
    for (let i = 0; i < count; i++) {
      hash.update(PIECE)
      if (!asking.write(PIECE)) await once(asking, "drain")
    }
    // The client has not ended its request: the proxy has passed on what it has.
    await upstream.begun
    asking.end()
    const [answer] = (await once(asking, "response")) as [IncomingMessage]
    const told = JSON.parse(Buffer.concat(await answer.toArray()).toString())
    expect(told).toEqual({ size: count * MB, hash: hash.digest("hex") })
    const [call] = await recorded(bench, run)
    expect(call.request.body).toMatch(/cannot be shown.*larger than 128 MB/)
    expect(call.response.body).toContain(told.hash)
  })
})

it("a response that is larger passes on, and the recording says that it was", async () => {
  const count = LIMIT / MB + 2
  const upstream = await upstreamWith(async (asked, response) => {
    asked.resume()
    for (let i = 0; i < count; i++) if (!response.write(PIECE)) await once(response, "drain")
    response.end()
  })
  const bench = benchWith()
  const { run, url } = await proxyAt(bench, upstream.url, [])
  const answer = await fetch(`${url}/v1/messages`, { method: "POST", body: "{}" })
  expect((await answer.arrayBuffer()).byteLength).toBe(count * MB)
  const [call] = await recorded(bench, run)
  expect(call.request.body).toBe("{}")
  expect(call.response.body).toMatch(/larger than 128 MB/)
})

it.each([
  ["gzip", BOMB],
  ["gzip, gzip", gzipSync(BOMB)],
])("what unpacks to much more is recorded as too large, and passes as it is: %s", async (encoding, bomb) => {
  const seen: Buffer[] = []
  const upstream = await upstreamWith(async (asked, response) => {
    seen.push(Buffer.concat(await asked.toArray()))
    response.writeHead(200, { "content-encoding": encoding }).end(bomb)
  })
  const bench = benchWith()
  const { run, url } = await proxyAt(bench, upstream.url, ["--hold"])
  const asking = request(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-encoding": encoding, "content-length": bomb.length },
  }).end(bomb)
  const [answer] = (await once(asking, "response")) as [IncomingMessage]
  expect(Buffer.concat(await answer.toArray()).equals(bomb)).toBe(true)
  expect(seen[0]?.equals(bomb)).toBe(true)
  const [call] = await recorded(bench, run)
  expect(call.request.body).toMatch(/larger than 128 MB/)
  expect(call.response.body).toMatch(/larger than 128 MB/)
})

it("goes on to look at calls after one whose record would be longer than a text can be", async () => {
  // Each byte is six in JSON.
  const packed = createGzip()
  for (let i = 0; i < 120; i++) packed.write(Buffer.alloc(MB, 1))
  packed.end()
  const body = Buffer.concat(await packed.toArray())
  const upstream = await upstreamWith((asked, response) => {
    asked.resume().on("end", () => response.end("{}"))
  })
  const bench = benchWith()
  const { run, url } = await proxyAt(bench, upstream.url, [])
  const post = (headers: Record<string, string>, sent: Uint8Array) =>
    fetch(`${url}/v1/messages`, { method: "POST", headers, body: Buffer.from(sent) }).then((one) =>
      one.text(),
    )
  await post({ "content-encoding": "gzip" }, body)
  await post({}, Buffer.from('{"model":"m","messages":[]}'))
  const [first, second] = await recorded(bench, run)
  expect(first.request.body).toMatch(/cannot be shown/)
  expect(second.request.body).toBe('{"model":"m","messages":[]}')
})
