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
    const { user, api } = await serving(bench, reaching(model.url))
    const created = await api.createSession({ cwd: bench.cwd, model: MODEL, agent: "build" })
    expect(created).toMatchObject({ cwd: bench.cwd, model: MODEL, agent: "build", state: "idle" })
    const { id } = created
    const events = user.events(`/sessions/${id}/events?from=0`)

    const receipt = await api.say(id, { text: "Begin.", id: "m1" })
    expect(receipt).toMatchObject({ id: "m1", seq: expect.any(Number) })
    expect(await api.say(id, { text: "Begin.", id: "m1" })).toMatchObject({ id: "m1", seq: receipt.seq })
    const other = api.say(id, { text: "Something else.", id: "m1" })
    await expect(other).rejects.toMatchObject({ status: 409, code: "id-taken" })

    // A message that is queued is never the answer to a question.
    const ask = await events.wait("ask")
    expect(await api.getSession(id)).toMatchObject({
      state: "asking",
      questions: [{ id: ask.id, kind: "permission" }],
    })
    await api.say(id, { text: "allow", id: "m2" })
    expect(await api.getSession(id)).toMatchObject({ state: "asking", questions: [{ id: ask.id }] })
    await expect(api.answer(id, { id: "ask-99", answer: "allow" })).rejects.toMatchObject({
      status: 404,
      code: "unknown-question",
      remedy: expect.any(String),
    })
    expect(await api.answer(id, { id: String(ask.id), answer: "allow" })).toEqual({ done: true })
    expect(await events.wait("question-answered")).toMatchObject({ id: ask.id })

    // What waits can be changed and taken back, until it is delivered.
    await events.wait("tool-call", 2)
    await api.say(id, { text: "later", delivery: "after-turn", id: "m3" })
    await api.say(id, { text: "never", delivery: "after-turn", id: "m4" })
    expect(await api.edit(id, "m3", { text: "later, but other words" })).toMatchObject({
      id: "m3",
      state: "queued",
    })
    expect(await api.cancel(id, "m4")).toMatchObject({ id: "m4", state: "cancelled" })
    await expect(api.cancel(id, "m1")).rejects.toMatchObject({ status: 409, code: "not-queued" })
    await expect(api.edit(id, "m9", { text: "x" })).rejects.toMatchObject({ status: 404 })
    expect(await api.getSession(id)).toMatchObject({ queue: [{ id: "m3", text: "later, but other words" }] })

    expect(await api.agent(id, { name: "plan" })).toEqual({ done: true })
    const nobody = api.agent(id, { name: "nobody" })
    await expect(nobody).rejects.toMatchObject({ status: 400, code: "unknown-agent" })
    expect(await api.reminder(id, { kind: "build_switch", on: false })).toEqual({ done: true })
    await expect(api.reminder(id, { kind: "no_such", on: false })).rejects.toMatchObject({ status: 400 })
    await gate.open()
    await events.wait("turn-end", 2)
    expect(await api.model(id, { model: "openai/gpt-5.6" })).toEqual({ done: true })
    await expect(api.model(id, { model: "nobody/nothing" })).rejects.toMatchObject({ status: 400 })
    expect(await api.getSession(id)).toMatchObject({
      agent: "plan",
      model: "openai/gpt-5.6",
      steps: 4,
      turns: 2,
      queue: [],
    })
    expect(await api.say(id, { text: "Begin.", id: "m1" })).toMatchObject({
      id: "m1",
      state: "delivered",
      step: 1,
    })
    expect(await api.getReceipt(id, "m3")).toMatchObject({ state: "delivered" })

    const log = await api.getLog(id)
    expect(log.total).toBe(log.entries.length)
    expect((await api.getLog(id, { from: 1, limit: 2 })).entries).toMatchObject([{ seq: 1 }, { seq: 2 }])
    // What was sent, to the letter.
    for (const [i, sent] of bodiesOf(model).entries()) {
      const shown = await api.getRequest(id, i + 1)
      expect((shown.body as { messages: unknown }).messages).toEqual((sent as { messages: unknown }).messages)
      expect(shown).toMatchObject({ dialect: "anthropic", row: { n: i + 1 } })
    }
    for (const dialect of ["openai", "openai-chat", "gemini"] as const)
      expect(await api.getRequest(id, 2, { dialect, body: "false" })).toMatchObject({ dialect })
    await expect(api.getRequest(id, 99)).rejects.toMatchObject({ status: 404 })
    expect(await api.getSteps(id, { from: 2, limit: 2 })).toMatchObject({
      total: 4,
      rows: [{ n: 2 }, { n: 3, said: "Done." }],
    })
    const ledger = await api.getLedger(id)
    expect(ledger).toMatchObject({ total: 4 })
    expect(ledger.kinds).toContainEqual(expect.objectContaining({ kind: "build_switch", on: false }))
    expect(ledger.kinds).toContainEqual(
      expect.objectContaining({ kind: "queued_command", spoke: 1, tokens: expect.any(Number) }),
    )
    expect(await api.getRequestTools(id, 1)).toMatchObject({
      tools: [{ name: "bash", changes: [], result: { text: expect.any(String) } }],
    })
    await expect(api.getRequestTools(id, 99)).rejects.toMatchObject({ status: 404 })
    const compared = await api.compare({ a: `s/${id}/1`, b: `s/${id}/2` })
    expect(compared).toMatchObject({ a: { n: 1 }, b: { n: 2 }, onlyTokens: { a: 0 }, left: 0 })
    await expect(api.compare({ a: `s/${id}/99`, b: `s/${id}` })).rejects.toMatchObject({ status: 404 })
    await expect(api.compare({ a: `x/${id}`, b: `s/${id}` })).rejects.toMatchObject({ status: 400 })
    const { asides } = await api.getAsides(id)
    expect(asides.map(({ kind }) => kind)).toContain("queued_command")
    expect(await api.getBreaks(id)).toEqual({ breaks: [] })
    expect(await api.search(id, { q: "other words" })).toMatchObject({ hits: [{ n: 4 }], more: false })

    expect(await api.abort(id)).toEqual({ queue: [] })
    expect(await api.listSessions({ limit: 1 })).toMatchObject({ sessions: [{ id }], more: false })
    expect(await api.listSessions({ before: id })).toMatchObject({ sessions: [] })
    await expect(api.getSession("none")).rejects.toMatchObject({ status: 404, code: "unknown-session" })
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
    const { user, api } = await serving(bench, reaching(model.url))
    const [{ id: first }, { id: second }] = await Promise.all([
      api.createSession({ cwd: bench.cwd, model: MODEL }),
      api.createSession({ cwd: bench.cwd, model: MODEL }),
    ])
    const events = [first, second].map((id) => user.events(`/sessions/${id}/events`))
    await Promise.all([api.say(first, { text: "Wait" }), api.say(second, { text: "Go" })])
    expect(await events[1]?.wait("turn-end")).toMatchObject({ reason: "done" })
    await events[0]?.wait("tool-call")
    expect(await api.getSession(first)).toMatchObject({ state: "running" })
    await api.abort(first)
    expect(await events[0]?.wait("turn-end")).toMatchObject({ reason: "interrupted" })
    expect(await api.getSession(first)).toMatchObject({ state: "idle" })
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
    const { api } = await serving(bench)
    let [isOver, others] = [false, 0]
    const detail = api.getSession(id).finally(() => {
      isOver = true
    })
    const asking = (async () => {
      for (; !isOver; others++) await api.health()
    })()
    const early = await api.getSteps(id, { from: 1, limit: FIRST })
    expect(isOver).toBe(false)
    expect(early).toMatchObject({ more: true })
    expect(early.rows).toHaveLength(FIRST)
    expect(await detail).toMatchObject({ steps: STEPS, turns: 1 })
    await asking
    expect(others).toBeGreaterThan(10)
    const late = await api.getSteps(id, { from: STEPS - 9, limit: 100 })
    expect(late).toMatchObject({ total: STEPS })
    expect(late).not.toHaveProperty("more")
    expect(late.rows).toHaveLength(10)
    // What came early is what comes late.
    expect((await api.getSteps(id, { from: 1, limit: FIRST })).rows).toEqual(early.rows)
  })
})
