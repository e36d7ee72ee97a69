import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createAdaptorServer } from "@hono/node-server"
import { StoreError, type StoreErrorCode, WorkspaceNames } from "@sotto/harness"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../harness/test/postgres-server.js"
import { AccessControl } from "../src/server/access.js"
import { appFor } from "../src/server/app.js"
import { exposition, Histogram } from "../src/server/figures/exposition.js"
import { Figures } from "../src/server/figures/figures.js"
import type { ApiRoute } from "../src/server/route.js"
import { apiRoutes } from "../src/server/server.js"
import { Hub } from "../src/server/sessions/hub.js"
import { SessionReader } from "../src/server/sessions/session-reader.js"
import { Streams } from "../src/server/sse.js"
import { Tenants } from "../src/server/tenants.js"
import { Traces } from "../src/server/traces/traces.js"
import { Client, serving } from "./support/server.js"
import { benchWith, finished, reaching, serverWith } from "./support/sotto.js"

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
    "patch /sessions/{id}": () => ({ title: "x" }),
    "patch /sessions/{id}/queue/{messageId}": () => ({ text: "x" }),
    "post /traces": (cwd) => ({ path: join(cwd, "none.jsonl") }),
    "post /browser": () => ({ once: "x" }),
  }
  const queries: Readonly<Record<string, string>> = {
    "/compare": "?a=s/s/1&b=s/s/2",
    "/sessions/{id}/answer": "?after=m1",
  }
  /** Routes that answer without the store. Every other one has to ask it. */
  const isWithout = ({ method, path }: ApiRoute) =>
    // A new session is written by the store of its folder.
    /^\/(traces|live|metrics|health|models|browser|links|openapi\.json)/.test(path) ||
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
    const tenants = new Tenants(env, {})
    const figures = new Figures(reading.prices, tenants, undefined)
    const routes = apiRoutes({
      ...{ env, hub, reading, streams, traces, access, tenants, figures },
      ...{ version: "1", isMetricsOpen: false },
    })
    const server = createAdaptorServer({
      fetch: appFor(routes, { access, secret: "s", figures, store: hub.store }).fetch,
    })
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
      const query = path.endsWith("/search") ? "?q=x" : (queries[path] ?? "")
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

interface Series {
  readonly family: string
  readonly type: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the text format 0.0.4 of Prometheus, and refuses everything that it does not allow. */
function parsed(text: string): ReadonlyMap<string, Series> {
  expect(text.endsWith("\n")).toBe(true)
  const series = new Map<string, Series>()
  const families = new Set<string>()
  let family = ""
  let type = ""
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (?:[^\\]|\\[\\n])+$/.exec(line)
    if (help !== null) {
      family = help[1] ?? ""
      type = ""
      expect([line, families.has(family)]).toEqual([line, false])
      families.add(family)
      continue
    }
    const typed = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line)
    if (typed !== null) {
      expect([line, type]).toEqual([`# TYPE ${family} ${typed[2]}`, ""])
      type = typed[2] ?? ""
      continue
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
    expect([line, sample !== null, type !== ""]).toEqual([line, true, true])
    const [, name = "", given = "", value = ""] = sample ?? []
    const endings = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    expect(endings.map((ending) => family + ending)).toContain(name)
    if (type === "counter") expect(name).toMatch(/_total$/)
    const labels: Record<string, string> = {}
    const rest = given.replaceAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"(,|$)/g, (_, label, text) => {
      expect(labels).not.toHaveProperty(label)
      labels[label] = String(text).replaceAll(/\\(.)/g, (_, one) => (one === "n" ? "\n" : one))
      return ""
    })
    expect([line, rest]).toEqual([line, ""])
    const number = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value)
    expect([line, Number.isNaN(number)]).toEqual([line, false])
    const key = `${name}${JSON.stringify(labels)}`
    expect([line, series.has(key)]).toEqual([line, false])
    series.set(key, { family, type, labels, value: number })
  }
  return series
}

/** The value of a series, by its name and the value of its one label. */
function figure(series: ReadonlyMap<string, Series>, name: string, label?: string): number | undefined {
  return [...series].find(
    ([key, { labels }]) =>
      key.startsWith(`${name}{`) && (label === undefined || Object.values(labels).includes(label)),
  )?.[1].value
}

describe("figures for Prometheus", () => {
  it("are read by a strict parser, whatever a label says", () => {
    const odd = 'a "quote", a \\ and a\nline'
    const samples = [{ labels: { name: odd, other: "x" }, value: 1.5 }, { value: Number.POSITIVE_INFINITY }]
    const times = new Histogram([0.1, 1])
    for (const time of [0.05, 0.5, 5]) times.observe(time)
    const text = exposition([
      { name: "odd", help: odd, type: "gauge", samples },
      { name: "times", help: "Times.", type: "histogram", samples: times.samples() },
      { name: "none", help: "None.", type: "gauge", samples: [] },
    ])
    expect([...parsed(text).values()].map(({ labels, value }) => [labels, value])).toEqual([
      [{ name: odd, other: "x" }, 1.5],
      [{}, Number.POSITIVE_INFINITY],
      [{ le: "0.1" }, 1],
      [{ le: "1" }, 2],
      [{ le: "+Inf" }, 3],
      [{}, 5.55],
      [{}, 3],
    ])
  })

  it("say what the server has done, and what is counted only grows", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const model = await serverWith([
      { text: "I wait.", calls: [{ name: "bash", input: { command: "cat gate" } }] },
      { fail: [{ status: 529 }], text: "Done." },
    ])
    const { user, as } = await serving(bench, reaching(model.url))
    expect(await as(undefined).get("/metrics")).toMatchObject({ status: 401 })
    const scrape = async () => {
      const { status, headers, text } = await user.get("/metrics")
      expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"])
      return parsed(text)
    }
    const before = await scrape()
    const id = await user.open(bench.cwd, { model: MODEL })
    const events = user.events(`/sessions/${id}/events`)
    await user.post(`/sessions/${id}/say`, { text: "Begin." })
    await events.wait("tool-call")
    const during = await scrape()
    expect(figure(during, "sotto_sessions", "running")).toBe(1)
    expect(figure(during, "sotto_event_streams")).toBe(1)
    await gate.open()
    await events.wait("turn-end")
    await events.close()
    // Readers hear of the end from the log, which may be sooner than the session itself does.
    const after = await vi.waitFor(async () => {
      const found = await scrape()
      expect(figure(found, "sotto_turns_total", "done")).toBe(1)
      return found
    }, PATIENT)

    for (const [earlier, later] of [
      [before, during],
      [during, after],
    ] as const)
      for (const [key, { type, value }] of earlier)
        if (type !== "gauge") expect([key, (later.get(key)?.value ?? -1) >= value]).toEqual([key, true])
    const grown = (name: string, label?: string) =>
      (figure(after, name, label) ?? 0) - (figure(before, name, label) ?? 0)
    const { entries, total } = (await user.get(`/sessions/${id}/log`)).json as {
      readonly entries: readonly { readonly type: string }[]
      readonly total: number
    }
    // Titles are requests too.
    expect(grown("sotto_model_calls_total", "answered")).toBeGreaterThanOrEqual(2)
    expect(grown("sotto_model_retries_total")).toBe(1)
    expect(grown("sotto_model_call_seconds_count")).toBe(grown("sotto_model_calls_total", "answered"))
    for (const kind of ["cache_write", "output"]) expect(grown("sotto_tokens_total", kind)).toBeGreaterThan(0)
    expect(grown("sotto_cost_dollars_total")).toBeGreaterThan(0)
    expect(grown("sotto_appended_entries_total")).toBeGreaterThan(5)
    expect(grown("sotto_appended_entries_total")).toBeLessThanOrEqual(total)
    expect(entries.filter(({ type }) => type === "step")).toHaveLength(2)
    expect(grown("sotto_store_wait_seconds_count")).toBeGreaterThan(0)
    expect(grown("sotto_http_requests_total", "2xx")).toBeGreaterThanOrEqual(5)
    expect(figure(before, "sotto_http_requests_total", "4xx")).toBe(1)
    expect(figure(after, "sotto_sessions_waiting")).toBe(0)
    expect(figure(after, "sotto_store_up")).toBe(1)
    const [usual, latest] = ["p50", "max"].map(
      (at) => figure(after, "sotto_event_loop_delay_seconds", at) ?? -1,
    )
    expect(usual).toBeGreaterThanOrEqual(0)
    expect(latest).toBeGreaterThan(usual ?? 0)
    expect(figure(after, "sotto_build_info", process.versions.node)).toBe(1)
  })

  it("need no token if the server was started so", async () => {
    const { as } = await serving(benchWith(), {}, ["--metrics-open"])
    expect(figure(parsed((await as(undefined).get("/metrics")).text), "sotto_draining")).toBe(0)
  })
})

describe("a tenant", () => {
  /** A server with a channel `ci` that has these limits. */
  async function limited(limits: object, steps: Parameters<typeof serverWith>[0] = [{ text: "Done." }]) {
    const bench = benchWith({ "sotto.json": JSON.stringify({ channelsWake: true }) })
    mkdirSync(bench.home, { recursive: true })
    writeFileSync(join(bench.home, "sotto.json"), JSON.stringify({ tenants: { ci: limits } }))
    const token = (await finished(bench, ["serve", "channel", "add", "ci"])).out.trim()
    const model = await serverWith(steps)
    const start = async () => {
      const server = await serving(bench, reaching(model.url))
      return { ...server, ci: server.as(token) }
    }
    return { bench, start, ...(await start()) }
  }

  const over = (limit: string, code: string) => ({
    status: 429,
    json: { error: { code, message: expect.stringContaining(`tenants.ci.${limit}`) } },
    headers: { "retry-after": expect.stringMatching(/^[1-9]\d*$/) },
  })

  it("may send so many requests a second, and no other tenant waits for it", async () => {
    const { ci, user } = await limited({ requests: 2 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => ci.get("/health")))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.find(({ status }) => status !== 200)).toMatchObject(over("requests", "too-many-requests"))
    for (let i = 0; i < 8; i++) expect((await user.get("/health")).status).toBe(200)
    expect(figure(parsed((await user.get("/metrics")).text), "sotto_refused_total", "requests")).toBe(6)
    await vi.waitFor(async () => expect((await ci.get("/health")).status).toBe(200), PATIENT)
  })

  it("may have so many sessions at work at once", async () => {
    const wait = { text: "I wait.", calls: [{ name: "bash", input: { command: "cat gate" } }] }
    const { ci, user, bench } = await limited({ sessions: 1 }, [wait, { text: "Done." }])
    const gate = bench.gate()
    const [first, second] = [await user.open(bench.cwd, { model: MODEL }), await user.open(bench.cwd)]
    const events = user.events(`/sessions/${first}/events`)
    expect(await ci.post(`/sessions/${first}/say`, { text: "The build failed." })).toMatchObject({
      status: 200,
    })
    await events.wait("tool-call")
    expect(await ci.post(`/sessions/${first}/say`, { text: "And again." })).toMatchObject({ status: 200 })
    expect(await ci.post(`/sessions/${second}/say`, { text: "Elsewhere." })).toMatchObject(
      over("sessions", "too-many-sessions"),
    )
    await gate.open()
    await events.wait("turn-end")
    await vi.waitFor(
      async () => expect((await ci.post(`/sessions/${second}/say`, { text: "Now." })).status).toBe(200),
      PATIENT,
    )
  })

  it("may cost so much a day, also if the server is started again", async () => {
    const { ci, user, bench, run, start } = await limited({ cost: 0.000001 }, [{ text: "Looked." }])
    const id = await user.open(bench.cwd, { model: MODEL })
    const events = user.events(`/sessions/${id}/events`)
    expect(await ci.post(`/sessions/${id}/say`, { text: "The build failed." })).toMatchObject({ status: 200 })
    await events.wait("turn-end")
    const refused = await ci.post(`/sessions/${id}/say`, { text: "Again." })
    expect(refused).toMatchObject(over("cost", "too-many-dollars"))
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(86_400)
    expect(
      figure(parsed((await user.get("/metrics")).text), "sotto_tenant_cost_today_dollars", "ci"),
    ).toBeGreaterThan(0)
    run.signal("SIGTERM")
    await run.ended
    const again = await start()
    expect(await again.ci.post(`/sessions/${id}/say`, { text: "Again." })).toMatchObject({ status: 429 })
    expect(await again.user.post(`/sessions/${id}/say`, { text: "I may." })).toMatchObject({ status: 200 })
  })
})
