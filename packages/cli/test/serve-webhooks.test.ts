import { webcrypto } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../harness/test/postgres-server.js"
import { Webhooks } from "../src/server/webhooks.js"
import { schemaNamed } from "./support/described.js"
import { serving } from "./support/server.js"
import { type Bench, benchWith, finished, reaching, serverWith } from "./support/sotto.js"

const MODEL = "anthropic/claude-opus-5-5"
const KEY = Buffer.from("a key of 24 random bytes")
const SECRET = { HOOK_SECRET: `whsec_${KEY.toString("base64")}` }
const ask = { name: "bash", input: { command: "python3 -c 1" } }
const wait = { name: "bash", input: { command: "cat gate" } }
const PATIENT = { timeout: 30_000, interval: 20 }

interface Message {
  readonly id: string
  readonly type: string
  readonly session: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Posted {
  readonly message: Message
  readonly headers: IncomingHttpHeaders
  readonly path: string
  readonly isSigned: boolean
}

/** Verifies a signature as Standard Webhooks describe it, with the platform's own cryptography. */
async function isSigned(headers: IncomingHttpHeaders, body: string): Promise<boolean> {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": given = "" } = headers
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < 60
  const usage = { name: "HMAC", hash: "SHA-256" }
  const key = await webcrypto.subtle.importKey("raw", KEY, usage, false, ["verify"])
  const [version, signature = ""] = String(given).split(",")
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const isRight = await webcrypto.subtle.verify("HMAC", key, Buffer.from(signature, "base64"), signed)
  return isFresh && version === "v1" && isRight
}

const closing: (() => void)[] = []
let database: PostgresServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(async () => {
  for (const close of closing) close()
  await database.close()
})

/** A receiver that answers as it is told, 204 unless told otherwise. */
async function receiver(answer: (outgoing: ServerResponse, post: Posted) => void = () => {}) {
  const posts: Posted[] = []
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece)
    const body = Buffer.concat(pieces).toString("utf8")
    const { headers, url: path = "" } = incoming
    const post = { message: JSON.parse(body), headers, path, isSigned: await isSigned(headers, body) }
    posts.push(post)
    outgoing.statusCode = 204
    answer(outgoing, post)
    if (!outgoing.headersSent) outgoing.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const types = (session?: string) =>
    posts
      .filter(({ message }) => session === undefined || message.session === session)
      .map((one) => one.message.type)
  return { posts, types, url: `http://127.0.0.1:${port}/hook` }
}

/** Says in the user's own sotto.json where events go. */
function configure({ home }: Bench, webhook: object): void {
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, "sotto.json"),
    JSON.stringify({ webhooks: { chat: { secretEnv: "HOOK_SECRET", ...webhook } } }),
  )
}

describe.concurrent("a webhook", () => {
  it("gets the events that it chose, signed, in order, as the description says", async () => {
    const model = await serverWith([
      { text: "I ask.", calls: [ask] },
      { text: "Done." },
      { text: "Never.", fail: [{ status: 401 }] },
    ])
    const hook = await receiver()
    const bench = benchWith()
    configure(bench, { url: hook.url })
    const { api } = await serving(bench, { ...reaching(model.url), ...SECRET })
    const { id } = await api.createSession({ cwd: bench.cwd, model: MODEL })
    await api.say(id, { text: "Begin." })
    await vi.waitFor(() => expect(hook.types()).toEqual(["question"]), PATIENT)
    const [question] = hook.posts
    expect(question?.message).toMatchObject({ session: id, data: { type: "ask", tool: "bash" } })
    await api.answer(id, { id: String(question?.message.data.id), answer: "allow" })
    await vi.waitFor(() => expect(hook.types()).toEqual(["question", "turn-end"]), PATIENT)
    await api.say(id, { text: "Once more." })
    await vi.waitFor(
      () => expect(hook.types()).toEqual(["question", "turn-end", "error", "turn-end"]),
      PATIENT,
    )
    expect(hook.posts.map(({ message }) => message.data.reason)).toEqual([
      undefined,
      "done",
      undefined,
      "error",
    ])
    const isDescribed = schemaNamed("WebhookMessage")
    for (const { message, headers, isSigned: isRight } of hook.posts) {
      expect([message, isRight]).toEqual([message, true])
      expect([message, isDescribed(message)]).toEqual([message, true])
      expect(headers).toMatchObject({ "webhook-id": message.id, "content-type": "application/json" })
    }
    expect(new Set(hook.posts.map(({ message }) => message.id)).size).toBe(4)
  })

  it("is tried again until it takes an event; the session goes on, and later events keep their place", async () => {
    const model = await serverWith([{ text: "Done." }, { text: "Never.", fail: [{ status: 401 }] }])
    let refusals = 2
    const hook = await receiver((outgoing, { message }) => {
      if (message.type === "turn-end" && refusals-- > 0) outgoing.statusCode = 503
    })
    const bench = benchWith()
    configure(bench, { url: hook.url, events: ["turn-end"] })
    const { api } = await serving(bench, { ...reaching(model.url), ...SECRET })
    const { id } = await api.createSession({ cwd: bench.cwd, model: MODEL })
    for (const n of [1, 2]) {
      await api.say(id, { text: "Begin.", id: `m${n}` })
      let turns = 0
      for await (const { event } of api.events(id)) if (event.type === "turn-end" && ++turns === n) break
    }
    await vi.waitFor(() => expect(hook.posts).toHaveLength(4), PATIENT)
    const ids = hook.posts.map(({ message }) => message.id)
    // The error of the second turn was not chosen.
    expect(new Set(hook.types())).toEqual(new Set(["turn-end"]))
    expect(new Set(ids.slice(0, 3)).size).toBe(1)
    expect(ids[3]).not.toBe(ids[0])
    expect(hook.posts.every((one) => one.isSigned)).toBe(true)
  })

  it("is posted to by the server that runs the session, and by no other", async () => {
    const model = await serverWith([{ text: "Done." }])
    const hook = await receiver()
    const bench = benchWith()
    configure(bench, { url: hook.url })
    const env = { ...reaching(model.url), ...SECRET }
    const [first, second] = [await serving(bench, env), await serving(bench, env)]
    const { id } = await first.api.createSession({ cwd: bench.cwd, model: MODEL })
    // It comes in at the server that does not run the session, which watches it.
    const watching = second.user.events(`/sessions/${id}/events`)
    await second.api.say(id, { text: "Begin." })
    await watching.wait("turn-end")
    await vi.waitFor(() => expect(hook.types()).toEqual(["turn-end"]), PATIENT)
    // What is under way is sent before a server ends, so none comes after this.
    for (const { run } of [first, second]) {
      run.signal("SIGTERM")
      await run.ended
    }
    expect(hook.types()).toEqual(["turn-end"])
  })

  it("is posted to by the worker that goes on when another is killed, once for each event", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const model = await serverWith([{ text: "I wait.", calls: [wait] }, { text: "Done." }])
    const hook = await receiver()
    configure(bench, { url: hook.url })
    const env = { ...reaching(model.url), ...SECRET, SOTTO_STORE: database.address("webhooks") }
    const first = await serving(bench, { ...env, SOTTO_WORKER: "one" })
    const { id } = await first.api.createSession({ cwd: bench.cwd, model: MODEL })
    await first.api.say(id, { text: "Begin." })
    for await (const { event } of first.api.events(id)) if (event.type === "tool-call") break
    const second = await serving(bench, { ...env, SOTTO_WORKER: "two" })
    first.run.signal("SIGKILL")
    await first.run.ended
    void gate.open()
    for await (const { event } of second.api.events(id)) if (event.type === "turn-end") break
    await vi.waitFor(() => expect(hook.types()).toEqual(["turn-end"]), PATIENT)
    second.run.signal("SIGTERM")
    await second.run.ended
    expect(hook.types()).toEqual(["turn-end"])
  })

  it("is the user's to name: a folder's is ignored, and a wrong one keeps the server from starting", async () => {
    const hook = await receiver()
    const webhooks = { chat: { url: hook.url, secretEnv: "HOOK_SECRET" } }
    const bench = benchWith({ "sotto.json": JSON.stringify({ webhooks }) })
    const model = await serverWith([{ text: "Done." }])
    const { api, run } = await serving(bench, { ...reaching(model.url), ...SECRET })
    const { id } = await api.createSession({ cwd: bench.cwd, model: MODEL })
    await api.say(id, { text: "Begin." })
    for await (const { event } of api.events(id)) if (event.type === "turn-end") break
    run.signal("SIGTERM")
    await run.ended
    expect(hook.posts).toEqual([])
    for (const [webhook, env, why] of [
      [{ url: hook.url }, {}, "HOOK_SECRET"],
      [{ url: "ftp://example.org" }, SECRET, "webhooks.chat.url"],
      [{ url: "http://a:b@example.org" }, SECRET, "webhooks.chat.url"],
      [{ url: hook.url, events: ["step"] }, SECRET, "webhooks.chat.events"],
    ] as const) {
      const own = benchWith()
      configure(own, webhook)
      const ended = await finished(own, ["serve", "--port", "0"], env)
      expect(ended).toMatchObject({ code: 2, err: expect.stringContaining(why) })
    }
  })
})

/** Webhooks with short pauses, and a way to have something happen in a session. */
function hooksTo(url: string, pauses: readonly number[]) {
  const lines: string[] = []
  const webhooks = new Webhooks({
    settings: { chat: { url, secretEnv: "HOOK_SECRET" } },
    env: SECRET,
    report: (line) => lines.push(line),
    pauses,
  })
  const events: { readonly seq: number; readonly event: { type: "error"; message: string } }[] = []
  let more = () => {}
  const feed = {
    events,
    read: (reader: { more(): void }) => {
      more = reader.more
      return () => {}
    },
  }
  webhooks.follow("s1", feed)
  const happen = (count = 1) => {
    for (let i = 0; i < count; i++)
      events.push({ seq: events.length + 1, event: { type: "error", message: "Oh." } })
    more()
  }
  return { webhooks, lines, happen }
}

describe("a webhook that takes nothing", () => {
  it("is given up after the last attempt, which is said once, and never sent elsewhere", async () => {
    const hook = await receiver((outgoing, { message }) => {
      if (message.id === "s1_1") outgoing.writeHead(307, { location: "/elsewhere" }).end()
    })
    const { webhooks, lines, happen } = hooksTo(hook.url, [1, 1])
    happen(2)
    await vi.waitFor(() => expect(hook.posts).toHaveLength(4), PATIENT)
    await webhooks.close()
    expect(hook.posts.map(({ message }) => message.id)).toEqual(["s1_1", "s1_1", "s1_1", "s1_2"])
    expect(hook.posts.every(({ path }) => path === "/hook")).toBe(true)
    expect(lines).toEqual([expect.stringMatching(/"chat" did not take error of session s1.*answers 307/)])
  })

  it("has so many events waiting and no more, and a server that stops does not wait for it", async () => {
    const { webhooks, lines, happen } = hooksTo("http://127.0.0.1:1/", [60_000])
    happen(1_200)
    expect(lines).toEqual([expect.stringContaining("1000 events waiting")])
    await webhooks.close()
    expect(lines.slice(1)).toEqual([
      expect.stringContaining("did not get 1,000 events before the server stopped"),
    ])
  })
})
