import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { openStore, prepareStore } from "@sotto/harness"
import { expect, onTestFinished, test } from "vitest"
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

/** Every session says something, waits until the model has it, and says the next thing, to a random worker each time. */
async function measure(database: PostgresServer, workers: number): Promise<Measured> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-measure-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, "app")
  mkdirSync(workspace)
  const waiting = new Map<string, () => void>()
  const model = await startModel(
    () => undefined,
    () => 0,
    ({ messages }) => waiting.get(messages.at(-1) ?? "")?.(),
  )
  const schema = `measure_${workers}`
  const store = database.address(schema)
  await prepareStore({ SOTTO_STORE: store })
  await (await openStore(store)).close()
  const place = { root, workspace, store, model: model.url, lease: 10 }
  const fleet = await Promise.all(Array.from({ length: workers }, (_, n) => Worker.start(`w${n}`, place)))
  const pick = () => fleet[Math.floor(Math.random() * fleet.length)]?.client
  const delays: number[] = []
  const talk = async (n: number, over: () => boolean) => {
    const made = await fleet[n % workers]?.client?.post("/sessions", {
      workspace: "app",
      model: "openai-chat/gpt-5.6",
    })
    for (let m = 1; !over(); m++) {
      const id = `s${n}-m${m}`
      const seen = new Promise<void>((resolve) => waiting.set(id, resolve))
      const began = performance.now()
      const said = await pick()?.post(`/sessions/${made?.json.id}/say`, { text: wordsOf(id), id })
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
