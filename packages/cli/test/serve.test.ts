import { execFile } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { bodiesOf } from "./support/bodies.js"
import { longSession } from "./support/long-session.js"
import { serving } from "./support/server.js"
import { benchWith, reaching, serverWith } from "./support/sotto.js"

const MODEL = "anthropic/claude-opus-5-5"
const wait = { name: "bash", input: { command: "cat gate" } }

describe.concurrent("sotto serve", () => {
  it("says where it listens, keeps its token to its owner, and ends gracefully with a turn under way", async () => {
    const model = await serverWith([{ text: "I wait.", calls: [wait] }, { text: "Never said." }])
    const bench = benchWith()
    bench.gate()
    const { run, user, token } = await serving(bench, reaching(model.url))
    const file = join(bench.home, "server.token")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const id = await user.open(bench.cwd, { model: MODEL })
    const events = user.events(`/sessions/${id}/events?from=0`)
    await user.post(`/sessions/${id}/say`, { text: "Wait for me.", id: "m1" })
    await events.wait("tool-call")
    await user.post(`/sessions/${id}/say`, { text: "And later this.", delivery: "after-turn", id: "m2" })

    run.signal("SIGTERM")
    await events.ended
    const { code, out, err } = await run.ended
    expect(code).toBe(0)
    expect(events.all("interrupted")).toHaveLength(1)
    expect(events.all("turn-end")).toEqual([{ type: "turn-end", reason: "interrupted", steps: 1 }])
    expect(out + err).not.toContain(token)

    // Nothing is lost: a server that comes after it has the session, at rest, with what waits.
    const again = await serving(bench, reaching(model.url))
    const { json } = await again.user.get(`/sessions/${id}`)
    expect(json).toMatchObject({ state: "idle", queue: [{ id: "m2", text: "And later this." }] })
    expect(readFileSync(file, "utf8").trim()).toBe(token)
  })

  it("answers every path of a session", async () => {
    const model = await serverWith([
      { text: "I ask.", calls: [{ name: "bash", input: { command: "python3 -c 1" } }] },
      { text: "I wait.", calls: [wait] },
      { text: "Done." },
      { text: "Again." },
      { text: "A third time." },
    ])
    const bench = benchWith()
    const gate = bench.gate()
    const { user } = await serving(bench, reaching(model.url))
    const created = await user.post("/sessions", { cwd: bench.cwd, model: MODEL, agent: "build" })
    expect(created).toMatchObject({
      status: 201,
      json: { cwd: bench.cwd, model: MODEL, agent: "build", state: "idle" },
    })
    const id = String(created.json.id)
    const at = (path: string) => `/sessions/${id}${path}`
    const events = user.events(at("/events?from=0"))

    const receipt = await user.post(at("/say"), { text: "Begin.", id: "m1" })
    expect(receipt).toMatchObject({ status: 200, json: { id: "m1", seq: expect.any(Number) } })
    const again = await user.post(at("/say"), { text: "Begin.", id: "m1" })
    expect(again).toMatchObject({ status: 200, json: { id: "m1", seq: receipt.json.seq } })
    const other = await user.post(at("/say"), { text: "Something else.", id: "m1" })
    expect(other).toMatchObject({ status: 409, json: { error: { code: "id-taken" } } })

    // A message that is queued is never the answer to a question.
    const ask = await events.wait("ask")
    expect((await user.get(at(""))).json).toMatchObject({
      state: "asking",
      questions: [{ id: ask.id, kind: "permission" }],
    })
    await user.post(at("/say"), { text: "allow", id: "m2" })
    expect((await user.get(at(""))).json).toMatchObject({ state: "asking", questions: [{ id: ask.id }] })
    expect(await user.post(at("/answer"), { id: "ask-99", answer: "allow" })).toMatchObject({
      status: 404,
      json: { error: { code: "unknown-question", remedy: expect.any(String) } },
    })
    expect(await user.post(at("/answer"), { id: ask.id, answer: "allow" })).toMatchObject({
      status: 200,
      json: { done: true },
    })
    expect(await events.wait("question-answered")).toMatchObject({ id: ask.id })

    // What waits can be changed and taken back, until it is delivered.
    await events.wait("tool-call", 2)
    await user.post(at("/say"), { text: "later", delivery: "after-turn", id: "m3" })
    await user.post(at("/say"), { text: "never", delivery: "after-turn", id: "m4" })
    const edit = (message: string, body: object) =>
      user.send("PATCH", at(`/queue/${message}`), JSON.stringify(body), {
        "content-type": "application/json",
      })
    expect(await edit("m3", { text: "later, but other words" })).toMatchObject({
      status: 200,
      json: { id: "m3", state: "queued" },
    })
    expect(await user.send("DELETE", at("/queue/m4"))).toMatchObject({
      status: 200,
      json: { id: "m4", state: "cancelled" },
    })
    expect(await user.send("DELETE", at("/queue/m1"))).toMatchObject({
      status: 409,
      json: { error: { code: "not-queued" } },
    })
    expect(await edit("m9", { text: "x" })).toMatchObject({ status: 404 })
    expect((await user.get(at(""))).json).toMatchObject({
      queue: [{ id: "m3", text: "later, but other words" }],
    })

    expect(await user.post(at("/agent"), { name: "plan" })).toMatchObject({ status: 200 })
    expect(await user.post(at("/agent"), { name: "nobody" })).toMatchObject({
      status: 400,
      json: { error: { code: "unknown-agent" } },
    })
    expect(await user.post(at("/reminders"), { kind: "build_switch", on: false })).toMatchObject({
      status: 200,
    })
    expect(await user.post(at("/reminders"), { kind: "no_such", on: false })).toMatchObject({ status: 400 })
    await gate.open()
    await events.wait("turn-end", 2)
    expect(await user.post(at("/model"), { model: "openai/gpt-5.6" })).toMatchObject({ status: 200 })
    expect(await user.post(at("/model"), { model: "nobody/nothing" })).toMatchObject({ status: 400 })
    expect((await user.get(at(""))).json).toMatchObject({
      agent: "plan",
      model: "openai/gpt-5.6",
      steps: 4,
      turns: 2,
      queue: [],
    })
    expect(await user.post(at("/say"), { text: "Begin.", id: "m1" })).toMatchObject({
      json: { id: "m1", state: "delivered", step: 1 },
    })
    expect(await user.get(at("/receipts/m3"))).toMatchObject({ json: { state: "delivered" } })

    const log = await user.get(at("/log"))
    expect(log.json.total).toBe((log.json.entries as unknown[]).length)
    expect((await user.get(at("/log?from=1&limit=2"))).json).toMatchObject({
      entries: [{ seq: 1 }, { seq: 2 }],
    })
    // What was sent, to the letter.
    for (const [i, sent] of bodiesOf(model).entries()) {
      const { json } = await user.get(at(`/requests/${i + 1}`))
      expect((json.body as { messages: unknown }).messages).toEqual((sent as { messages: unknown }).messages)
      expect(json).toMatchObject({ dialect: "anthropic", row: { n: i + 1 } })
    }
    for (const dialect of ["openai", "openai-chat", "gemini"])
      expect(await user.get(at(`/requests/2?dialect=${dialect}&body=false`))).toMatchObject({
        status: 200,
        json: { dialect },
      })
    expect(await user.get(at("/requests/99"))).toMatchObject({ status: 404 })
    expect((await user.get(at("/steps?from=2&limit=2"))).json).toMatchObject({
      total: 4,
      rows: [{ n: 2 }, { n: 3, said: "Done." }],
    })
    const ledger = await user.get(at("/ledger"))
    expect(ledger.json).toMatchObject({ total: 4 })
    expect(ledger.json.kinds).toContainEqual(expect.objectContaining({ kind: "build_switch", on: false }))
    expect(ledger.json.kinds).toContainEqual(
      expect.objectContaining({ kind: "queued_command", spoke: 1, tokens: expect.any(Number) }),
    )
    expect((await user.get(at("/requests/1/tools"))).json).toMatchObject({
      tools: [{ name: "bash", changes: [], result: { text: expect.any(String) } }],
    })
    expect(await user.get(at("/requests/99/tools"))).toMatchObject({ status: 404 })
    const compared = await user.get(`/compare?a=s/${id}/1&b=s/${id}/2`)
    expect(compared.json).toMatchObject({ a: { n: 1 }, b: { n: 2 }, onlyTokens: { a: 0 }, left: 0 })
    expect(await user.get(`/compare?a=s/${id}/99&b=s/${id}`)).toMatchObject({ status: 404 })
    expect(await user.get(`/compare?a=x/${id}&b=s/${id}`)).toMatchObject({ status: 400 })
    const { asides } = (await user.get(at("/asides"))).json as unknown as {
      asides: readonly { kind: string }[]
    }
    expect(asides.map(({ kind }) => kind)).toContain("queued_command")
    expect((await user.get(at("/breaks"))).json).toEqual({ breaks: [] })
    expect((await user.get(at("/search?q=other+words"))).json).toMatchObject({
      hits: [{ n: 4 }],
      more: false,
    })

    expect(await user.post(at("/abort"))).toMatchObject({ status: 200, json: { queue: [] } })
    expect((await user.get("/sessions?limit=1")).json).toMatchObject({ sessions: [{ id }], more: false })
    expect((await user.get(`/sessions?before=${id}`)).json).toMatchObject({ sessions: [] })
    expect(await user.get("/sessions/none")).toMatchObject({
      status: 404,
      json: { error: { code: "unknown-session" } },
    })
  })

  it("runs several sessions at once, and aborts one of them", async () => {
    const model = await serverWith({
      steps: [{ text: "?" }],
      scripts: [
        { when: "Wait", steps: [{ text: "I wait.", calls: [wait] }, { text: "Never." }] },
        { when: "Go", steps: [{ text: "Gone." }] },
      ],
    })
    const bench = benchWith()
    bench.gate()
    const { user } = await serving(bench, reaching(model.url))
    const [first, second] = await Promise.all([
      user.open(bench.cwd, { model: MODEL }),
      user.open(bench.cwd, { model: MODEL }),
    ])
    const events = [first, second].map((id) => user.events(`/sessions/${id}/events`))
    await Promise.all([
      user.post(`/sessions/${first}/say`, { text: "Wait" }),
      user.post(`/sessions/${second}/say`, { text: "Go" }),
    ])
    expect(await events[1]?.wait("turn-end")).toMatchObject({ reason: "done" })
    await events[0]?.wait("tool-call")
    expect((await user.get(`/sessions/${first}`)).json).toMatchObject({ state: "running" })
    await user.post(`/sessions/${first}/abort`)
    expect(await events[0]?.wait("turn-end")).toMatchObject({ reason: "interrupted" })
    expect((await user.get(`/sessions/${first}`)).json).toMatchObject({ state: "idle" })
  })

  it("goes on after kill -9 in mid-turn, with every message delivered once", async () => {
    const model = await serverWith([{ text: "I wait.", calls: [wait] }, { text: "Done." }])
    const bench = benchWith()
    bench.gate()
    const before = await serving(bench, reaching(model.url))
    const id = await before.user.open(bench.cwd, { model: MODEL })
    const events = before.user.events(`/sessions/${id}/events?from=0`)
    await before.user.post(`/sessions/${id}/say`, { text: "Begin.", id: "m1" })
    await events.wait("tool-call")
    await before.user.post(`/sessions/${id}/say`, { text: "Also this.", id: "m2" })
    await events.until((one) => one.all("queued").length === 2)
    before.run.signal("SIGKILL")
    await before.run.ended
    await events.ended

    // Nobody asks for it: who has a receipt need not send anything again.
    const after = await serving(bench, reaching(model.url))
    const more = after.user.events(`/sessions/${id}/events?from=${events.seq}`)
    expect(await more.wait("turn-end")).toMatchObject({ reason: "done" })
    const whole = after.user.events(`/sessions/${id}/events?from=0`)
    await whole.wait("turn-end")
    // What was read before and after is what one who reads it all now reads.
    const numbers = (one: typeof events) => one.numbered.map(({ seq }) => seq)
    expect([...numbers(events), ...numbers(more)].toSorted((a, b) => Number(a) - Number(b))).toEqual(
      numbers(whole),
    )
    expect(whole.all("delivered").map((event) => event.id)).toEqual(["m1", "m2"])
    expect(whole.all("text").map((event) => event.text)).toEqual(["I wait.", "Done."])
  })
})

it.concurrent("docs/server.md shows a conversation that works as it stands", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/server.md"), "utf8")
  const example = /```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? ""
  const bench = benchWith({ "README.md": "# Here\n" })
  const { url } = await serving(bench)
  const { stdout } = await promisify(execFile)("bash", ["-euc", example], {
    cwd: bench.cwd,
    env: { PATH: process.env.PATH, SOTTO_HOME: bench.home, URL: url },
    maxBuffer: 1e8,
  })
  expect(stdout).toContain('"id":"first"')
  expect(stdout).toContain('"type":"turn-end","reason":"done"')
  expect(stdout).toContain('"row":{"n":1')
})

describe("a long session", () => {
  it("shows its first rows before all of it is read, and everybody else is answered meanwhile", async () => {
    const bench = benchWith()
    const [STEPS, FIRST] = [4_000, 50]
    const id = await longSession(bench.home, STEPS)
    const { user } = await serving(bench)
    let [isOver, others] = [false, 0]
    const detail = user.get(`/sessions/${id}`).finally(() => {
      isOver = true
    })
    const asking = (async () => {
      for (; !isOver; others++) await user.get("/health")
    })()
    const { json: early } = await user.get(`/sessions/${id}/steps?from=1&limit=${FIRST}`)
    expect(isOver).toBe(false)
    expect(early).toMatchObject({ more: true })
    expect(early.rows).toHaveLength(FIRST)
    expect((await detail).json).toMatchObject({ steps: STEPS, turns: 1 })
    await asking
    expect(others).toBeGreaterThan(10)
    const { json: late } = await user.get(`/sessions/${id}/steps?from=${STEPS - 9}&limit=100`)
    expect(late).toMatchObject({ total: STEPS })
    expect(late).not.toHaveProperty("more")
    expect(late.rows).toHaveLength(10)
    // What came early is what comes late.
    expect((await user.get(`/sessions/${id}/steps?from=1&limit=${FIRST}`)).json.rows).toEqual(early.rows)
  })
})
