import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStore, prepareStore } from "@sotto/harness"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../../harness/test/postgres-server.js"
import { startModel, wordsOf } from "./model.js"
import { Worker } from "./worker.js"

const MODEL = "openai-chat/gpt-5.6"
const PATIENT = { timeout: 60_000, interval: 50 }
const PIECES = 600

let database: PostgresServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.close())

/** A schema, a model whose commands write to a file, and workers. */
async function scene(schema: string, pieces = 1) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-outages-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, "app")
  mkdirSync(workspace)
  const effects = join(workspace, "effects.txt")
  writeFileSync(effects, "")
  const model = await startModel(
    (message) => `echo ${message} >> ${effects}`,
    () => 0,
    undefined,
    pieces,
  )
  onTestFinished(() => model.close())
  const store = database.address(schema)
  await prepareStore({ SOTTO_STORE: store })
  return {
    model,
    effects: () => readFileSync(effects, "utf8").split("\n").slice(0, -1),
    make: async () => (await openStore(store)).close(),
    start: async (name: string, lease = 3) => {
      const worker = await Worker.start(name, { root, workspace, store, model: model.url, lease })
      onTestFinished(() => worker.close())
      return worker
    },
  }
}

const open = ({ client }: Worker) => client?.post("/sessions", { workspace: "app", model: MODEL })
const say = ({ client }: Worker, session: string, message: string) =>
  client?.post(`/sessions/${session}/say`, { text: wordsOf(message), id: message })

async function opened(worker: Worker): Promise<string> {
  const answer = await open(worker)
  expect(answer).toMatchObject({ status: 201 })
  return String(answer?.json.id)
}

/** Sends a message until there is a receipt for it. */
async function taken(worker: Worker, session: string, message: string): Promise<void> {
  await vi.waitFor(async () => expect((await say(worker, session, message))?.status).toBe(200), PATIENT)
}

/** How often a worker said that its database was away, and that it was back. */
function told({ said }: Worker) {
  const text = said.join("")
  return {
    away: text.match(/cannot be reached: .*Nothing new is started/g)?.length ?? 0,
    back: text.match(/can be reached again/g)?.length ?? 0,
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

describe("a database that goes away", () => {
  it("for longer than the lease ends no worker: it says so once, answers, and goes on by itself", async () => {
    const { start, effects, make } = await scene("cut")
    await make()
    const worker = await start("w0")
    const session = await opened(worker)
    await taken(worker, session, "s0-m1")
    const { pid } = worker
    worker.cable.cut()
    const lost = say(worker, session, "s0-m2")
    const slowest = { ms: 0 }
    for (let i = 0; i < 60; i++) {
      const began = performance.now()
      expect(await worker.client?.get("/health")).toMatchObject({ status: 200 })
      slowest.ms = Math.max(slowest.ms, performance.now() - began)
      await pause(100)
    }
    // Other tests run beside this one: what hangs for the database takes seconds.
    expect(slowest.ms).toBeLessThan(1_000)
    expect(await lost).toMatchObject({ status: 503, json: { error: { code: "unavailable" } } })
    expect(await open(worker)).toMatchObject({ status: 503 })
    worker.cable.mend(true)
    await taken(worker, session, "s0-m2")
    await taken(worker, session, "s0-m3")
    await vi.waitFor(() => expect(effects()).toEqual(["s0-m1", "s0-m2", "s0-m3"]), PATIENT)
    expect({ pid: worker.pid, isThere: worker.isThere }).toEqual({ pid, isThere: true })
    expect(told(worker)).toEqual({ away: 1, back: 1 })
  })

  it("and is started again finds its workers where they were", async () => {
    const { start, effects, make } = await scene("restarted")
    await make()
    const workers = [await start("w0", 10), await start("w1", 10)]
    const [first, second] = workers as [Worker, Worker]
    const session = await opened(first)
    await taken(first, session, "s0-m1")
    await database.stop()
    await pause(4_000)
    await database.start()
    await taken(second, session, "s0-m2")
    await vi.waitFor(() => expect(effects()).toEqual(["s0-m1", "s0-m2"]), PATIENT)
    for (const worker of workers) {
      expect(worker.isThere).toBe(true)
      expect(told(worker)).toEqual({ away: 1, back: 1 })
    }
  })

  it("does not keep a worker from being stopped in time", async () => {
    const { start, make } = await scene("stopped")
    await make()
    const worker = await start("w0", 10)
    const session = await opened(worker)
    await taken(worker, session, "s0-m1")
    worker.cable.cut()
    say(worker, session, "s0-m2")?.catch(() => {})
    await pause(500)
    const began = performance.now()
    await worker.end("SIGTERM")
    // As `sotto serve --help` says, and what a busy machine adds.
    expect(performance.now() - began).toBeLessThan(12_000)
  })
})

it("a worker that is started before its database listens, says 503, and goes on by itself", async () => {
  const { start, effects } = await scene("early")
  await database.stop()
  let worker: Worker | undefined
  try {
    worker = await start("w0")
    expect(worker.isThere).toBe(true)
    expect(await worker.client?.get("/health")).toMatchObject({ status: 200 })
    expect(await open(worker)).toMatchObject({ status: 503, json: { error: { code: "unavailable" } } })
    await vi.waitFor(() => expect(worker && told(worker).away).toBe(1), PATIENT)
  } finally {
    await database.start()
  }
  await vi.waitFor(() => expect(worker && told(worker).back).toBe(1), PATIENT)
  const session = await opened(worker)
  await taken(worker, session, "s0-m1")
  await vi.waitFor(() => expect(effects()).toEqual(["s0-m1"]), PATIENT)
})

it(`a reply of ${PIECES} pieces that somebody reads takes at most 60 messages to the database`, async () => {
  const { start, make } = await scene("pieces", PIECES)
  await make()
  const worker = await start("w0", 10)
  const session = await opened(worker)
  const events = worker.client?.events(`/sessions/${session}/events`)
  onTestFinished(() => events?.close())
  const before = worker.cable.messages
  await taken(worker, session, "s0-m1")
  await vi.waitFor(() => expect(events?.told.map(({ event }) => event.type)).toContain("turn-end"), PATIENT)
  const parts = events?.told.filter(({ event }) => String(event.type) === "partial") ?? []
  expect(parts.length).toBeGreaterThanOrEqual(PIECES - 1)
  expect(worker.cable.messages - before).toBeLessThanOrEqual(60)
})
