import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { MendedRequest, Mender, OriginalRequest } from "@sotto/lens"
import { afterAll, describe, expect, it } from "vitest"
import { HeldState, heldPath, readHeld } from "../../src/proxy/mending/held.js"
import type { Mending } from "../../src/proxy/mending/mended.js"
import { policyOf } from "../../src/proxy/mending/policy.js"
import { rewriting } from "../../src/proxy/mending/rewriting.js"
import type { Tap } from "../../src/proxy/passing/tap.js"
import { bodiesOf, conversationOf } from "../support/bodies.js"
import { benchWith, reaching, serverWith, sotto } from "../support/sotto.js"
import { exchange, proxyTo, upstreamWith } from "./support.js"

const folder = mkdtempSync(join(tmpdir(), "sotto-mending-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ORIGINAL = JSON.stringify({
  model: "m",
  max_tokens: 1,
  messages: [{ role: "user", content: "as it was" }],
})
const MENDED = ORIGINAL.replace("as it was", "mended: größer")
const MEND = { policy: "hold", path: "messages[0]", message: "It was held." } as const

function menderThat(mend: (request: OriginalRequest) => MendedRequest, refused?: Mender["refused"]): Mender {
  return { mend, save: () => "{}", ...(refused && { refused }) }
}

/** What a server receives from a proxy with this mender, and what is told of it. */
async function sentBy(
  mender: Mender,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = ORIGINAL,
  answer: (body: string) => number = () => 200,
) {
  const seen: { headers: readonly string[]; body: string }[] = []
  const upstream = await upstreamWith(async (incoming, response) => {
    const text = Buffer.concat(await incoming.toArray()).toString()
    seen.push({ headers: incoming.rawHeaders, body: text })
    response.writeHead(answer(text)).end(text)
  })
  const told: Mending[] = []
  const tap: Tap = {
    sent: () => {},
    received: () => {},
    answered: () => {},
    ended: () => {},
    mended: (one) => told.push(one),
  }
  const proxy = await proxyTo(upstream.url, { rewrite: rewriting(mender, () => {}), watch: () => tap })
  const reply = await fetch(`${proxy.url}/v1/messages`, {
    method: "POST",
    headers,
    body: Buffer.from(body as Uint8Array),
  })
  return { seen, told, status: reply.status, text: await reply.text() }
}

describe.concurrent("a request that is mended", () => {
  const mender = menderThat(() => ({ body: MENDED, mends: [MEND] }))

  it("goes out with its own length, and is told with both versions", async () => {
    const { seen, told } = await sentBy(mender)
    expect(seen).toHaveLength(1)
    expect(seen[0]?.body).toBe(MENDED)
    expect(seen[0]?.headers.join("\n").toLowerCase()).toContain(
      `content-length\n${Buffer.byteLength(MENDED)}`,
    )
    expect(told).toEqual([{ mends: [MEND], body: MENDED }])
  })

  it("goes out uncompressed if it came compressed", async () => {
    const asked: string[] = []
    const looking = menderThat(({ body }) => {
      asked.push(body)
      return { body: MENDED, mends: [MEND] }
    })
    const { seen } = await sentBy(looking, { "content-encoding": "gzip" }, gzipSync(ORIGINAL))
    expect(asked).toEqual([ORIGINAL])
    expect(seen[0]?.body).toBe(MENDED)
    expect(seen[0]?.headers.join(" ")).not.toContain("content-encoding")
  })

  it("names the betas that it needs besides its own", async () => {
    const asked: OriginalRequest[] = []
    const needing = menderThat((request) => {
      asked.push(request)
      return { body: MENDED, mends: [MEND], betas: ["b-2"] }
    })
    const { seen } = await sentBy(needing, { "anthropic-beta": "a-1" })
    expect(asked[0]?.betas).toEqual(["a-1"])
    expect(seen[0]?.headers.join("\n")).toContain("anthropic-beta\na-1,b-2")
  })

  it("goes out as it was if the provider refuses it, and the client sees that answer only", async () => {
    const refused: string[] = []
    const wrong = menderThat(
      () => ({ body: MENDED, mends: [MEND] }),
      ({ body }) => refused.push(body),
    )
    const { seen, told, status, text } = await sentBy(wrong, {}, ORIGINAL, (body) =>
      body === MENDED ? 400 : 200,
    )
    expect(seen.map(({ body }) => body)).toEqual([MENDED, ORIGINAL])
    expect([status, text, refused]).toEqual([200, ORIGINAL, [ORIGINAL]])
    expect(told.at(-1)).toEqual({ mends: [], fellBack: "the provider refused the mended request with 400." })
  })

  it("is not to blame if the provider refuses the original too", async () => {
    const refused: string[] = []
    const right = menderThat(
      () => ({ body: MENDED, mends: [MEND] }),
      ({ body }) => refused.push(body),
    )
    const { status } = await sentBy(right, {}, ORIGINAL, () => 400)
    expect([status, refused]).toEqual([400, []])
  })
})

describe.concurrent("the original goes out byte for byte", () => {
  it("if there is nothing to mend, compressed as it came", async () => {
    const packed = gzipSync(ORIGINAL)
    const { text, told } = await sentBy(
      menderThat(({ body }) => ({ body, mends: [] })),
      { "content-encoding": "gzip" },
      packed,
    )
    expect(text).toBe(packed.toString())
    expect(told).toEqual([{ mends: [] }])
  })

  it("if the mender fails", async () => {
    const failing = menderThat(() => {
      throw new Error("stumbled")
    })
    const { seen, told } = await sentBy(failing)
    expect(seen[0]?.body).toBe(ORIGINAL)
    expect(told[0]?.fellBack).toContain("stumbled")
  })

  it("if it is no text", async () => {
    const { seen, told } = await sentBy(
      menderThat(() => ({ body: MENDED, mends: [] })),
      {},
      Uint8Array.of(0xff, 0xfe),
    )
    expect(seen[0]?.body).toBe(Buffer.of(0xff, 0xfe).toString())
    expect(told[0]?.fellBack).toContain("not UTF-8")
  })

  it("if the client waits to be told to go on", async () => {
    const upstream = await upstreamWith(async (incoming, response) => {
      response.end(`${incoming.headers.expect} ${Buffer.concat(await incoming.toArray())}`)
    })
    const rewrite = rewriting(
      menderThat(({ body }) => ({ body, mends: [] })),
      () => {},
    )
    const proxy = await proxyTo(upstream.url, { rewrite })
    const ask =
      "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
    expect(await exchange(proxy.port, ask)).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 .*undefined \{\}/s,
    )
  })
})

it("asks no mender about calls that only count", async () => {
  const upstream = await upstreamWith((incoming, response) => incoming.pipe(response))
  const proxy = await proxyTo(upstream.url, {
    rewrite: rewriting(
      menderThat(() => ({ body: MENDED, mends: [] })),
      () => {},
    ),
  })
  const reply = await fetch(`${proxy.url}/v1/messages/count_tokens`, { method: "POST", body: ORIGINAL })
  expect(await reply.text()).toBe(ORIGINAL)
})

it("takes policies from the command line on top of the configuration's", () => {
  expect(policyOf({}, {})).toBeUndefined()
  expect(policyOf({}, { hold: false, mute: [] })).toBeUndefined()
  expect(policyOf({ hold: "" }, {})).toEqual({ hold: true })
  expect(
    policyOf(
      { hold: "results", mute: ["b"], throttle: ["c=5"] },
      { hold: true, mute: ["a"], throttle: { c: 2, d: 3 } },
    ),
  ).toEqual({
    hold: "results",
    mute: ["a", "b"],
    throttle: { c: 5, d: 3 },
  })
})

describe("what is held", () => {
  it("is in a file for its owner only, written as a whole, and found again", () => {
    const path = heldPath({ SOTTO_HOME: folder }, { port: 0, cwd: "/somewhere" })
    expect(readHeld(path)).toBeUndefined()
    let text = "one"
    const state = new HeldState(
      path,
      () => text,
      () => undefined,
    )
    state.touch()
    text = "two"
    state.flush()
    expect(readHeld(path)).toBe("two")
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, "proxy"))).toHaveLength(1)
    expect(heldPath({ SOTTO_HOME: folder }, { port: 80, cwd: "/somewhere" })).not.toBe(path)
  })
})

/** So many messages, with a date in the system prompt. */
function conversation(messages: number, day: number): string {
  const cache_control = { type: "ephemeral" }
  return JSON.stringify({
    model: "claude-opus-4-8",
    max_tokens: 100,
    system: [
      {
        type: "text",
        text: `${"Mind the manual. ".repeat(600)}\nToday's date: 2026-11-${day}`,
        cache_control,
      },
    ],
    messages: Array.from({ length: messages }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: `Message ${i}`, ...(i === messages - 1 && { cache_control }) }],
    })),
  })
}

it("holds a date in the system prompt, tells the new one, records both versions, and goes on after a restart", async () => {
  const server = await serverWith(Array.from({ length: 9 }, (_, i) => ({ text: `Message ${2 * i + 1}` })))
  const bench = benchWith()
  const turn = async (bodies: readonly string[]) => {
    const run = sotto(bench, ["proxy", "--hold", "--record", "calls.jsonl"], reaching(server.url))
    const [, url = ""] = await run.said(/listening on (\S+)/)
    await run.said(/Ctrl\+C ends/)
    for (const [i, body] of bodies.entries()) {
      const headers = {
        "x-api-key": "k",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
      }
      const reply = await fetch(`${url}/v1/messages`, { method: "POST", headers, body })
      expect(await reply.text()).toContain('"type":"message"')
      await run.said(new RegExp(`^${i + 1} {2}thread`, "m"))
    }
    run.signal("SIGINT")
    return (await run.ended).err
  }
  const err = await turn([conversation(1, 16), conversation(3, 17)])
  expect(err).toMatch(/^2 .*mended in \d+ place/m)
  expect(err).not.toMatch(/BREAK/)
  expect(err).toMatch(/note {2}mended/)
  expect(await turn([conversation(5, 17)])).not.toMatch(/BREAK/)
  const systems = server.requests.map(({ body }) => JSON.stringify((body as { system: unknown }).system))
  expect(new Set(systems.map((text) => text.match(/2026-11-\d\d/)?.[0]))).toEqual(new Set(["2026-11-16"]))
  expect(conversationOf(bodiesOf(server)[1])).toContain("2026-11-17")
  for (const { problems } of server.requests) expect(problems).toEqual([])
  const [first, second] = readFileSync(bench.path("calls.jsonl"), "utf8").split("\n")
  expect(JSON.parse(first ?? "")).not.toHaveProperty("sent")
  expect(JSON.parse(second ?? "")).toMatchObject({
    request: { body: conversation(3, 17) },
    sent: { body: expect.stringContaining("2026-11-16") },
  })
})
