import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStore, prepareStore } from "@sotto/harness"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../../harness/test/postgres-server.js"
import { leaseChanges, watchHistory } from "./history.js"
import { startModel, wordsOf } from "./model.js"
import { Worker, type WorkerPlace } from "./worker.js"

const MODEL = "openai-chat/gpt-5.6"
const PATIENT = { timeout: 60_000, interval: 50 }

let database: PostgresServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.close())

/** A store of its own, a model, and a way to start workers on both. */
async function fleet(schema: string, command: (effects: string, message: string) => string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-workers-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, "app")
  mkdirSync(workspace)
  const effects = join(workspace, "effects.txt")
  writeFileSync(effects, "")
  const model = await startModel(
    (message) => command(effects, message),
    () => 0,
  )
  onTestFinished(() => model.close())
  const store = database.address(schema)
  await prepareStore({ SOTTO_STORE: store })
  await (await openStore(store)).close()
  await watchHistory(database, schema)
  const start = async (name: string, more: Partial<WorkerPlace> = {}) => {
    const worker = await Worker.start(name, { root, workspace, store, model: model.url, lease: 1.5, ...more })
    onTestFinished(() => worker.close())
    return worker
  }
  return {
    root,
    workspace,
    model,
    start,
    effects: () => readFileSync(effects, "utf8").split("\n").slice(0, -1),
  }
}

async function opened({ client }: Worker, place: object = { workspace: "app" }): Promise<string> {
  const answer = await client?.post("/sessions", { ...place, model: MODEL })
  expect(answer).toMatchObject({ status: 201 })
  return String(answer?.json.id)
}

async function said({ client }: Worker, session: string, message: string) {
  return client?.post(`/sessions/${session}/say`, { text: wordsOf(message), id: message })
}

async function types({ client }: Worker, session: string): Promise<readonly string[]> {
  const answer = await client?.get(`/sessions/${session}/log`)
  const entries = (answer?.json.entries ?? []) as readonly { readonly type: string }[]
  return entries.map(({ type }) => type)
}

describe("a worker that is stopped in the middle of a command", () => {
  it("has its command ended when its lease ends, and another goes on with the session", async () => {
    const ticking = (effects: string) =>
      `while true; do echo "$FLEET_LIFE $$ $(date +%s%3N)" >> ${effects}; sleep 0.05; done`
    const brief = (effects: string) => `echo "$FLEET_LIFE done $(date +%s%3N)" >> ${effects}`
    let calls = 0
    const { start, effects } = await fleet("guarded", (file) => (++calls === 1 ? ticking(file) : brief(file)))
    const first = await start("w0")
    const session = await opened(first)
    await said(first, session, "s0-m1")
    await vi.waitFor(() => expect(effects().length).toBeGreaterThan(3), PATIENT)
    const second = await start("w1")
    first.signal("SIGSTOP")
    // The next message goes through the second worker, which takes the session when its lease has ended.
    await vi.waitFor(async () => expect((await said(second, session, "s0-m2"))?.status).toBe(200), PATIENT)
    await vi.waitFor(() => expect(effects().at(-1)).toContain(" done "), PATIENT)
    const ticks = effects().filter((line) => line.startsWith("w0.1"))
    const [, , last = "0"] = ticks.at(-1)?.split(" ") ?? []
    const taken = (await leaseChanges(database, "guarded")).find(
      ({ by, is }) => by === "w1.1" && is === "granted",
    )
    // The guardian was sooner than the second worker.
    expect(Number(last)).toBeLessThan(taken?.at ?? 0)
    first.signal("SIGCONT")
    // Continued, it neither appends nor goes on: the log stays that of the second.
    await vi.waitFor(async () => {
      const [seen, known] = [first, second].map(({ client }) => client?.get(`/sessions/${session}`))
      expect((await seen)?.json.holder).toEqual({ ...((await known)?.json.holder ?? {}), pid: second.pid })
    }, PATIENT)
    expect((await types(second, session)).filter((type) => type === "recovered")).toHaveLength(1)
    expect(effects().filter((line) => line.startsWith("w0.1"))).toEqual(ticks)
  })
})

describe("a message", () => {
  const echo = (effects: string, message: string) => `echo ${message} >> ${effects}`

  it("reaches the session wherever it runs, and is the same message however often it is sent", async () => {
    const { start, effects, model } = await fleet("anywhere", echo)
    const [first, second] = [await start("w0"), await start("w1")]
    const session = await opened(first)
    for (const message of ["s0-m1", "s0-m2", "s0-m3"]) {
      const receipts = [await said(second, session, message), await said(first, session, message)]
      for (const receipt of receipts) expect(receipt).toMatchObject({ status: 200, json: { id: message } })
      expect(receipts[0]?.json.seq).toBe(receipts[1]?.json.seq)
    }
    await vi.waitFor(() => expect(effects()).toEqual(["s0-m1", "s0-m2", "s0-m3"]), PATIENT)
    expect(new Set(model.requests.map(({ life }) => life))).toEqual(new Set(["w0.1"]))
  })

  it("for a session that nobody runs is taken by a worker that has its workspace", async () => {
    const { start, effects, root, model } = await fleet("elsewhere", echo)
    const other = join(root, "other")
    mkdirSync(other)
    const first = await start("w0")
    const session = await opened(first)
    await first.end("SIGKILL")
    // It has another workspace only, and passes the message on.
    const without = await start("w1", {
      workspace: other,
      workspaceName: "other",
      variables: { SOTTO_HOST: "b" },
    })
    expect(await without.client?.post("/sessions", { workspace: "app" })).toMatchObject({
      status: 400,
      json: { error: { code: "unknown-workspace", remedy: "It has: other." } },
    })
    const receipt = said(without, session, "s0-m1")
    await vi.waitFor(
      async () => expect((await without.client?.get(`/sessions/${session}`))?.json.state).toBe("waiting"),
      PATIENT,
    )
    await start("w2", { variables: { SOTTO_HOST: "c" } })
    expect(await receipt).toMatchObject({ json: { id: "s0-m1" } })
    await vi.waitFor(() => expect(effects()).toEqual(["s0-m1"]), PATIENT)
    expect(new Set(model.requests.map(({ life }) => life))).toEqual(new Set(["w2.1"]))
  })
})

it("has what it was at work on spread over all workers that live, when it is killed", async () => {
  const count = 12
  const begun = new Set<string>()
  const { start, model } = await fleet("spread", (file, message) => {
    // The first time the command does not end.
    if (begun.has(message)) return `echo again >> ${file}`
    begun.add(message)
    return `echo begun >> ${file}; sleep 600`
  })
  const first = await start("w0")
  const sessions = await Promise.all(Array.from({ length: count }, () => opened(first)))
  await Promise.all(sessions.map((session, n) => said(first, session, `s${n}-m1`)))
  await vi.waitFor(() => expect(begun.size).toBe(count), PATIENT)
  await Promise.all([start("w1"), start("w2")])
  await first.end("SIGKILL")
  const by = (life: string) =>
    new Set(model.requests.filter((request) => request.life === life).map(({ session }) => session)).size
  await vi.waitFor(() => expect(by("w1.1") + by("w2.1")).toBe(count), PATIENT)
  expect(Math.min(by("w1.1"), by("w2.1"))).toBeGreaterThanOrEqual(count / 6)
})

it("hands its sessions over when it is stopped politely, in the middle of a turn", async () => {
  let calls = 0
  const { start, effects, model } = await fleet("handed", (file) =>
    ++calls === 1 ? `echo begun >> ${file}; sleep 600` : `echo again >> ${file}`,
  )
  const first = await start("w0")
  const session = await opened(first)
  await said(first, session, "s0-m1")
  await vi.waitFor(() => expect(effects()).toEqual(["begun"]), PATIENT)
  const second = await start("w1")
  await first.end("SIGTERM")
  await vi.waitFor(() => expect(model.requests.at(-1)?.life).toBe("w1.1"), PATIENT)
  await vi.waitFor(async () => expect((await types(second, session)).at(-1)).toBe("replied"), PATIENT)
  expect(await types(second, session)).not.toContain("aborted")
})
