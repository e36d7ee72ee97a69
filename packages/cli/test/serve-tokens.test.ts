import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openStore, storePlace } from "@sotto/harness"
import { describe, expect, it } from "vitest"
import { SCOPES } from "../src/server/tokens.js"
import { description, ROUTES } from "./support/described.js"
import { type Client, type Serving, serving } from "./support/server.js"
import { type Bench, benchWith, finished, reaching, serverWith } from "./support/sotto.js"

const MODEL = "anthropic/claude-opus-5-5"
const JSON_BODY = { "content-type": "application/json" }
const wait = { name: "bash", input: { command: "cat gate" } }

/** Adds a token to a server's home, and speaks with it. */
async function tokenFor({ as }: Pick<Serving, "as">, bench: Bench, name: string, ...args: readonly string[]) {
  const added = await finished(bench, ["serve", "token", "add", name, ...args])
  expect(added).toMatchObject({ code: 0, err: expect.stringContaining("shown only now") })
  return as(added.out.trim())
}

/** What each route is sent that needs something. The server is stopped from taking sessions last. */
function bodiesFor(bench: Bench, recording: string): Readonly<Record<string, unknown>> {
  return {
    createSession: { cwd: bench.cwd, model: MODEL },
    say: { text: "Hello." },
    agent: { name: "plan" },
    model: { model: MODEL },
    answer: { id: "ask-1", answer: "allow" },
    reminder: { kind: "build_switch", on: true },
    rewind: { to: "m1" },
    auto: { on: false },
    style: { name: "concise" },
    task: { id: "bash-1", do: "stop" },
    remind: { text: "Mind the gap." },
    edit: { text: "x" },
    describeSession: { title: "Another name" },
    addTrace: { path: recording },
  }
}

const QUERIES: Readonly<Record<string, (id: string) => string>> = {
  search: () => "?q=x",
  turnAnswer: () => "?after=m1",
  searchTrace: () => "?q=x",
  compare: (id) => `?a=s/${id}/1&b=s/${id}/1`,
}

/** Sends each route's request about a session or a trace. A stream is closed once it answers. */
function caller(client: Client, bodies: Readonly<Record<string, unknown>>) {
  return async (
    { method, path, operationId, isStream }: (typeof ROUTES)[number],
    id: string,
    trace: string,
  ) => {
    const own = path.startsWith("/traces") ? trace : id
    const address =
      path.replace("{id}", own).replace("{n}", "1").replace("{messageId}", "m1") +
      (QUERIES[operationId]?.(id) ?? "")
    if (isStream) {
      const events = client.events(address)
      await events.until(({ status }) => status !== undefined)
      const { status = 0 } = events
      if (status === 200) await events.close()
      else await events.ended
      return { status, text: events.answer }
    }
    const body =
      method === "get" || method === "delete" ? undefined : JSON.stringify(bodies[operationId] ?? {})
    const { status, text } = await client.send(method.toUpperCase(), address, body, body ? JSON_BODY : {})
    return { status, text }
  }
}

/** Two sessions in two folders, each with a turn behind it, and a recording. */
async function setting() {
  const model = await serverWith({ steps: [{ text: "Done." }], scripts: [] })
  const [bench, elsewhere] = [benchWith(), benchWith()]
  const server = await serving(bench, reaching(model.url))
  const { api, user } = server
  const ids: string[] = []
  for (const { cwd } of [bench, elsewhere]) {
    const { id } = await api.createSession({ cwd, model: MODEL })
    await api.say(id, { text: "Begin.", id: "m1" })
    for await (const { event } of api.events(id)) if (event.type === "turn-end") break
    ids.push(id)
  }
  const recording = bench.path("recording.jsonl")
  const body = { model: "claude-opus-5-5", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] }
  writeFileSync(recording, `${JSON.stringify(body)}\n`)
  const { id: trace } = await api.addTrace({ path: recording })
  const [inside = "", outside = ""] = ids
  return { server, user, bench, elsewhere, inside, outside, trace, bodies: bodiesFor(bench, recording) }
}

/** Routes that find nothing to act on here, whoever asks, or a session that is at work. */
const NOTHING_THERE = ["answer", "task", "edit", "cancel", "letIn", "forkSession", "deleteSession"]
/** What ends something comes last. */
const LAST = ["deleteSession", "drain"]
const inOrder = ROUTES.toSorted((a, b) => LAST.indexOf(a.operationId) - LAST.indexOf(b.operationId))

describe.concurrent("a token", () => {
  it.each(SCOPES)("with the scope %s may use the routes that name it, and no other", async (scope) => {
    const { server, bench, inside, trace, bodies } = await setting()
    const send = caller(await tokenFor(server, bench, "t", "--scope", scope), bodies)
    for (const route of inOrder) {
      const { operationId } = route
      const isOpen = ["everybody", "page", "credential"].includes(String(route.scope))
      const isAllowed = isOpen || [route.scope].flat().includes(scope)
      const { status, text } = await send(route, inside, trace)
      if (!isAllowed)
        expect([operationId, status, text]).toEqual([operationId, 403, expect.stringContaining("forbidden")])
      else if (NOTHING_THERE.includes(operationId))
        expect([operationId, status]).not.toEqual([operationId, 403])
      // What it has not said itself it does not see.
      else if (["getReceipt", "turnAnswer"].includes(operationId) && scope === "talk")
        expect(status).toBe(404)
      else
        expect([operationId, status, text.slice(0, 200)]).toEqual([
          operationId,
          expect.toSatisfy((one) => one >= 200 && one < 300),
          text.slice(0, 200),
        ])
    }
  })

  it("for a label sees the sessions that have it, and makes no others", async () => {
    const { server, user, bench, inside, outside } = await setting()
    await user.send("PATCH", `/sessions/${inside}`, JSON.stringify({ labels: ["web", "beta"] }), JSON_BODY)
    await user.send("PATCH", `/sessions/${outside}`, JSON.stringify({ labels: ["other"] }), JSON_BODY)
    const limited = await tokenFor(server, bench, "l", "--scope", "read,administer", "--label", "web")
    const listed = (await limited.get("/sessions")).json as { sessions: readonly { id: string }[] }
    expect(listed.sessions.map(({ id }) => id)).toEqual([inside])
    expect((await limited.get("/totals")).json).toMatchObject({
      sessions: 1,
      byLabel: [{ label: "beta" }, { label: "web" }],
    })
    expect(await limited.get(`/sessions/${inside}`)).toMatchObject({ status: 200 })
    expect(await limited.get(`/sessions/${outside}`)).toMatchObject({ status: 404 })
    const change = (labels: readonly string[]) =>
      limited.send("PATCH", `/sessions/${inside}`, JSON.stringify({ labels }), JSON_BODY)
    expect(await change(["other"])).toMatchObject({ status: 403 })
    expect(await change(["web", "other"])).toMatchObject({ status: 200 })
    const made = (labels: readonly string[]) =>
      limited.send("POST", "/sessions", JSON.stringify({ cwd: bench.cwd, model: MODEL, labels }), JSON_BODY)
    expect(await made([])).toMatchObject({ status: 403 })
    expect(await made(["web"])).toMatchObject({ status: 201 })
  })

  it("for a folder knows nothing of a session elsewhere: it answers as for one that does not exist", async () => {
    const { server, bench, elsewhere, inside, outside, trace, bodies } = await setting()
    const all = ["--scope", SCOPES.join(",")]
    const limited = await tokenFor(server, bench, "t", ...all, "--folder", bench.cwd)
    const send = caller(limited, bodies)
    const unknown = "00000000-0000-4000-8000-000000000000"
    for (const route of inOrder) {
      const { operationId, path, isLimitable } = route
      const [known, other, nobody] = [
        await send(route, inside, trace),
        await send(route, outside, trace),
        await send(route, unknown, trace),
      ]
      const isOfOne = path.startsWith("/sessions/{id}")
      expect([operationId, other.status]).toEqual([operationId, nobody.status])
      if (isOfOne || operationId === "compare") {
        const texts = [other.text.replaceAll(outside, "ID"), nobody.text.replaceAll(unknown, "ID")]
        expect([operationId, other.status, texts[0]]).toEqual([operationId, 404, texts[1]])
      } else expect(other.text).not.toContain(outside)
      const isOpen = ["everybody", "page", "credential"].includes(String(route.scope))
      if (!isOfOne && !isLimitable && !isOpen) expect([operationId, known.status]).toEqual([operationId, 403])
      else if (!NOTHING_THERE.includes(operationId))
        expect([operationId, known.status]).toEqual([
          operationId,
          expect.toSatisfy((one) => one >= 200 && one < 300),
        ])
    }
    const { sessions } = (await limited.get("/sessions")).json as { sessions: readonly { cwd: string }[] }
    expect(new Set(sessions.map(({ cwd }) => cwd))).toEqual(new Set([bench.cwd]))
    expect(await limited.get(`/sessions?before=${outside}`)).toMatchObject({ status: 404 })
    expect(await limited.get(`/compare?a=s/${inside}/1&b=t/${trace}/1`)).toMatchObject({ status: 404 })

    // What it may make lies in the folder, also after links were followed.
    mkdirSync(bench.path("below"))
    symlinkSync(elsewhere.cwd, bench.path("link"))
    const making = async (cwd: string) => (await limited.post("/sessions", { cwd, model: MODEL })).status
    expect(await making(bench.path("below"))).toBe(201)
    for (const cwd of [elsewhere.cwd, bench.path("link"), `${bench.cwd}/..`, `${bench.cwd}x`])
      expect([cwd, await making(cwd)]).toEqual([cwd, 403])
  })

  it("for a session sees that one and its subagents; for a label, those that have it; and makes none", async () => {
    const task = { name: "task", input: { agent: "explore", prompt: "Look." } }
    const steps = [{ calls: [task] }, { text: "Seen." }, { text: "Done." }]
    const model = await serverWith({ counting: "requests", steps })
    const bench = benchWith()
    const server = await serving(bench, reaching(model.url))
    const { api } = server
    const { id } = await api.createSession({ cwd: bench.cwd, model: MODEL })
    const other = await api.createSession({ cwd: bench.cwd, model: MODEL })
    await api.say(id, { text: "Delegate it." })
    for await (const { event } of api.events(id)) if (event.type === "turn-end") break
    const store = await openStore(storePlace({ SOTTO_HOME: bench.home }), { env: {} })
    const child = (await store.list()).find(({ parent }) => parent === id)?.id
    await store.close()
    const limited = await tokenFor(server, bench, "one", "--scope", "read,talk,administer", "--session", id)
    expect((await limited.get("/sessions")).json).toMatchObject({ sessions: [{ id }], more: false })
    expect(await limited.get(`/sessions/${id}`)).toMatchObject({ status: 200 })
    expect(await limited.get(`/sessions/${other.id}`)).toMatchObject({ status: 404 })
    expect(child).toBeDefined()
    expect(await limited.get(`/sessions/${child}`)).toMatchObject({ status: 200 })
    expect(await limited.post("/sessions", { cwd: bench.cwd })).toMatchObject({ status: 403 })
    const labelled = await tokenFor(
      server,
      bench,
      "label",
      "--scope",
      "read,administer",
      "--label",
      "nightly",
    )
    expect((await labelled.get("/sessions")).json).toEqual({ sessions: [], more: false })
    expect(await labelled.get(`/sessions/${id}`)).toMatchObject({ status: 404 })
    expect(await labelled.post("/sessions", { cwd: bench.cwd })).toMatchObject({ status: 403 })
  })

  it("speaks as a channel of its name, and as the user only if it was made so or may administer", async () => {
    const model = await serverWith([{ text: "I wait.", calls: [wait] }, { text: "Done." }])
    const bench = benchWith()
    bench.gate()
    const server = await serving(bench, reaching(model.url))
    const { api } = server
    const talker = await tokenFor(server, bench, "bot", "--scope", "talk")
    const asUser = await tokenFor(server, bench, "desk", "--scope", "talk,read", "--as-user")
    const administrator = await tokenFor(server, bench, "ops", "--scope", "talk,administer")
    const { id } = await api.createSession({ cwd: bench.cwd, model: MODEL })
    const at = (path: string) => `/sessions/${id}${path}`
    await api.say(id, { text: "Wait.", id: "m1" })
    for await (const { event } of api.events(id)) if (event.type === "tool-call") break
    const later = { delivery: "after-turn" }
    const codes = async (client: Client, more: object) =>
      (await client.post(at("/say"), { text: "Hi.", ...more })).status
    expect(await codes(talker, { id: "m1", ...later })).toBe(200)
    expect(await codes(talker, { delivery: "now" })).toBe(403)
    expect(await codes(talker, { system: "Obey." })).toBe(403)
    expect(await codes(asUser, { id: "m2", ...later })).toBe(200)
    expect(await codes(administrator, { id: "m3", ...later })).toBe(200)
    await api.say(id, { text: "Mine.", id: "m4", delivery: "after-turn" })
    const { queue } = await api.getSession(id)
    expect(queue.map(({ id: message, origin }) => [message, origin])).toEqual([
      ["bot/m1", { kind: "channel", server: "bot" }],
      ...["m2", "m3", "m4"].map((message) => [message, { kind: "human" }]),
    ])
    // It changes and takes back its own messages, and no other.
    const edit = (message: string) =>
      talker.send("PATCH", at(`/queue/${message}`), '{"text":"Hello."}', JSON_BODY)
    expect(await edit("m1")).toMatchObject({ status: 200, json: { id: "m1", state: "queued" } })
    for (const message of ["m4", "bot/m1", "desk/m2"])
      expect(await edit(encodeURIComponent(message))).toMatchObject({ status: 404 })
    expect(await talker.send("DELETE", at("/queue/m4"))).toMatchObject({ status: 404 })
    expect(await talker.get(at("/receipts/m1"))).toMatchObject({ status: 200 })
    expect(await talker.get(at("/receipts/m4"))).toMatchObject({ status: 404 })
    expect(await asUser.get(at(`/receipts/${encodeURIComponent("bot/m1")}`))).toMatchObject({ status: 200 })
    const aborted = await talker.post(at("/abort"))
    expect(aborted.json).toMatchObject({ queue: [{ id: "bot/m1" }] })
    expect(aborted.text).not.toContain("Mine.")
  })

  it("is kept as a hash, is of no use once it has expired or was removed, and ends its streams then", async () => {
    const bench = benchWith()
    const server = await serving(bench)
    const { id } = await server.api.createSession({ cwd: bench.cwd })
    const file = join(bench.home, "server.tokens.json")
    const added = await finished(bench, ["serve", "token", "add", "t", "--scope", "read", "--expires", "1"])
    const reader = server.as(added.out.trim())
    expect(readFileSync(file, "utf8")).not.toContain(added.out.trim())
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await finished(bench, ["serve", "token", "list"])).out).toMatch(
      /^t {2}read {2}all sessions {2}since .* {2}until /,
    )
    const events = reader.events(`/sessions/${id}/events`)
    await events.wait("session")
    const kept = JSON.parse(readFileSync(file, "utf8"))
    writeFileSync(file, JSON.stringify({ tokens: [{ ...kept.tokens[0], expires: Date.now() - 1 }] }))
    expect(await reader.get("/sessions")).toMatchObject({ status: 401 })
    await events.ended
    // A file that somebody has written by hand gives no more than it says in full.
    writeFileSync(file, JSON.stringify({ tokens: [{ ...kept.tokens[0], scopes: ["root"] }] }))
    expect(await reader.get("/sessions")).toMatchObject({ status: 401 })
    writeFileSync(file, JSON.stringify(kept))
    expect(await reader.get("/sessions")).toMatchObject({ status: 200 })
    await finished(bench, ["serve", "token", "remove", "t"])
    expect(await reader.get("/sessions")).toMatchObject({ status: 401 })
  })

  it("has a name of its own and scopes that there are", async () => {
    const bench = benchWith()
    await finished(bench, ["serve", "channel", "add", "ci"])
    const wrong: readonly (readonly [string, ...string[]])[] = [
      ["ci", "--scope", "read"],
      ["user", "--scope", "read"],
      ["a b", "--scope", "read"],
      ["x"],
      ["x", "--scope", "read,write"],
      ["x", "--scope", "read", "--expires", "soon"],
    ]
    for (const args of wrong)
      expect([args, (await finished(bench, ["serve", "token", "add", ...args])).code]).toEqual([args, 2])
    expect((await finished(bench, ["serve", "token", "list"])).out).toBe("")
  })
})

it("the description shows the scope of every operation", () => {
  const { paths } = description()
  for (const { path, method, scope } of ROUTES) {
    const isOpen = scope === "everybody" || scope === "page"
    const named = scope === "credential" ? [] : [scope].flat()
    const security = isOpen ? [] : [{ token: named }, { page: [] }]
    expect(paths[path]?.[method]).toMatchObject({ security })
  }
})
