import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as zlib from "node:zlib"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Capture } from "../../src/proxy/recorder/call-watcher.js"
import { decoded } from "../../src/proxy/recorder/decode.js"
import { NewestCalls } from "../../src/proxy/recorder/feed.js"
import { checkRecording, RecordingFile } from "../../src/proxy/recorder/file.js"
import { type CapturedCall, lineOf, textsOf } from "../../src/proxy/recorder/line.js"

const BODY = '{"model":"m","messages":[{"role":"user","content":"größer ✓"}]}'
let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sotto-recording-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const bytes = (text: string) => [new Uint8Array(Buffer.from(text))]

function recorded(call: Partial<CapturedCall>) {
  const whole: CapturedCall = {
    number: 1,
    at: 1_790_000_000_000,
    ms: 12,
    method: "POST",
    path: "/v1/messages",
    endpoint: { dialect: "anthropic" },
    headers: [],
    body: bytes(BODY),
    ...call,
  }
  return JSON.parse(lineOf(whole, textsOf(whole)))
}

describe("a line of a recording", () => {
  it("has the call as API.md says, with the raw texts", () => {
    const response = {
      status: 200,
      headers: ["Content-Type", "text/event-stream"],
      body: bytes("data: {}\n\n"),
    }
    expect(recorded({ headers: ["Content-Type", "application/json"], response })).toEqual({
      at: 1_790_000_000_000,
      ms: 12,
      request: {
        method: "POST",
        path: "/v1/messages",
        headers: { "content-type": "application/json" },
        body: BODY,
      },
      response: { status: 200, headers: { "content-type": "text/event-stream" }, body: "data: {}\n\n" },
    })
  })

  it("has what was sent instead, and what went wrong", () => {
    expect(recorded({ mending: { body: "{}", mends: [] }, error: "reset" })).toMatchObject({
      sent: { body: "{}" },
      error: "reset",
    })
    expect(recorded({ mending: { mends: [] } })).not.toHaveProperty("sent")
  })

  it("has no header that might let somebody in, whatever it is called", () => {
    const secret = "s3cret-value"
    const names =
      "authorization x-api-key X-Goog-Api-Key cookie set-cookie proxy-authorization chatgpt-account-id api-key x-anything"
    const headers = names.split(" ").flatMap((name) => [name, secret])
    const line = recorded({ headers, response: { status: 200, headers, body: bytes("{}") } })
    expect(JSON.stringify(line)).not.toContain(secret)
  })

  it.each([
    [
      "/v1beta/models/gemini-3-pro:generateContent?key=AIzaKey1&alt=sse",
      "/v1beta/models/gemini-3-pro:generateContent?alt=sse",
    ],
    ["/v1/messages?beta=true&token=t0ken", "/v1/messages?beta=true"],
    ["/sk-live-0123456789/v1/messages", "/[removed]/v1/messages"],
    ["/team/a/v1/messages", "/team/a/v1/messages"],
    ["/v1/0a1b2c3d4e5f/gateway/anthropic/v1/messages", "/v1/[removed]/gateway/anthropic/v1/messages"],
    ["/abcdefghijklmnopqrstuvwxyzabcdef/chat/completions", "/[removed]/chat/completions"],
  ])("has no key of the path: %s", (path, expected) => {
    expect(recorded({ path }).request.path).toBe(expected)
  })

  it("says of a body that is no text what it is", () => {
    const line = recorded({ body: [Uint8Array.of(0xff, 0xfe, 0)], headers: [] })
    expect(line.request.body).toMatch(/cannot be shown.*not UTF-8 text/)
  })
})

describe("a body", () => {
  it.each([
    ["gzip", gzipSync(BODY)],
    ["br", brotliCompressSync(BODY)],
    ["deflate", deflateSync(BODY)],
    ["deflate", deflateRawSync(BODY)],
    ["identity", Buffer.from(BODY)],
    ["gzip, br", brotliCompressSync(gzipSync(BODY))],
  ])("is unpacked: %s", (encoding, packed) => {
    expect(decoded(packed, encoding)).toEqual({ text: BODY })
  })

  it("that was cut off tells what came before", () => {
    const packed = gzipSync(BODY.repeat(2_000), { level: 1 })
    const cut = decoded(packed.subarray(0, packed.length - 20), "gzip")
    expect("text" in cut && BODY.repeat(2_000).startsWith(cut.text) && cut.text.length > 0).toBe(true)
  })

  it("that unpacks to more than is read says so, whatever it is compressed with", () => {
    const zeros = Buffer.alloc(129 * 1024 * 1024)
    const zstd: unknown = Reflect.get(zlib, "zstdCompressSync")
    const packed: readonly [string, Uint8Array][] = [
      ["gzip", gzipSync(zeros)],
      ["deflate", deflateSync(zeros)],
      ["br", brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
      ...(typeof zstd === "function" ? [["zstd", zstd(zeros)] as [string, Uint8Array]] : []),
    ]
    for (const [encoding, body] of packed)
      expect([encoding, decoded(body, encoding)]).toEqual([
        encoding,
        { problem: expect.stringMatching(/^larger than 128 MB/) },
      ])
    expect(decoded(gzipSync(BODY), "gzip, gzip, gzip, gzip")).toEqual({
      problem: "compressed more than 3 times",
    })
  })

  it("that cannot be unpacked says why", () => {
    expect(decoded(Buffer.from("abc"), "gzip")).toEqual({ problem: "not the gzip that its header promises" })
    expect(decoded(Buffer.from("abc"), "rot13")).toMatchObject({ problem: expect.stringContaining("rot13") })
  })

  it("is kept exactly, in whatever pieces it comes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9_000 }), { maxLength: 40 }), (pieces) => {
        const capture = new Capture()
        for (const piece of pieces) {
          capture.push(piece)
          // The traffic goes on with its memory.
          piece.slice().fill(0)
        }
        expect(Buffer.concat(capture.take())).toEqual(Buffer.concat(pieces))
      }),
    )
  })
})

describe("the file", () => {
  const path = (name: string) => join(folder, name)
  const line = (n: number) => Buffer.from(`${JSON.stringify({ ...recorded({}), at: n })}\n`)

  it("is made for its owner only, and added to", async () => {
    await checkRecording(path("new.jsonl"))
    for (const n of [1, 2]) {
      const file = new RecordingFile(path("new.jsonl"))
      file.add(line(n))
      file.close()
    }
    expect(statSync(path("new.jsonl")).mode & 0o777).toBe(0o600)
    expect(readFileSync(path("new.jsonl"), "utf8")).toBe(`${line(1)}${line(2)}`)
    await checkRecording(path("new.jsonl"))
  })

  it("is closed to others if it was open", () => {
    writeFileSync(path("open.jsonl"), line(1))
    chmodSync(path("open.jsonl"), 0o644)
    new RecordingFile(path("open.jsonl")).close()
    expect(statSync(path("open.jsonl")).mode & 0o777).toBe(0o600)
  })

  it("begins a new line after one that was cut off", () => {
    writeFileSync(path("torn.jsonl"), `${line(1)}{"at":2,"requ`)
    const file = new RecordingFile(path("torn.jsonl"))
    file.add(line(3))
    file.close()
    expect(readFileSync(path("torn.jsonl"), "utf8")).toBe(`${line(1)}{"at":2,"requ\n${line(3)}`)
  })

  it.each([
    ["a letter", "Dear Sir,\nhello\n"],
    ["a configuration", '{"model":"x"}\n'],
    ["bodies alone", `${BODY}\n`],
  ])("is not touched if it is something else: %s", async (name, content) => {
    writeFileSync(path(name), content)
    await expect(checkRecording(path(name))).rejects.toThrow(/no recording of calls/)
    expect(readFileSync(path(name), "utf8")).toBe(content)
  })

  it("has to be writable", async () => {
    await expect(checkRecording(join(folder, "nowhere", "a.jsonl"))).rejects.toThrow(/cannot be written/)
    await expect(checkRecording(folder)).rejects.toThrow(/is a folder/)
  })

  it("may be a device, whose mode is left alone", () => {
    const before = statSync("/dev/full").mode
    const file = new RecordingFile("/dev/full")
    expect(() => file.add(line(1))).toThrow(/ENOSPC/)
    file.close()
    expect(statSync("/dev/full").mode).toBe(before)
  })
})

it("keeps the newest calls, as far as there is room", () => {
  const calls = new NewestCalls(100)
  const heard: number[] = []
  const stop = calls.listen(() => heard.push(1))
  for (let n = 1; n <= 10; n++) calls.add(n, new Uint8Array(30))
  stop()
  calls.add(11, new Uint8Array(500))
  expect(heard.length).toBe(10)
  expect(calls.from(1)?.number).toBe(11)
  expect(calls.from(12)).toBeUndefined()
})
