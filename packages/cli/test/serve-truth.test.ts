import type { Schemas, SottoClient } from "@sotto/client"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../harness/test/postgres-server.js"
import { servingTwice } from "./support/server.js"
import { type Bench, benchWith, reaching, serverWith, talk, type Variables } from "./support/sotto.js"

const MODEL = "anthropic/claude-opus-5-5"
const PATIENT = { timeout: 30_000, interval: 50 }
const ask = { name: "bash", input: { command: "python3 -c 1" } }
const wait = { name: "bash", input: { command: "cat gate" } }

let database: PostgresServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.close())

/** What a server says of a session, in its list and by itself. */
async function told(client: SottoClient, id: string) {
  const [one, { sessions }] = [await client.getSession(id), await client.listSessions()]
  const listed = sessions.find((each) => each.id === id)
  const facts = ({ state, steps, cost, questions, holder }: Schemas["SessionListItem"]) => ({
    ...{ state, steps, cost, questions, holder },
  })
  expect(listed && facts(listed)).toEqual(facts(one))
  return facts(one)
}

/** Waits until both servers say the same of a session, and that it is in this state. */
async function agreeing(clients: readonly [SottoClient, SottoClient], id: string, state: string) {
  return await vi.waitFor(async () => {
    const [first, second] = [await told(clients[0], id), await told(clients[1], id)]
    expect(second).toEqual(first)
    expect(first.state).toBe(state)
    return first
  }, PATIENT)
}

describe.each([
  { store: "a file of SQLite", variables: (): Variables => ({}) },
  {
    store: "PostgreSQL",
    variables: (): Variables => ({ SOTTO_STORE: database.address("truth") }),
  },
])("two servers on $store", ({ variables }) => {
  async function both(bench: Bench, steps: Parameters<typeof serverWith>[0]) {
    const model = await serverWith(steps)
    const env = { ...reaching(model.url), ...variables() }
    const { first, second } = await servingTwice(bench, env)
    return { env, model, first, second, clients: [first.api, second.api] as const }
  }

  it("say the same of a session that one of them runs, and both can answer what it asks", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const { env, first, second, clients } = await both(bench, [
      { text: "I ask.", calls: [ask] },
      { text: "I wait.", calls: [wait] },
      { text: "Done." },
    ])
    const id = await first.user.open(bench.cwd, { model: MODEL })
    const streams = [first, second].map(({ user }) => user.events(`/sessions/${id}/events?from=0`))
    await first.api.say(id, { text: "Begin." })

    const asking = await agreeing(clients, id, "asking")
    const [question] = asking.questions
    expect(asking).toMatchObject({ steps: 1, cost: expect.any(Number), questions: [{ tool: "bash" }] })
    if (env.SOTTO_STORE !== undefined) expect(asking.holder).toMatchObject({ worker: "one" })
    expect(asking.holder).toMatchObject({ pid: expect.any(Number), host: expect.any(String) })
    for (const stream of streams) {
      expect(await stream.wait("ask")).toMatchObject({ id: question?.id })
      await stream.until((events) =>
        events.all("state").some((event) => event.state === "asking" && event.questions === 1),
      )
    }

    // The server that does not run the session takes the answer.
    const answer = { id: String(question?.id), answer: "allow" }
    expect(await second.api.answer(id, answer)).toEqual({ done: true })
    const running = await agreeing(clients, id, "running")
    expect(running).toMatchObject({ questions: [] })
    for (const stream of streams)
      expect(await stream.wait("question-answered")).toMatchObject({ id: question?.id })
    for (const client of clients)
      await expect(client.answer(id, answer)).rejects.toMatchObject({ status: 404 })

    await gate.open()
    const idle = await agreeing(clients, id, "idle")
    expect(idle.steps).toBe(3)
    expect(Number(idle.cost)).toBeGreaterThan(Number(asking.cost))
    for (const stream of streams) {
      await stream.until((events) => {
        const last = events.all("state").at(-1)
        return last?.state === "idle" && last.steps === 3 && last.cost === idle.cost
      })
      await stream.close()
    }
  })

  it("say what a session does that a terminal has open", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const { env, clients, model } = await both(bench, [
      { text: "I wait.", calls: [wait] },
      { text: "I ask.", calls: [ask] },
      { text: "Done." },
    ])
    const terminal = talk(bench, model, "--model", MODEL, ...storeOption(env), "Begin.")
    const { id } = await terminal.wait({ type: "session" })
    await terminal.wait({ type: "tool-call" })
    await agreeing(clients, id, "running")
    await gate.open()
    const asked = await terminal.wait({ type: "ask" })
    const { questions, holder } = await agreeing(clients, id, "asking")
    expect(questions).toMatchObject([{ id: asked.id }])
    expect(holder).not.toHaveProperty("worker")
    await clients[1].answer(id, { id: asked.id, answer: "allow" })
    await terminal.wait({ type: "turn-end" })
    await agreeing(clients, id, "idle")
    await terminal.end()
    expect(await agreeing(clients, id, "idle")).not.toHaveProperty("holder.pid")
  })
})

function storeOption({ SOTTO_STORE }: Variables): readonly string[] {
  return SOTTO_STORE === undefined ? [] : ["--store", SOTTO_STORE]
}
