import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { MendedRequest, Mender, OriginalRequest } from "@sotto/lens"
import type { Rehearsal } from "@sotto/rehearsal"
import { afterAll, describe, expect, it } from "vitest"
import { policyOf } from "../../src/proxy/mender/policy.js"
import { HeldState, heldPath, readHeld, rewriting } from "../../src/proxy/mender/rewrite.js"
import type { MendResult, Tap } from "../../src/proxy/transport/tap.js"
import { bodiesOf, conversationOf, expectClean, times } from "../support/bodies.js"
import { type Bench, benchWith, finished, reaching, serverWith, sotto } from "../support/sotto.js"
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
  const told: MendResult[] = []
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
  expect(policyOf({ smoosh: true }, {})).toEqual({ smoosh: true })
  expect(policyOf({}, { smoosh: true, hold: false })).toEqual({ smoosh: true })
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

/** Sends requests through a proxy of its own, one after the other, and returns what it said. */
async function passed(
  bench: Bench,
  server: Rehearsal,
  args: readonly string[],
  bodies: Iterable<string>,
  hear: (answer: string) => void = () => {},
) {
  const run = sotto(bench, ["proxy", ...args, "--record", "calls.jsonl"], reaching(server.url))
  const [, url = ""] = await run.said(/listening on (\S+)/)
  await run.said(/Ctrl\+C ends/)
  let count = 0
  for (const body of bodies) {
    const headers = {
      "x-api-key": "k",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
    }
    const reply = await fetch(`${url}/v1/messages`, { method: "POST", headers, body })
    const answer = await reply.text()
    expect(answer).toContain('"type":"message"')
    hear(answer)
    await run.said(new RegExp(`^${++count} {2}thread`, "m"))
  }
  run.signal("SIGINT")
  return (await run.ended).err
}

const recordedIn = (bench: Bench) =>
  readFileSync(bench.path("calls.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

it("holds a date in the system prompt, tells the new one, records both versions, and goes on after a restart", async () => {
  const server = await serverWith(Array.from({ length: 9 }, (_, i) => ({ text: `Message ${2 * i + 1}` })))
  const bench = benchWith()
  const err = await passed(bench, server, ["--hold"], [conversation(1, 16), conversation(3, 17)])
  expect(err).toMatch(/^2 .*mended in \d+ place/m)
  expect(err).not.toMatch(/BREAK/)
  expect(err).toMatch(/note {2}mended/)
  expect(await passed(bench, server, ["--hold"], [conversation(5, 17)])).not.toMatch(/BREAK/)
  const systems = server.requests.map(({ body }) => JSON.stringify((body as { system: unknown }).system))
  expect(new Set(systems.map((text) => text.match(/2026-11-\d\d/)?.[0]))).toEqual(new Set(["2026-11-16"]))
  expect(conversationOf(bodiesOf(server)[1])).toContain("2026-11-17")
  for (const { problems } of server.requests) expect(problems).toEqual([])
  const [first, second] = recordedIn(bench)
  expect(first).not.toHaveProperty("sent")
  expect(second).toMatchObject({
    request: { body: conversation(3, 17) },
    sent: { body: expect.stringContaining("2026-11-16") },
  })
})

const REMINDER = (n: number) =>
  `<system-reminder>The TodoWrite tool has not been used: ${n}.</system-reminder>`

/** A tool loop of so many steps. A reminder follows every result, and a user's words follow the second one. */
function toolLoop(steps: number, day: number): string {
  const cache_control = { type: "ephemeral" }
  const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more })
  const step = (n: number) => [
    { role: "assistant", content: [{ type: "tool_use", id: `c${n}`, name: "read", input: { n } }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `c${n}`, content: `Result ${n}` },
        ...(n === 1 ? [text("Mind b.ts.")] : []),
        text(REMINDER(n), n === steps - 1 ? { cache_control } : {}),
      ],
    },
  ]
  return JSON.stringify({
    model: "claude-sonnet-5",
    max_tokens: 100,
    system: [text(`${"Mind the manual. ".repeat(600)}\nToday's date: 2026-11-${day}`, { cache_control })],
    tools: [{ name: "read", input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: [text("Look around.")] },
      ...Array.from({ length: steps }, (_, n) => step(n)).flat(),
    ],
  })
}

describe.concurrent("a proxy that moves reminders into tool results", () => {
  const serverOf = (count: number) =>
    serverWith(Array.from({ length: count }, (_, n) => ({ calls: [{ name: "read", input: { n } }] })))
  const idsIn = async (bench: Bench, file: string) => {
    const { out } = await finished(bench, ["check", file, "--json"])
    return JSON.parse(out).findings.map(({ id }: { readonly id: string }) => id)
  }

  it.each([["--smoosh"], ["--hold", "--smoosh"]])(
    "%s %s: says everything once, loses no cache, and goes on after a restart",
    async (...policies) => {
      const [bench, server] = [benchWith(), await serverOf(6)]
      // With --hold the date changes too.
      const day = (steps: number) => (policies.length > 1 && steps > 1 ? 17 : 16)
      const bodies = Array.from({ length: 6 }, (_, steps) => toolLoop(steps, day(steps)))
      const errs = [
        await passed(bench, server, policies, bodies.slice(0, 3)),
        await passed(bench, server, policies, bodies.slice(3)),
      ]
      for (const err of errs) {
        expect(err).toContain(`Requests are mended: ${policies.join(" ")}\n`)
        const first =
          policies[0] === "--smoosh" ? /--smoosh changed \d+ places in \d+ requests/ : /note {2}mended/
        expect(err).toMatch(first)
        expect(err).not.toMatch(/BREAK|mend-fell-back|reminder-after-result/)
      }
      expectClean(server)
      for (const [steps, { body, cache }] of server.requests.entries()) {
        expect(cache?.missed).toBe(0)
        const { messages } = body as { readonly messages: readonly { readonly content: unknown }[] }
        const texts = JSON.stringify(messages)
        for (let n = 0; n < steps; n++) expect(times(texts, REMINDER(n))).toBe(1)
        if (steps > 1)
          expect(messages[4]?.content).toMatchObject([
            { type: "tool_result", content: expect.arrayContaining([{ type: "text", text: REMINDER(1) }]) },
            { text: "Mind b.ts." },
          ])
      }
      const lines = recordedIn(bench)
      expect(lines.map(({ request }) => request.body)).toEqual(bodies)
      expect(lines.slice(1).map(({ sent }) => JSON.parse(sent.body))).toEqual(bodiesOf(server).slice(1))
      writeFileSync(bench.path("originals.jsonl"), `${bodies.join("\n")}\n`)
      expect(await idsIn(bench, "originals.jsonl")).toContain("reminder-after-result")
      expect(await idsIn(bench, "calls.jsonl")).toEqual(["text-after-result"])
    },
  )

  it("keeps thinking that is tied to the bytes before it, also after a restart", async () => {
    const step = (n: number) => ({ reasoning: `Thought ${n}.`, calls: [{ name: "read", input: { n } }] })
    const [bench, server] = [benchWith(), await serverWith(Array.from({ length: 6 }, (_, n) => step(n)))]
    const messages: object[] = [{ role: "user", content: "Look around." }]
    const hear = (answer: string) => {
      const { content } = JSON.parse(answer) as { readonly content: readonly { type: string; id?: string }[] }
      const { id } = content.find(({ type }) => type === "tool_use") ?? {}
      messages.push(
        { role: "assistant", content },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: id, content: `Result ${messages.length}` },
            { type: "text", text: REMINDER(messages.length) },
          ],
        },
      )
    }
    function* requests(count: number) {
      const tools = [{ name: "read", input_schema: { type: "object" } }]
      for (let i = 0; i < count; i++)
        yield JSON.stringify({ model: "claude-opus-5-5", max_tokens: 100, tools, messages })
    }
    await passed(bench, server, ["--smoosh"], requests(3), hear)
    await passed(bench, server, ["--smoosh"], requests(3), hear)
    // The server signs what is thought with all that stands before it, and refuses it behind anything else.
    expectClean(server)
    const last = bodiesOf(server).at(-1)
    expect(times(conversationOf(last), '"type":"thinking"')).toBe(5)
    const sent = last?.messages as readonly { readonly role: string; readonly content: unknown }[]
    for (const { content } of sent.filter(({ role }) => role === "user").slice(1))
      expect(content).toMatchObject([{ type: "tool_result", content: [{}, { type: "text" }] }])
  })

  it("leaves a conversation that is under way as it was sent, and goes on from there", async () => {
    const [bench, server] = [benchWith(), await serverOf(5)]
    const bodies = Array.from({ length: 5 }, (_, steps) => toolLoop(steps, 16))
    await passed(bench, server, [], bodies.slice(0, 3))
    await passed(bench, server, ["--smoosh"], bodies.slice(3))
    expectClean(server)
    expect(server.requests.map(({ cache }) => cache?.missed)).toEqual([0, 0, 0, 0, 0])
    const last = bodiesOf(server).at(-1)?.messages as readonly { readonly content: readonly unknown[] }[]
    expect(last.map(({ content }) => content.length)).toEqual([1, 1, 2, 1, 3, 1, 1, 1, 1])
  })
})
