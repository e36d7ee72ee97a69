import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../harness/test/postgres-server.js"
import { type Client, serving, servingTwice } from "./support/server.js"
import { type Bench, benchWith, finished, reaching, serverWith, type Variables } from "./support/sotto.js"

const MODEL = "anthropic/claude-opus-5-5"
const PATIENT = { timeout: 30_000, interval: 50 }
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const PDF = Buffer.from("%PDF-1.4\n1 0 obj <</Type/Catalog>> endobj\n%%EOF\n").toString("base64")
const image = { type: "image", mediaType: "image/png", data: PIXEL, name: "a.png" }
const file = { type: "file", mediaType: "application/pdf", data: PDF, name: "a.pdf" }
const wait = { name: "bash", input: { command: "cat gate" } }

let database: PostgresServer
// Servers of other tests run on until the end, and would take the sessions of a shared schema.
let schemas = 0
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.close())

async function state(client: Client, id: string): Promise<unknown> {
  return (await client.get(`/sessions/${id}`)).json.state
}

function patch(client: Client, id: string, change: object) {
  const json = { "content-type": "application/json" }
  return client.send("PATCH", `/sessions/${id}`, JSON.stringify(change), json)
}

/** The ids of a list, in its order. */
async function listed(client: Client, query: string): Promise<readonly string[]> {
  const { status, json, text } = await client.get(`/sessions?${query}`)
  if (status !== 200) throw new Error(text)
  return (json.sessions as readonly { readonly id: string }[]).map(({ id }) => id)
}

async function idle(client: Client, id: string): Promise<void> {
  await vi.waitFor(async () => expect(await state(client, id)).toBe("idle"), PATIENT)
}

describe.each([
  { store: "a file of SQLite", variables: (): Variables => ({}) },
  {
    store: "PostgreSQL",
    variables: (): Variables => ({ SOTTO_STORE: database.address(`catalogue${++schemas}`) }),
  },
])("two servers on $store", ({ variables }) => {
  async function both(bench: Bench, steps: Parameters<typeof serverWith>[0]) {
    const model = await serverWith(steps)
    const env = { ...reaching(model.url), ...variables() }
    return { env, model, ...(await servingTwice(bench, env)) }
  }

  it("give the same words under an id the same receipt, and refuse other words, also after a restart", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const { env, first, second, clients } = await both(bench, [
      { text: "I wait.", calls: [wait] },
      { text: "Done." },
    ])
    const id = await first.user.open(bench.cwd, { model: MODEL })
    const say = (client: Client, message: string, words: object) =>
      client.post(`/sessions/${id}/say`, { id: message, ...words })
    const one = { text: "Begin." }
    const two = { parts: [{ type: "text", text: "And this." }] }
    const m1 = (await say(first.user, "m1", one)).json
    await vi.waitFor(async () => expect(await state(first.user, id)).toBe("running"), PATIENT)
    const m2 = (await say(second.user, "m2", two)).json
    expect(m2).toMatchObject({ id: "m2", state: "queued", seq: expect.any(Number) })
    const agree = async (asked: readonly Client[], receipts: readonly object[]) => {
      for (const client of asked) {
        expect([await say(client, "m1", one), await say(client, "m2", two)]).toMatchObject(
          receipts.map((json) => ({ status: 200, json })),
        )
        for (const message of ["m1", "m2"])
          expect(await say(client, message, { text: "Other words." })).toMatchObject({
            status: 409,
            json: { error: { code: "id-taken", message: expect.stringContaining(message) } },
          })
      }
    }
    await agree(clients, [{ id: "m1", seq: m1.seq, state: "delivered" }, m2])
    await gate.open()
    await idle(second.user, id)
    const delivered = [
      { id: "m1", seq: m1.seq, state: "delivered", step: 1 },
      { id: "m2", seq: m2.seq, state: "delivered", step: 2 },
    ]
    await agree(clients, delivered)
    for (const { run } of [first, second]) {
      run.signal("SIGTERM")
      await run.ended
    }
    await agree((await servingTwice(bench, env)).clients, delivered)
  })

  it("refuse other words under the id of a message that waits for a worker", async () => {
    const bench = benchWith()
    const { first, clients } = await both(bench, [{ text: "Done." }])
    const id = await first.user.open(bench.cwd, { model: MODEL })
    const say = (client: Client, message: string, text: string) =>
      client.post(`/sessions/${id}/say`, { id: message, text })
    const { seq } = (await say(first.user, "m1", "Begin.")).json
    await idle(first.user, id)
    for (const client of clients) await client.post("/drain")
    await vi.waitFor(
      async () => expect((await first.user.get(`/sessions/${id}`)).json).not.toHaveProperty("holder"),
      PATIENT,
    )
    const [kept, known, other] = await Promise.all([
      say(clients[0], "m2", "For later."),
      say(clients[1], "m1", "Begin."),
      say(clients[1], "m1", "Other words."),
    ])
    expect(kept).toMatchObject({ status: 202, json: { id: "m2", state: "queued" } })
    expect(known).toMatchObject({ status: 200, json: { id: "m1", seq, state: "delivered" } })
    expect(other).toMatchObject({ status: 409, json: { error: { code: "id-taken" } } })
    const [again, instead] = await Promise.all([
      say(clients[1], "m2", "For later."),
      say(clients[1], "m2", "Other words."),
    ])
    expect(again).toMatchObject({ status: 202, json: { id: "m2", state: "queued" } })
    expect(instead).toMatchObject({ status: 409, json: { error: { code: "id-taken" } } })
  })

  it("name, label, list and remove sessions, whichever server is asked", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const { first, second, clients } = await both(bench, [
      { text: "I wait.", calls: [wait] },
      { text: "Done." },
    ])
    const about = { title: "The first", labels: ["b", "a", "b"], metadata: { ticket: "12", team: "x" } }
    const one = await first.user.open(bench.cwd, { model: MODEL, ...about })
    const two = await second.user.open(bench.cwd, { model: MODEL, labels: ["a"], metadata: { ticket: "13" } })
    for (const client of clients)
      expect((await client.get(`/sessions/${one}`)).json).toMatchObject({ ...about, labels: ["a", "b"] })
    // Through the server that does not run it.
    expect(await patch(second.user, one, { title: "Renamed", labels: ["c", "a"] })).toMatchObject({
      status: 200,
      json: { id: one, title: "Renamed", labels: ["a", "c"], metadata: about.metadata },
    })
    for (const client of clients) {
      expect(await listed(client, "label=a")).toEqual([two, one])
      expect(await listed(client, "label=a&label=c")).toEqual([one])
      expect(await listed(client, "label=b")).toEqual([])
      expect(await listed(client, "metadata.ticket=13")).toEqual([two])
      expect(await listed(client, "metadata.ticket=12&metadata.team=y")).toEqual([])
      expect(await listed(client, `cwd=${encodeURIComponent(bench.cwd)}&q=renamed`)).toEqual([one])
      expect(await listed(client, "cwd=/nowhere")).toEqual([])
    }
    expect((await first.user.get("/sessions?label=a&limit=1")).json).toMatchObject({ more: true })
    expect((await first.user.get(`/sessions?label=a&limit=1&before=${two}`)).json).toMatchObject({
      sessions: [{ id: one }],
      more: false,
    })
    await patch(first.user, one, { title: "", labels: [], metadata: {} })
    const plain = (await second.user.get(`/sessions/${one}`)).json
    for (const field of ["title", "labels", "metadata"]) expect(plain).not.toHaveProperty(field)

    await first.user.post(`/sessions/${one}/say`, { text: "Begin." })
    await vi.waitFor(async () => expect(await listed(second.user, "state=running")).toEqual([one]), PATIENT)
    for (const client of clients)
      expect(await client.send("DELETE", `/sessions/${one}`)).toMatchObject({
        status: 409,
        json: { error: { code: "at-work", remedy: expect.stringContaining("abort") } },
      })
    await gate.open()
    await idle(second.user, one)
    expect(await first.user.send("DELETE", `/sessions/${one}`)).toMatchObject({
      status: 200,
      json: { removed: [one] },
    })
    // The other server has this one open, without work, and gives it back soon.
    const held = await first.user.send("DELETE", `/sessions/${two}`)
    expect(held).toMatchObject({ status: 503, json: { error: { code: "locked" } } })
    expect(Number(held.headers["retry-after"])).toBeGreaterThan(0)
    expect(await second.user.send("DELETE", `/sessions/${two}`)).toMatchObject({ status: 200 })
    for (const client of clients) {
      for (const id of [one, two]) {
        expect(await client.get(`/sessions/${id}`)).toMatchObject({ status: 404 })
        expect(await client.post(`/sessions/${id}/say`, { text: "x" })).toMatchObject({ status: 404 })
        expect(await client.send("DELETE", `/sessions/${id}`)).toMatchObject({ status: 404 })
        expect(await patch(client, id, { title: "x" })).toMatchObject({ status: 404 })
      }
      expect(await listed(client, "")).toEqual([])
    }
  })

  it("fork a session as it is, or as it was before a prompt", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const { model, first, second } = await both(bench, {
      counting: "requests",
      steps: [
        { text: "One." },
        { text: "I wait.", calls: [wait] },
        ...[{ text: "Two." }, { text: "Three." }, { text: "Four." }],
      ],
    })
    const id = await first.user.open(bench.cwd, { model: MODEL, title: "Work", labels: ["a"] })
    const said = async (client: Client, session: string, text: string, message: string) =>
      await client.post(`/sessions/${session}/say`, { text, id: message })
    await said(first.user, id, "First words.", "m1")
    await idle(first.user, id)
    await said(first.user, id, "Second words.", "m2")
    await vi.waitFor(async () => expect(await state(second.user, id)).toBe("running"), PATIENT)
    const fork = (body: object) => second.user.post(`/sessions/${id}/fork`, body)
    expect(await fork({})).toMatchObject({ status: 409, json: { error: { code: "conflict" } } })
    expect(await fork({ at: "m9" })).toMatchObject({
      status: 404,
      json: { error: { code: "unknown-prompt" } },
    })
    const earlier = await fork({ at: "m2" })
    expect(earlier).toMatchObject({
      status: 201,
      json: { title: "Work (fork)", labels: ["a"], state: "idle", steps: 1, model: MODEL },
    })
    await gate.open()
    await idle(second.user, id)
    const whole = await fork({ title: "Whole", labels: [] })
    expect(whole).toMatchObject({ status: 201, json: { title: "Whole", steps: 3 } })
    expect(whole.json).not.toHaveProperty("labels")
    for (const [made, steps] of [
      [earlier, 2],
      [whole, 4],
    ] as const) {
      await said(second.user, String(made.json.id), "Other words.", "f1")
      await vi.waitFor(
        async () =>
          expect((await first.user.get(`/sessions/${made.json.id}`)).json).toMatchObject({
            ...{ steps, state: "idle" },
          }),
        PATIENT,
      )
    }
    const bodies = model.requests.map(({ body }) => JSON.stringify(body))
    expect(bodies.at(-2)).toContain("First words.")
    expect(bodies.at(-2)).not.toContain("Second words.")
    expect(bodies.at(-1)).toContain("Second words.")
    expect((await first.user.get(`/sessions/${id}`)).json).toMatchObject({ steps: 3 })
  })

  it("give the answer to a message to those who wait for it, and to a channel only its own", async () => {
    const bench = benchWith({ "sotto.json": JSON.stringify({ channelsWake: true }) })
    const gate = bench.gate()
    const { first, second, clients } = await both(bench, {
      counting: "requests",
      steps: [
        { text: "I wait.", calls: [wait] },
        ...[{ text: "The answer." }, { text: "To the channel." }],
        { text: "I wait again.", calls: [wait] },
      ],
    })
    const token = async (name: string) =>
      (await finished(bench, ["serve", "channel", "add", name])).out.trim().split(/\s+/).at(-1)
    const [ci, chat] = [await token("ci"), await token("chat")]
    const id = await first.user.open(bench.cwd, { model: MODEL })
    const say = (client: Client, message: string, more: object = {}) =>
      client.post(`/sessions/${id}/say`, { text: "Words.", id: message, ...more })
    const answer = (client: Client, message: string, seconds = 0) =>
      client.get(`/sessions/${id}/answer?after=${message}&wait=${seconds}`)
    await say(first.user, "m1")
    await vi.waitFor(async () => {
      const early = await answer(second.user, "m1")
      expect(early).toMatchObject({ status: 202, json: { id: "m1", state: "delivered", session: "running" } })
    }, PATIENT)
    await say(second.user, "m2", { delivery: "after-turn" })
    expect(await answer(first.user, "m2", 0.05)).toMatchObject({ status: 202, json: { state: "queued" } })
    await first.user.send("DELETE", `/sessions/${id}/queue/m2`)
    for (const client of clients)
      expect(await answer(client, "m2", 60)).toMatchObject({
        status: 409,
        json: { error: { code: "cancelled" } },
      })
    const waiting = clients.map((client) => answer(client, "m1", 60))
    await gate.open()
    for (const one of await Promise.all(waiting))
      expect(one).toMatchObject({
        status: 200,
        json: { id: "m1", state: "answered", text: "The answer.", reason: "done" },
      })

    await say(second.as(ci), "c1")
    expect(await answer(first.as(ci), "c1", 60)).toMatchObject({
      status: 200,
      json: { id: "c1", text: "To the channel.", reason: "done" },
    })
    for (const [client, message] of [
      [first.as(ci), "m1"],
      [first.as(chat), "c1"],
      [first.user, "c1"],
      [first.user, "m9"],
    ] as const)
      expect(await answer(client, message)).toMatchObject({ status: 404 })
    expect(await answer(first.user, "ci/c1")).toMatchObject({ status: 200 })
    expect(await answer(first.user, "m1", 61)).toMatchObject({ status: 400 })

    // A channel is not told what the session does. A turn that is aborted has an end, and no words.
    await say(first.as(ci), "c2")
    await vi.waitFor(async () => expect(await state(second.user, id)).toBe("running"), PATIENT)
    const early = await answer(second.as(ci), "c2", 0.05)
    expect([early.status, early.json]).toEqual([202, { id: "c2", state: "delivered" }])
    await second.user.post(`/sessions/${id}/abort`)
    expect(await answer(second.as(ci), "c2", 60)).toMatchObject({
      status: 200,
      json: { reason: "interrupted" },
    })
  })

  it("show the model images and files of a message, and refuse what it cannot take", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const { model, first, second, clients } = await both(bench, [
      { text: "I wait.", calls: [wait] },
      { text: "I see." },
    ])
    const id = await first.user.open(bench.cwd, { model: MODEL })
    const say = (client: Client, message: string, ...parts: readonly object[]) =>
      client.post(`/sessions/${id}/say`, { id: message, parts })
    const words = { type: "text", text: "What is this?" }
    expect(await say(first.user, "m1", words, image)).toMatchObject({ status: 200 })
    await vi.waitFor(async () => expect(await state(second.user, id)).toBe("running"), PATIENT)
    // Through the server that does not run it.
    const large = Buffer.alloc(1_500_000, 1)
    Buffer.from(PIXEL, "base64").copy(large)
    expect(await say(second.user, "m2", { ...image, data: large.toString("base64") })).toMatchObject({
      status: 200,
    })
    expect(await say(second.user, "m3", words, file)).toMatchObject({ status: 200 })
    const tooLarge = Buffer.concat([large, Buffer.alloc(2_200_001)]).toString("base64")
    const most = { ...image, data: Buffer.concat([large, Buffer.alloc(1_550_000)]).toString("base64") }
    for (const client of clients)
      for (const [parts, status, code, why] of [
        [[{ ...image, data: "not base64!" }], 400, "bad-media", "data of parts.0 is not base64"],
        [[words, { ...image, data: `data:image/png;base64,${PIXEL}` }], 400, "bad-media", "data of parts.1"],
        [[{ ...image, mediaType: "image/jpeg" }], 400, "bad-media", "parts.0 is image/png"],
        [[{ ...image, data: tooLarge }], 413, "media-too-large", "an image may have 3700000"],
        [[most, most, most, most], 413, "media-too-large", "12000000 bytes together"],
        [[{ ...image, mediaType: "image/svg+xml", data: "PHN2Zz4=" }], 415, "media-not-taken", "PNG, JPEG"],
        [[{ ...file, data: PIXEL }], 415, "media-not-taken", "PDF as files"],
        [[{ ...image, data: "A".repeat(17_000_000) }], 413, "too-large", "17000000 bytes"],
      ] as const) {
        const answer = await say(client, "bad", ...parts)
        expect([answer.status, answer.json]).toMatchObject([status, { error: { code } }])
        expect(answer.text).toContain(why)
      }
    const { out } = await finished(bench, ["serve", "channel", "add", "ci"])
    expect(await say(first.as(out.trim().split(/\s+/).at(-1)), "c1", image)).toMatchObject({ status: 403 })
    await gate.open()
    await idle(first.user, id)
    const sent = model.requests.map(({ body }) => JSON.stringify(body))
    const source = (type: string, data: string) =>
      JSON.stringify({ type: "base64", media_type: type, data }).slice(1, -1)
    expect(sent[0]).toContain(source("image/png", PIXEL))
    expect(sent[1]).toContain(source("image/png", large.toString("base64")))
    expect(sent[1]).toContain(source("application/pdf", PDF))
    // A model that takes no images. What was said before stays said.
    await first.user.post(`/sessions/${id}/model`, { model: "openai-chat/deepseek-chat" })
    for (const client of clients) {
      expect(await say(client, "m4", image)).toMatchObject({
        status: 415,
        json: { error: { code: "media-not-taken", message: expect.stringContaining("deepseek-chat") } },
      })
      expect(await say(client, "m1", words, image)).toMatchObject({
        status: 200,
        json: { state: "delivered" },
      })
    }
    expect((await first.user.get(`/sessions/${id}`)).json).toMatchObject({ queue: [], steps: 2 })
  })

  it("add up the same, by state, label and model, with what subagents used", async () => {
    const bench = benchWith()
    const task = { name: "task", input: { agent: "explore", prompt: "Look." } }
    const { first, second, clients } = await both(bench, {
      counting: "requests",
      steps: [
        { text: "I delegate.", calls: [task] },
        ...[{ text: "I have looked." }, { text: "Done." }, { text: "Hello." }],
      ],
    })
    const one = await first.user.open(bench.cwd, { model: MODEL, labels: ["a", "b"] })
    const two = await second.user.open(bench.cwd, { model: MODEL, labels: ["a"] })
    await first.user.post(`/sessions/${one}/say`, { text: "Begin." })
    await idle(first.user, one)
    await second.user.post(`/sessions/${two}/say`, { text: "Hello?" })
    await idle(second.user, two)
    const [child] = (await first.user.get(`/sessions?parent=${one}`)).json.sessions as Record<
      string,
      unknown
    >[]
    expect(child).toMatchObject({ parent: one, steps: 1, cost: expect.any(Number) })
    const detail = async (id: string) => (await first.user.get(`/sessions/${id}`)).json
    const cost = Number((await detail(one)).cost)
    expect(cost).toBeGreaterThan(Number(child?.cost))
    const all = cost + Number((await detail(two)).cost)
    await vi.waitFor(async () => {
      for (const client of clients) {
        const { json } = await client.get("/totals")
        expect(json).toMatchObject({
          ...{ sessions: 2, steps: 4, unpriced: [], cost: expect.closeTo(all, 9) },
          byState: [{ state: "idle", sessions: 2, steps: 4 }],
          byLabel: [
            { label: "a", sessions: 2, steps: 4 },
            { label: "b", sessions: 1, steps: 3, cost: expect.closeTo(cost, 9) },
          ],
          byModel: [{ model: MODEL, sessions: 2, steps: 4, cost: expect.closeTo(all, 9) }],
        })
        expect((json.tokens as { readonly output: number }).output).toBeGreaterThan(0)
        expect((await client.get("/totals?label=b")).json).toMatchObject({ sessions: 1, steps: 3 })
        expect((await client.get("/totals?state=running")).json).toMatchObject({
          sessions: 0,
          cost: 0,
          byLabel: [],
        })
      }
    }, PATIENT)
    const removed = (await first.user.send("DELETE", `/sessions/${one}`)).json
    expect(removed).toEqual({ removed: [one, child?.id] })
    expect(await second.user.get(`/sessions/${child?.id}`)).toMatchObject({ status: 404 })
  })
})

describe("what is said of a session", () => {
  const WRONG: readonly (readonly [change: object, words: string])[] = [
    [{ labels: Array.from({ length: 21 }, (_, i) => `l${i}`) }, "at most 20"],
    [{ labels: [""] }, "1 to 64 characters"],
    [{ labels: ["x".repeat(65)] }, "1 to 64 characters"],
    [{ labels: "a" }, "array"],
    [{ metadata: { a: { b: "c" } } }, "metadata.a"],
    [{ metadata: { a: "x".repeat(4096) } }, "at most 4096 bytes"],
    [{ title: "two\nlines" }, "one line"],
    [{ title: "x".repeat(81) }, "title"],
    [{}, "needs title, labels or metadata"],
    [{ colour: "red" }, "colour"],
  ]

  it("is refused if it is wrong, and the answer says what is", async () => {
    const bench = benchWith()
    const { user } = await serving(bench)
    const id = await user.open(bench.cwd, { model: "rehearsal/tour" })
    for (const [change, words] of WRONG) {
      const isEmpty = Object.keys(change).length === 0
      const made = isEmpty ? [] : [await user.post("/sessions", { cwd: bench.cwd, ...change })]
      for (const answer of [await patch(user, id, change), ...made]) {
        expect(answer).toMatchObject({ status: 400, json: { error: { code: "bad-request" } } })
        expect(answer.text).toContain(words)
      }
    }
    expect(await user.get("/sessions?colour=red")).toMatchObject({ status: 400 })
    expect(await listed(user, "")).toEqual([id])
  })

  it("is kept by archives and found by the command", async () => {
    const bench = benchWith()
    const { user, run } = await serving(bench)
    const id = await user.open(bench.cwd, { model: "rehearsal/tour", title: "Kept", labels: ["a", "b"] })
    const other = await user.open(bench.cwd, { model: "rehearsal/tour", labels: ["a"] })
    run.signal("SIGTERM")
    await run.ended
    const lines = async (...args: string[]) =>
      (await finished(bench, ["sessions", ...args])).out
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0])
    expect(await lines("--label", "a")).toEqual([other, id])
    expect(await lines("--label", "a", "--label", "b")).toEqual([id])
    expect(await lines("--label", "c")).toEqual(["No"])
    const exported = (await finished(bench, ["export", id])).out
    expect(JSON.parse(exported.split("\n")[0] ?? "")).toMatchObject({ title: "Kept", labels: ["a", "b"] })
  })
})

it("the models of the configuration and those that Sotto knows are listed with prices", async () => {
  const config = {
    model: "openai/gpt-5.6",
    models: { "anthropic/claude-new": { contextWindow: 12_345, price: { input: 1, output: 2 } } },
  }
  const bench = benchWith()
  mkdirSync(bench.home)
  writeFileSync(join(bench.home, "sotto.json"), JSON.stringify(config))
  const { user } = await serving(bench, { ANTHROPIC_API_KEY: "no-real-key" })
  const { status, json } = await user.get("/models")
  expect(status).toBe(200)
  expect(json.default).toBe("openai/gpt-5.6")
  const models = json.models as readonly Record<string, unknown>[]
  const named = (id: string) => models.find((one) => one.id === id)
  expect(named("anthropic/claude-new")).toMatchObject({
    ...{ dialect: "anthropic", window: 12_345, price: { input: 1, output: 2 } },
    ...{ isConfigured: true, isReachable: true },
  })
  expect(named(MODEL)).toMatchObject({
    ...{ dialect: "anthropic", window: expect.any(Number), isConfigured: false, images: true },
    price: { input: expect.any(Number), cacheRead: expect.any(Number) },
  })
  expect(named("openai/gpt-5.6")).toMatchObject({ dialect: "openai", isConfigured: true, isReachable: false })
})
