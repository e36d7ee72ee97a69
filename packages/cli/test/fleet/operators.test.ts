import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openStore, prepareStore } from "@sotto/harness"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../../harness/test/postgres-server.js"
import { startModel, wordsOf } from "./model.js"
import { Worker } from "./worker.js"

const COMMAND = fileURLToPath(new URL("../../bin/sotto.js", import.meta.url))
const MODEL = "openai-chat/gpt-5.6"
const PATIENT = { timeout: 60_000, interval: 50 }

let database: PostgresServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.close())

/** A store that its owner has made, a model, a way to start workers, and the command for people. */
async function fleet(schema: string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-operators-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, "app")
  mkdirSync(workspace)
  const effects = join(workspace, "effects.txt")
  writeFileSync(effects, "")
  const model = await startModel(
    (message) => `echo ${message} >> ${effects}`,
    () => 0,
  )
  onTestFinished(() => model.close())
  const owner = database.address(schema)
  await prepareStore({ SOTTO_STORE: owner })
  await (await openStore(owner)).close()
  const sotto = (store: string, ...args: readonly string[]) => {
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: root,
      SOTTO_HOME: join(root, "home"),
      SOTTO_STORE: store,
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
      ...{ env, encoding: "utf8", cwd: workspace },
    })
    return { status, stdout, stderr }
  }
  const start = async (name: string, store: string) => {
    const worker = await Worker.start(name, { root, workspace, store, model: model.url, lease: 1.5 })
    onTestFinished(() => worker.close())
    return worker
  }
  return { owner, sotto, start, effects: () => readFileSync(effects, "utf8").split("\n").slice(0, -1) }
}

describe("a role with the rights that `sotto store grants` prints", () => {
  it("does all the work of a worker, and nothing else", async () => {
    const { owner, sotto, start, effects } = await fleet("granted")
    await (await openStore(database.address("not_granted"))).close()
    const role = 'worker "of" one'
    await database.query(`CREATE ROLE "worker ""of"" one" LOGIN PASSWORD 'hunter2'`)
    const url = new URL(owner)
    url.username = encodeURIComponent(role)
    url.password = "hunter2"
    const store = url.href
    const { status, stdout } = sotto(owner, "store", "grants", role)
    expect(status).toBe(0)
    for (const statement of stdout.trim().split("\n")) await database.query(statement)

    // Two workers take messages, run sessions, and go on with one another's.
    const [first, second] = [await start("w0", store), await start("w1", store)]
    const made = await first.client?.post("/sessions", { workspace: "app", model: MODEL })
    const id = String(made?.json.id)
    const said = (to: Worker, message: string) =>
      to.client?.post(`/sessions/${id}/say`, { text: wordsOf(message), id: message })
    expect(await said(second, "s0-m1")).toMatchObject({ status: 200 })
    await vi.waitFor(() => expect(effects()).toEqual(["s0-m1"]), PATIENT)
    await first.end("SIGKILL")
    await vi.waitFor(async () => expect((await said(second, "s0-m2"))?.status).toBe(200), PATIENT)
    await vi.waitFor(() => expect(effects()).toEqual(["s0-m1", "s0-m2"]), PATIENT)
    await vi.waitFor(
      async () => expect((await second.client?.get(`/sessions/${id}`))?.json.state).toBe("idle"),
      PATIENT,
    )
    await second.end("SIGTERM")

    // So do the commands for people.
    expect(sotto(store, "store", "status")).toMatchObject({ status: 0, stderr: "" })
    expect(sotto(store, "store", "verify")).toMatchObject({ status: 0 })
    const copied = sotto(store, "store", "copy", "default", join(tmpdir(), `${id}.db`))
    rmSync(join(tmpdir(), `${id}.db`), { force: true })
    expect(copied).toMatchObject({ status: 0 })
    expect(sotto(store, "sessions", "repair", id)).toMatchObject({ status: 0 })
    expect(sotto(store, "sessions", "delete", id)).toMatchObject({ status: 0 })

    const client = new pg.Client({ connectionString: store.replace(/\?.*/, "") })
    await client.connect()
    onTestFinished(() => client.end())
    for (const statement of [
      "CREATE TABLE granted.more (x integer)",
      "CREATE TABLE public.more (x integer)",
      "CREATE SCHEMA more",
      "DROP TABLE granted.posted",
      "DROP SCHEMA granted CASCADE",
      "TRUNCATE granted.entries",
      "ALTER TABLE granted.sessions ADD COLUMN colour text",
      "UPDATE granted.entries SET body = ''",
      "UPDATE granted.contents SET bytes = ''",
      "INSERT INTO granted.migrations VALUES (99, 99)",
      "SELECT * FROM not_granted.sessions",
      "GRANT SELECT ON granted.entries TO PUBLIC",
    ]) {
      const failure = await client.query(statement).then(
        () => "done",
        (error: { readonly code?: string }) => error.code,
      )
      // PostgreSQL only warns of a grant that gives nothing.
      const expected = statement.startsWith("GRANT") ? "done" : "42501"
      expect([statement, failure]).toEqual([statement, expected])
    }
    const [open] = await database.query(
      "SELECT has_table_privilege('public', 'granted.entries', 'SELECT') AS open",
    )
    expect(open).toEqual({ open: false })
  })

  it("are said to be for PostgreSQL alone, and for a role that is named", async () => {
    const { owner, sotto } = await fleet("asked")
    expect(sotto(owner, "store", "grants")).toMatchObject({ status: 2, stdout: "" })
    expect(sotto(join(tmpdir(), "no-such.db"), "store", "grants", "w")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("a file has no roles"),
    })
  })
})

describe("a worker beside a newer version", () => {
  it("goes on where that has only added something, and says that it must be replaced where it has not", async () => {
    const { owner, start } = await fleet("rolled")
    const worker = await start("w0", owner)
    const ready = () => worker.client?.get("/ready")
    await database.query("INSERT INTO rolled.migrations (version, min_reader) VALUES (98, 1)")
    await database.query("ALTER TABLE rolled.sessions ADD COLUMN colour text")
    expect(await ready()).toMatchObject({ status: 200 })
    expect(await worker.client?.post("/sessions", { workspace: "app", model: MODEL })).toMatchObject({
      status: 201,
    })
    await database.query("INSERT INTO rolled.migrations (version, min_reader) VALUES (99, 99)")
    const newer = {
      status: 503,
      json: { error: { code: "newer", remedy: expect.stringContaining("newer Sotto") } },
    }
    expect(await ready()).toMatchObject(newer)
    expect(await worker.client?.post("/sessions", { workspace: "app", model: MODEL })).toMatchObject(newer)
    expect(await worker.client?.get("/live")).toMatchObject({ status: 200 })
  })
})
