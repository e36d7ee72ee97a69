import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { openStore, prepareStore } from "@sotto/harness"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../../harness/test/postgres-server.js"
import { Client } from "../support/server.js"
import { composeFile, documented, unitSettings } from "./deployed.js"
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

    await database.query(`SET ROLE "worker ""of"" one"`)
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
      const failure = await database.query(statement).then(
        () => "done",
        (error: { readonly code?: string }) => error.code,
      )
      // PostgreSQL only warns of a grant that gives nothing.
      const expected = statement.startsWith("GRANT") ? "done" : "42501"
      expect([statement, failure]).toEqual([statement, expected])
    }
    await database.query("RESET ROLE")
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

describe("the files for operators in docs/server.md", () => {
  /** Runs a command line that is documented, here and at a free port: in place of /srv/app there is a folder of the test. */
  async function started(words: readonly string[], env: Readonly<Record<string, string>>) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-deployed-")))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const [program, ...args] = words.map((word) => word.replace("/srv/app", root))
    expect(program).toMatch(/^(\/usr\/bin\/)?sotto$/)
    const port = args.includes("--port") ? args : [...args, "--port", "4096"]
    const child = spawn(process.execPath, [COMMAND, ...port.map((word) => (word === "4096" ? "0" : word))], {
      cwd: root,
      env: { PATH: process.env.PATH ?? "", HOME: root, SOTTO_HOME: join(root, "home"), ...env },
      stdio: ["ignore", "pipe", "ignore"],
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", () => reject(new Error("it ended")))
      createInterface({ input: child.stdout }).once("line", (line) =>
        resolve(line.replace("listening on ", "")),
      )
    })
    const end = () =>
      new Promise<number | null>((resolve) => {
        child.removeAllListeners("exit").once("exit", (code) => resolve(code))
        child.kill("SIGTERM")
      })
    return { port: new URL(url).port, end }
  }

  it("have a compose file whose worker starts, is checked, and stops in the time that it is given", async () => {
    const server = await startPostgres()
    onTestFinished(() => server.close())
    const compose = composeFile() as {
      readonly services: Readonly<Record<"database" | "worker", Service>>
    }
    const { database: postgres, worker } = compose.services
    for (const { restart, healthcheck } of [postgres, worker]) {
      expect(restart).toBe("unless-stopped")
      expect(healthcheck.test[0]).toBe("CMD")
    }
    expect(worker).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      depends_on: { database: { condition: "service_healthy" } },
    })
    const command = /^CMD (.*)$/m.exec(documented("dockerfile", "FROM"))?.[1] ?? ""
    const store = new URL(server.address("composed"))
    const password = decodeURIComponent(store.password)
    store.password = ""
    // The names are those of the file; what stands for the variables of its user is the test's.
    const given = {
      SOTTO_STORE: store.href,
      PGPASSWORD: password,
      SOTTO_TOKEN: "a-token-of-the-compose-file",
    }
    expect(Object.keys(worker.environment)).toEqual([...Object.keys(given), "ANTHROPIC_API_KEY"])
    const running = await started(JSON.parse(command) as string[], {
      ...given,
      ANTHROPIC_API_KEY: "no-real-key",
    })
    const [, program = "", ...args] = worker.healthcheck.test
    const isHealthy = () =>
      new Promise<boolean>((resolve) => {
        const line = args.map((word) => word.replace("4096", running.port))
        spawn(program, line, { stdio: "ignore" }).once("exit", (code) => resolve(code === 0))
      })
    expect(await isHealthy()).toBe(true)
    await server.stop()
    await vi.waitFor(async () => expect(await isHealthy()).toBe(false), PATIENT)
    await server.start()
    await vi.waitFor(async () => expect(await isHealthy()).toBe(true), PATIENT)
    const began = performance.now()
    expect(await running.end()).toBe(0)
    expect(performance.now() - began).toBeLessThan(Number.parseInt(worker.stop_grace_period, 10) * 1_000)
    expect(await isHealthy()).toBe(false)
  })

  it("have a unit for systemd whose command starts, and stops in the time that it is given", async () => {
    const settings = unitSettings(documented("ini", "[Unit]"))
    expect(Object.fromEntries(settings)).toMatchObject({
      Restart: "always",
      KillMode: "mixed",
      ProtectSystem: "strict",
      NoNewPrivileges: "yes",
      CapabilityBoundingSet: "",
    })
    const running = await started(settings.get("ExecStart")?.split(" ") ?? [], {
      SOTTO_STORE: database.address("unit"),
      SOTTO_TOKEN: "a-token-of-the-unit",
    })
    expect(await new Client(`http://127.0.0.1:${running.port}`, undefined).get("/ready")).toMatchObject({
      status: 200,
    })
    const began = performance.now()
    expect(await running.end()).toBe(0)
    expect(performance.now() - began).toBeLessThan(Number(settings.get("TimeoutStopSec")) * 1_000)
  })
})

interface Service {
  readonly restart: string
  readonly environment: Readonly<Record<string, string>>
  readonly healthcheck: { readonly test: readonly string[] }
  readonly stop_grace_period: string
}
