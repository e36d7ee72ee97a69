import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Entry } from "@sotto/core"
import { openStore, prepareStore } from "@sotto/harness"
import type { PostgresServer } from "../../../harness/test/postgres-server.js"
import type { Effect, Record as Left } from "./checker.js"
import { appends, leaseChanges, watchHistory } from "./history.js"
import { startModel, wordsOf } from "./model.js"
import { Worker } from "./worker.js"

export interface StormOptions {
  readonly workers: number
  readonly sessions: number
  /** How long messages are posted and faults are made. */
  readonly seconds: number
  readonly seed: number
  /** Seconds. */
  readonly lease: number
  readonly fencing: boolean
  readonly restartDatabase: boolean
  /** What to tell of while it goes on. */
  readonly tell?: (line: string) => void
}

export interface Storm {
  readonly left: Left
  /** How often each fault was made. */
  readonly faults: Readonly<Record<string, number>>
  /** What the workers said on standard error. */
  readonly said: readonly string[]
  /** Milliseconds from a post to its delivery, by the log's own times. */
  readonly delays: readonly number[]
  /** Messages that could not be brought to rest in time. */
  readonly isQuiet: boolean
}

const SCHEMA = "storm"
/** How long one post may take before it is sent again to another worker. */
const PATIENCE_MS = 4_000
/** How long everything may take to come to rest after the last fault. Without fencing, some never does. */
const REST_MS = 120_000
const UNFENCED_REST_MS = 3_000

/** Posts messages to random workers while workers are killed, stopped and cut off, and gathers what is left of it. */
export async function storm(database: PostgresServer, options: StormOptions): Promise<Storm> {
  const { workers: count, sessions, seconds, seed, lease, fencing, tell = () => {} } = options
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-fleet-")))
  const workspace = join(root, "app")
  const effects = join(workspace, "effects.txt")
  mkdirSync(workspace)
  writeFileSync(effects, "")
  const chance = chances(seed)
  const model = await startModel(
    (message, call) => {
      const line = (is: string) => `echo "$FLEET_LIFE ${message} ${call} ${is} $(date +%s%3N)" >> ${effects}`
      return `${line("begun")}; sleep ${(chance() * 0.5).toFixed(2)}; ${line("ended")}`
    },
    () => 20 + chance() * 150,
  )
  await database.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
  const store = database.address(SCHEMA)
  await prepareStore({ SOTTO_STORE: store })
  await (await openStore(store)).close()
  await watchHistory(database, SCHEMA)
  const workers: Worker[] = []
  try {
    const variables = fencing ? {} : { SOTTO_TEST_NO_FENCING: "1" }
    for (let n = 0; n < count; n++)
      workers.push(
        await Worker.start(`w${n}`, { root, workspace, store, model: model.url, lease, variables }),
      )
    tell(`${count} workers are there`)
    const ids = await Promise.all(
      Array.from({ length: sessions }, async (_, n) => {
        const { client } = workers[n % count] as Worker
        const answer = await client?.post("/sessions", { workspace: "app", model: "openai-chat/gpt-5.6" })
        if (answer?.status !== 201) throw new Error(`A session cannot be made: ${answer?.text}`)
        return String(answer.json.id)
      }),
    )
    tell(`${sessions} sessions are there`)
    const over = Date.now() + seconds * 1000
    const posted = ids.map((): string[] => [])
    // Without fencing a session may be damaged, and never take a message again.
    const patient = fencing ? Number.POSITIVE_INFINITY : over
    const posting = ids.map((id, n) =>
      post(id, `s${n}`, posted[n] as string[], workers, { over, patient }, chances(seed + n)),
    )
    const faults = await disturb(database, workers, over, options, chances(seed - 1))
    tell(`faults: ${JSON.stringify(faults)}`)
    await Promise.all(posting)
    tell("every message has a receipt")
    const isQuiet = await rest(database, fencing ? REST_MS : UNFENCED_REST_MS)
    tell(isQuiet ? "all is quiet" : "it does not come to rest")
    tell(`database: ${JSON.stringify(await sizes(database))}`)
    const logs = await logsOf(database, ids)
    const left: Left = {
      sessions: ids.map((id, n) => ({
        id,
        name: `s${n}`,
        posted: posted[n] as string[],
        log: logs.get(id) ?? [],
      })),
      requests: model.requests,
      effects: effectsIn(readFileSync(effects, "utf8")),
      leases: await leaseChanges(database, SCHEMA),
      appends: await appends(database, SCHEMA),
    }
    return { left, faults, isQuiet, said: workers.flatMap(({ said }) => said), delays: delaysIn(left) }
  } finally {
    await Promise.all(workers.map((worker) => worker.close()))
    await model.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** Posts messages of one session, one after the other: the next when there is a receipt for the last. */
async function post(
  id: string,
  name: string,
  posted: string[],
  workers: readonly Worker[],
  { over, patient }: { readonly over: number; readonly patient: number },
  chance: () => number,
): Promise<void> {
  for (let n = 1; Date.now() < over; n++) {
    const message = `${name}-m${n}`
    posted.push(message)
    while (!(await isTaken(pick(workers, chance), id, message))) {
      if (Date.now() > patient) return
      await pause(50 + chance() * 200)
    }
    await pause(chance() * 2_000)
  }
}

/** True if a worker gave a receipt. Whoever gets none sends the message again, under the same id, to any worker. */
async function isTaken(worker: Worker, session: string, message: string): Promise<boolean> {
  const { client } = worker
  if (client === undefined) return false
  try {
    const sent = client.post(`/sessions/${session}/say`, { text: wordsOf(message), id: message })
    const late = pause(PATIENCE_MS).then(() => undefined)
    const answer = await Promise.race([sent, late])
    sent.catch(() => {})
    return answer !== undefined && answer.status < 300
  } catch {
    return false
  }
}

/** Makes faults, one after the other, until the time is over and all is well again. */
async function disturb(
  database: PostgresServer,
  workers: readonly Worker[],
  over: number,
  { lease, restartDatabase }: StormOptions,
  chance: () => number,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = { killed: 0, paused: 0, cut: 0, restarted: 0 }
  const under = new Set<Worker>()
  const healing: Promise<void>[] = []
  const longer = () => lease * 1000 * (1.2 + chance())
  const fault = async (worker: Worker, kind: string): Promise<void> => {
    if (kind === "killed") {
      await worker.end("SIGKILL")
      await pause(chance() * 500)
      while (!worker.isThere) await worker.begin()
    } else if (kind === "paused") {
      worker.signal("SIGSTOP")
      await pause(longer())
      worker.signal("SIGCONT")
    } else {
      worker.cable.cut()
      await pause(longer())
      worker.cable.mend(chance() < 0.5)
    }
  }
  let restarting = 0
  while (Date.now() < over) {
    await pause(200 + chance() * lease * 500)
    if (restartDatabase && Date.now() > restarting) {
      restarting = Date.now() + lease * 4_000
      counts.restarted = (counts.restarted ?? 0) + 1
      await database.stop()
      await pause(chance() < 0.5 ? 200 : lease * 1500)
      await database.start()
      continue
    }
    const well = workers.filter((worker) => !under.has(worker))
    // Somebody has to be left to take over.
    if (well.length <= workers.length / 2) continue
    const worker = pick(well, chance)
    const kind = pick(["killed", "paused", "cut"], chance)
    counts[kind] = (counts[kind] ?? 0) + 1
    under.add(worker)
    healing.push(fault(worker, kind).finally(() => under.delete(worker)))
  }
  await Promise.all(healing)
  return counts
}

/** Waits until nothing is posted, at work or said without having been delivered. False if that takes too long. */
async function rest(database: PostgresServer, most: number): Promise<boolean> {
  for (const late = Date.now() + most; Date.now() < late; await pause(200)) {
    const [row] = await database.query(
      `SELECT (SELECT count(*) FROM ${SCHEMA}.posted WHERE NOT done) + (SELECT count(*) FROM ${SCHEMA}.sessions WHERE at_work) AS open`,
    )
    if (Number(row?.open) === 0) return true
  }
  return false
}

/** What the sessions take on the database's disk. */
async function sizes(database: PostgresServer): Promise<Readonly<Record<string, number>>> {
  const [row] = await database.query(
    `SELECT pg_total_relation_size('${SCHEMA}.entries') AS entries, pg_total_relation_size('${SCHEMA}.sessions') AS sessions,
       pg_total_relation_size('${SCHEMA}.leases') AS leases, pg_total_relation_size('${SCHEMA}.posted') AS posted,
       (SELECT count(*) FROM ${SCHEMA}.entries) AS rows, (SELECT avg(length(body)) FROM ${SCHEMA}.entries)::int AS mean,
       (SELECT count(*) FROM ${SCHEMA}.entries WHERE body LIKE '{"type":"step"%') AS steps`,
  )
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]))
}

async function logsOf(
  database: PostgresServer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Entry[]>> {
  const rows = await database.query(
    `SELECT s.id, e.body FROM ${SCHEMA}.entries e JOIN ${SCHEMA}.sessions s ON s.key = e.session ORDER BY s.key, e.seq`,
  )
  const logs = new Map<string, Entry[]>(ids.map((id) => [id, []]))
  for (const { id, body } of rows) logs.get(String(id))?.push(JSON.parse(String(body)) as Entry)
  return logs
}

function effectsIn(text: string): readonly Effect[] {
  return text.split("\n").flatMap((line) => {
    const [life = "", message = "", call = "", is, at] = line.split(" ")
    return is === "begun" || is === "ended" ? [{ life, message, call, is, at: Number(at) }] : []
  })
}

function delaysIn({ sessions }: Left): readonly number[] {
  return sessions.flatMap(({ log }) => {
    const said = new Map(
      log.flatMap((entry) => (entry.type === "said" ? [[entry.id, entry.at] as const] : [])),
    )
    return log.flatMap((entry) =>
      entry.type === "step" ? entry.delivered.map(({ id }) => entry.at - (said.get(id) ?? entry.at)) : [],
    )
  })
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function pick<T>(list: readonly T[], chance: () => number): T {
  return list[Math.floor(chance() * list.length)] as T
}

/** The same numbers from 0 to 1 every time (mulberry32). */
function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
