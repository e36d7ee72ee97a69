import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { openStore, prepareStore } from "@sotto/harness"
import { expect, onTestFinished, test, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../../harness/test/postgres-server.js"
import { startModel, wordsOf } from "./model.js"
import { Worker } from "./worker.js"

/** `npm run bench -- fleet` asks for the whole table. */
const IS_BENCH = process.env.SOTTO_BENCH_FLEET === "1"
const SIZES = IS_BENCH ? [1, 2, 4] : [2]
const [SESSIONS, SECONDS] = IS_BENCH ? [40, 15] : [20, 5]

interface Measured {
  readonly workers: number
  readonly steps: number
  /** From the post until the model server has the request with the message in it, in milliseconds, sorted. */
  readonly delays: readonly number[]
  readonly seconds: number
  /** Milliseconds in which the database carried out statements. */
  readonly database: number
}

/** A folder of its own, with a workspace in it. */
function place() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-measure-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, "app")
  mkdirSync(workspace)
  return { root, workspace }
}

async function newStore(database: PostgresServer, schema: string): Promise<string> {
  const store = database.address(schema)
  await prepareStore({ SOTTO_STORE: store })
  await (await openStore(store)).close()
  return store
}

async function newSession({ client }: Worker): Promise<string> {
  const made = await client?.post("/sessions", { workspace: "app", model: "openai-chat/gpt-5.6" })
  return String(made?.json.id)
}

/** Every session says something, waits until the model has it, and says the next thing, to a random worker each time. */
async function measure(database: PostgresServer, workers: number): Promise<Measured> {
  const { root, workspace } = place()
  const waiting = new Map<string, () => void>()
  const model = await startModel(
    () => undefined,
    () => 0,
    ({ messages }) => waiting.get(messages.at(-1) ?? "")?.(),
  )
  const store = await newStore(database, `measure_${workers}`)
  const parts = { root, workspace, store, model: model.url, lease: 10 }
  const fleet = await Promise.all(Array.from({ length: workers }, (_, n) => Worker.start(`w${n}`, parts)))
  const pick = () => fleet[Math.floor(Math.random() * fleet.length)]?.client
  const delays: number[] = []
  const talk = async (n: number, over: () => boolean) => {
    const session = await newSession(fleet[n % workers] as Worker)
    for (let m = 1; !over(); m++) {
      const id = `s${n}-m${m}`
      const seen = new Promise<void>((resolve) => waiting.set(id, resolve))
      const began = performance.now()
      const said = await pick()?.post(`/sessions/${session}/say`, { text: wordsOf(id), id })
      expect(said?.status).toBe(200)
      await seen
      delays.push(performance.now() - began)
    }
  }
  const before = await activeTime(database)
  const began = performance.now()
  const over = () => performance.now() - began > SECONDS * 1000
  await Promise.all(Array.from({ length: SESSIONS }, (_, n) => talk(n, over)))
  const seconds = (performance.now() - began) / 1000
  await Promise.all(fleet.map((worker) => worker.close()))
  await model.close()
  // Statistics are kept by each connection, and written when it ends.
  const used = (await activeTime(database)) - before
  return {
    workers,
    seconds,
    database: used,
    steps: model.requests.length,
    delays: delays.sort((a, b) => a - b),
  }
}

async function activeTime(database: PostgresServer): Promise<number> {
  await database.query("SELECT pg_stat_force_next_flush()")
  const [row] = await database.query(
    "SELECT active_time FROM pg_stat_database WHERE datname = current_database()",
  )
  return Number(row?.active_time)
}

test("messages reach the model from any worker, and the database takes a part of the time", async () => {
  const database = await startPostgres()
  onTestFinished(() => database.close())
  const at = (list: readonly number[], share: number) =>
    Math.round(list[Math.floor(list.length * share)] ?? 0)
  for (const size of SIZES) {
    const { workers, steps, delays, seconds, database: used } = await measure(database, size)
    expect(steps).toBeGreaterThanOrEqual(delays.length)
    expect(used).toBeGreaterThan(0)
    if (IS_BENCH)
      process.stdout.write(
        `${workers} workers, ${SESSIONS} sessions: ${(steps / seconds).toFixed(0)} steps/s; post to delivery p50 ${at(delays, 0.5)} ms, p95 ${at(delays, 0.95)} ms; database ${(used / steps).toFixed(1)} ms a step (${((used / (seconds * 1000)) * 100).toFixed(0)} % of one core's time); load ${loadavg()[0]?.toFixed(1)}\n`,
      )
  }
}, 600_000)

/** Steps a second of one worker with 20 sessions. Each message has the model run a command, and the next follows its result. */
async function stepsWith(store: string, roundTrip: number, seconds: number): Promise<number> {
  const { root, workspace } = place()
  const waiting = new Map<string, () => void>()
  const begun = new Set<string>()
  const model = await startModel(
    () => "true",
    () => 0,
    ({ messages }) => {
      const message = messages.at(-1) ?? ""
      // The second request has the result of the command.
      if (begun.has(message)) waiting.get(message)?.()
      begun.add(message)
    },
  )
  const worker = await Worker.start("w0", {
    ...{ root, workspace, model: model.url, lease: 10 },
    store: store === "" ? join(root, "sessions.db") : store,
  })
  worker.cable.delay(roundTrip)
  const sessions = await Promise.all(Array.from({ length: 20 }, () => newSession(worker)))
  const began = performance.now()
  const before = model.requests.length
  const talk = async (session: string, n: number) => {
    for (let m = 1; performance.now() - began < seconds * 1000; m++) {
      const id = `s${n}-m${m}`
      const seen = new Promise<void>((resolve) => waiting.set(id, resolve))
      const said = await worker.client?.post(`/sessions/${session}/say`, { text: wordsOf(id), id })
      expect(said?.status).toBe(200)
      await seen
    }
  }
  await Promise.all(sessions.map(talk))
  const steps = (model.requests.length - before) / ((performance.now() - began) / 1000)
  await worker.close()
  await model.close()
  return steps
}

/** Milliseconds that turns of 600 pieces take in one session, one after the other, at each of these round trips. */
async function turnsAt(store: string, roundTrips: readonly number[]): Promise<readonly number[]> {
  const { root, workspace } = place()
  const model = await startModel(
    () => undefined,
    () => 0,
    undefined,
    600,
  )
  const worker = await Worker.start("w0", { root, workspace, store, model: model.url, lease: 10 })
  const session = await newSession(worker)
  const events = worker.client?.events(`/sessions/${session}/events`)
  const ends = () => events?.told.filter(({ event }) => event.type === "turn-end").length ?? 0
  const took: number[] = []
  for (const [n, roundTrip] of roundTrips.entries()) {
    worker.cable.delay(roundTrip)
    const began = performance.now()
    await worker.client?.post(`/sessions/${session}/say`, { text: wordsOf(`s0-m${n}`), id: `s0-m${n}` })
    await vi.waitFor(() => expect(ends()).toBe(n + 1), { timeout: 60_000, interval: 5 })
    took.push(performance.now() - began)
  }
  events?.close()
  await worker.close()
  await model.close()
  return took
}

// Figures of time say something only on a quiet machine, so they are asked for and are no part of the tests.
if (IS_BENCH)
  test("a database that is some milliseconds away costs little", async () => {
    const database = await startPostgres()
    onTestFinished(() => database.close())
    // The first turn warms the worker up. Of each pair, the faster one counts: other programs run here too.
    const [, ...turns] = await turnsAt(await newStore(database, "turns"), [0, 0, 10, 0, 10])
    const loopback = Math.min(turns[0] ?? 0, turns[2] ?? 0)
    const away = Math.min(turns[1] ?? 0, turns[3] ?? 0)
    const steps = { sqlite: 0, at2: 0, at10: 0 }
    for (const round of [1, 2]) {
      steps.sqlite += await stepsWith("", 0, 8)
      steps.at2 += await stepsWith(await newStore(database, `near_${round}`), 2, 8)
      steps.at10 += await stepsWith(await newStore(database, `far_${round}`), 10, 8)
    }
    const ratio = (value: number) => (value / steps.sqlite).toFixed(2)
    process.stdout.write(
      `a turn of 600 pieces: ${loopback.toFixed(0)} ms on loopback, ${away.toFixed(0)} ms at 10 ms: ${(away / loopback).toFixed(2)} × (at most 2)\n20 sessions: ${(steps.sqlite / 2).toFixed(0)} steps/s in SQLite; PostgreSQL at 2 ms ${(steps.at2 / 2).toFixed(0)}, ${ratio(steps.at2)} × (at least 0.7); at 10 ms ${(steps.at10 / 2).toFixed(0)}, ${ratio(steps.at10)} × (at least 0.5); load ${loadavg()[0]?.toFixed(1)}\n`,
    )
    expect(away).toBeLessThan(2 * loopback)
    expect(steps.at2).toBeGreaterThan(0.7 * steps.sqlite)
    expect(steps.at10).toBeGreaterThan(0.5 * steps.sqlite)
  }, 600_000)
