import { join } from "node:path"
import { createAdaptorServer } from "@hono/node-server"
import { StoreError, type StoreErrorCode, WorkspaceNames } from "@sotto/harness"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../harness/test/postgres-server.js"
import { AccessControl } from "../src/server/access.js"
import { appFor } from "../src/server/app.js"
import type { ApiRoute } from "../src/server/route.js"
import { apiRoutes } from "../src/server/server.js"
import { Hub } from "../src/server/sessions/hub.js"
import { SessionReader } from "../src/server/sessions/session-reader.js"
import { Streams } from "../src/server/sse.js"
import { Traces } from "../src/server/traces/traces.js"
import { Client, serving } from "./support/server.js"
import { benchWith, reaching, serverWith } from "./support/sotto.js"

const MODEL = "anthropic/claude-opus-5-5"
const PATIENT = { timeout: 30_000, interval: 50 }

let database: PostgresServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.close())

describe("a store that is away, lost or busy", () => {
  const TOKEN = "a-token-for-the-routes-of-this-test"
  const codes: readonly StoreErrorCode[] = [
    ...(["bad-import", "conflict", "damaged", "duplicate", "locked", "lost", "newer", "not-open"] as const),
    ...(["unavailable", "unknown-prompt", "unknown-session"] as const),
  ]
  /** What a route needs to come as far as the store. */
  const bodies: Readonly<Record<string, (cwd: string) => object>> = {
    "post /sessions": (cwd) => ({ cwd, model: MODEL }),
    "post /sessions/{id}/say": () => ({ text: "Begin." }),
    "post /sessions/{id}/agent": () => ({ name: "plan" }),
    "post /sessions/{id}/model": () => ({ model: MODEL }),
    "post /sessions/{id}/answer": () => ({ id: "ask-1", answer: "allow" }),
    "post /sessions/{id}/reminders": () => ({ kind: "build_switch", on: true }),
    "post /sessions/{id}/rewind": () => ({ to: "m1", files: true }),
    "post /sessions/{id}/auto": () => ({ on: true }),
    "post /sessions/{id}/style": () => ({ name: "concise" }),
    "post /sessions/{id}/task": () => ({ id: "bash-1", do: "stop" }),
    "post /sessions/{id}/remind": () => ({ text: "Mind the gap." }),
    "patch /sessions/{id}/queue/{messageId}": () => ({ text: "x" }),
    "post /traces": (cwd) => ({ path: join(cwd, "none.jsonl") }),
    "post /browser": () => ({ once: "x" }),
  }
  /** Routes that answer without the store. Every other one has to ask it. */
  const isWithout = ({ method, path }: ApiRoute) =>
    // A new session is written by the store of its folder.
    /^\/(traces|live|health|browser|links|openapi\.json)/.test(path) ||
    (method === "post" && path === "/sessions")

  it("is never a fault of the server: each route says 503 and when to come again", async () => {
    const bench = benchWith()
    const env = { HOME: bench.home, SOTTO_HOME: bench.home, SOTTO_TRUST: "1" }
    const hub = await Hub.open({
      ...{ env, workspaces: new WorkspaceNames(env, {}), sessions: 4, takes: false, worker: "w" },
    })
    const access = new AccessControl(TOKEN, env, () => true)
    const streams = new Streams()
    const traces = new Traces(
      env,
      () => undefined,
      () => {},
    )
    const reading = new SessionReader(hub)
    const routes = apiRoutes({ hub, reading, streams, traces, access, version: "1" })
    const server = createAdaptorServer({ fetch: appFor(routes, access, "secret").fetch })
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    )
    access.listening(port)
    let code: StoreErrorCode = "unavailable"
    const restore = failing([hub.store, hub.store.upkeep], () => {
      throw new StoreError(code, "It cannot.", "Wait.")
    })
    onTestFinished(async () => {
      restore()
      traces.close()
      await hub.close()
      await new Promise((resolve) => server.close(resolve))
    })
    const client = new Client(`http://127.0.0.1:${port}`, TOKEN)
    const send = ({ method, path }: ApiRoute) => {
      const address = path.replace("{id}", "s").replace("{n}", "1").replace("{messageId}", "m")
      const query = path.endsWith("/search") ? "?q=x" : ""
      const body = JSON.stringify(bodies[`${method} ${path}`]?.(bench.cwd) ?? {})
      const isPlain = method === "get" || method === "delete"
      const headers: Record<string, string> = isPlain ? {} : { "content-type": "application/json" }
      return client.send(method.toUpperCase(), address + query, isPlain ? undefined : body, headers)
    }
    // Draining would keep a session from being made before the store is asked.
    const walked = routes.filter(({ path }) => path !== "/drain")
    for (code of codes)
      for (const one of walked) {
        const answer = await send(one)
        const name = `${code}: ${one.method} ${one.path}`
        expect([name, answer.status]).not.toEqual([name, 500])
        if (isWithout(one)) continue
        expect([name, (answer.json.error as { code: string }).code]).toEqual([name, code])
        if (["unavailable", "lost", "locked", "newer", "not-open"].includes(code))
          expect([name, answer.status, Number(answer.headers["retry-after"]) > 0]).toEqual([name, 503, true])
      }
  })

  /** Has every method of these objects fail. Returns what makes them whole again. */
  function failing(objects: readonly object[], fail: () => never): () => void {
    const undo = objects.map((object) => {
      const names = new Set<string>(Object.keys(object))
      for (let at = Object.getPrototypeOf(object); at !== Object.prototype; at = Object.getPrototypeOf(at))
        for (const name of Object.getOwnPropertyNames(at)) names.add(name)
      const own = object as Record<string, unknown>
      const spies = [...names]
        .filter((name) => name !== "constructor" && typeof own[name] === "function")
        .map((name) => vi.spyOn(own as Record<string, () => unknown>, name).mockImplementation(fail))
      return () => {
        for (const spy of spies) spy.mockRestore()
      }
    })
    return () => {
      for (const one of undo) one()
    }
  }
})

describe("probes", () => {
  it("tell without a token that the process lives, and that its store answers or does not", async () => {
    const server = await startPostgres()
    onTestFinished(() => server.close())
    const { as } = await serving(benchWith(), { SOTTO_STORE: server.address("probed") })
    const probe = as(undefined)
    expect(await probe.get("/live")).toMatchObject({ status: 200, json: { status: "live" } })
    expect(await probe.get("/ready")).toMatchObject({
      status: 200,
      json: { status: "ready", sessions: { open: 0, atWork: 0 } },
    })
    await server.stop()
    await vi.waitFor(async () => {
      const answer = await probe.get("/ready")
      expect(answer).toMatchObject({ status: 503, json: { error: { code: "unavailable" } } })
      expect(answer.headers["retry-after"]).toMatch(/^[1-9]\d*$/)
    }, PATIENT)
    expect(await probe.get("/live")).toMatchObject({ status: 200 })
    await server.start()
    await vi.waitFor(async () => expect((await probe.get("/ready")).status).toBe(200), PATIENT)
  })
})

describe("a server that is drained", () => {
  const wait = { name: "bash", input: { command: "cat gate" } }

  it("goes on with what it has, takes nothing new, and another takes what comes", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const model = await serverWith([
      { text: "I wait.", calls: [wait] },
      { text: "Done." },
      { text: "Elsewhere." },
    ])
    const env = { ...reaching(model.url), SOTTO_STORE: database.address("drained") }
    const first = await serving(bench, { ...env, SOTTO_WORKER: "first" })
    const second = await serving(bench, { ...env, SOTTO_WORKER: "second" })
    const id = await first.user.open(bench.cwd, { model: MODEL })
    const events = first.user.events(`/sessions/${id}/events`)
    await first.user.post(`/sessions/${id}/say`, { text: "Begin." })
    await events.wait("tool-call")

    expect(await first.as(undefined).post("/drain")).toMatchObject({ status: 401 })
    expect(await first.user.post("/drain")).toMatchObject({
      status: 200,
      json: { status: "draining", sessions: { open: 1, atWork: 1 } },
    })
    expect(await first.as(undefined).get("/ready")).toMatchObject({
      status: 503,
      json: { error: { code: "draining", message: expect.stringContaining("1 are at work") } },
    })
    expect(await first.as(undefined).get("/live")).toMatchObject({ status: 200 })
    expect(await first.user.post("/sessions", { cwd: bench.cwd })).toMatchObject({ status: 503 })

    await gate.open()
    await events.wait("turn-end")
    await vi.waitFor(
      async () => expect((await first.user.get(`/sessions/${id}`)).json.holder).toBeUndefined(),
      PATIENT,
    )
    // What is said to the drained one is done by the other.
    await first.user.post(`/sessions/${id}/say`, { text: "Again." })
    await events.wait("turn-end", 2)
    expect((await second.user.get(`/sessions/${id}`)).json).toMatchObject({ holder: { worker: "second" } })
    await events.close()
  })
})
