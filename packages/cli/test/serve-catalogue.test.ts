import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../harness/test/postgres-server.js"
import { type Client, servingTwice } from "./support/server.js"
import { type Bench, benchWith, reaching, serverWith, type Variables } from "./support/sotto.js"

const MODEL = "anthropic/claude-opus-5-5"
const PATIENT = { timeout: 30_000, interval: 50 }
const wait = { name: "bash", input: { command: "cat gate" } }

let database: PostgresServer
// Servers of other tests run on until the end, and would take the sessions of a shared schema.
let schemas = 0
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.close())

async function state(client: Client, id: string): Promise<unknown> {
  return (await client.get(`/sessions/${id}`)).json.state
}

async function idle(client: Client, id: string): Promise<void> {
  await vi.waitFor(async () => expect(await state(client, id)).toBe("idle"), PATIENT)
}

describe.each([
  { store: "a file of SQLite", variables: (): Variables => ({}) },
  {
    store: "PostgreSQL",
    variables: (): Variables => ({ SOTTO_STORE: database.address(`catalogue${++schemas}`) }),
  },
])("two servers on $store", ({ variables }) => {
  async function both(bench: Bench, steps: Parameters<typeof serverWith>[0]) {
    const model = await serverWith(steps)
    const env = { ...reaching(model.url), ...variables() }
    return { env, model, ...(await servingTwice(bench, env)) }
  }

  it("give the same words under an id the same receipt, and refuse other words, also after a restart", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const { env, first, second, clients } = await both(bench, [
      { text: "I wait.", calls: [wait] },
      { text: "Done." },
    ])
    const id = await first.user.open(bench.cwd, { model: MODEL })
    const say = (client: Client, message: string, words: object) =>
      client.post(`/sessions/${id}/say`, { id: message, ...words })
    const one = { text: "Begin." }
    const two = { parts: [{ type: "text", text: "And this." }] }
    const m1 = (await say(first.user, "m1", one)).json
    await vi.waitFor(async () => expect(await state(first.user, id)).toBe("running"), PATIENT)
    const m2 = (await say(second.user, "m2", two)).json
    expect(m2).toMatchObject({ id: "m2", state: "queued", seq: expect.any(Number) })
    const agree = async (asked: readonly Client[], receipts: readonly object[]) => {
      for (const client of asked) {
        expect([await say(client, "m1", one), await say(client, "m2", two)]).toMatchObject(
          receipts.map((json) => ({ status: 200, json })),
        )
        for (const message of ["m1", "m2"])
          expect(await say(client, message, { text: "Other words." })).toMatchObject({
            status: 409,
            json: { error: { code: "id-taken", message: expect.stringContaining(message) } },
          })
      }
    }
    await agree(clients, [{ id: "m1", seq: m1.seq, state: "delivered" }, m2])
    await gate.open()
    await idle(second.user, id)
    const delivered = [
      { id: "m1", seq: m1.seq, state: "delivered", step: 1 },
      { id: "m2", seq: m2.seq, state: "delivered", step: 2 },
    ]
    await agree(clients, delivered)
    for (const { run } of [first, second]) {
      run.signal("SIGTERM")
      await run.ended
    }
    await agree((await servingTwice(bench, env)).clients, delivered)
  })

  it("refuse other words under the id of a message that waits for a worker", async () => {
    const bench = benchWith()
    const { first, clients } = await both(bench, [{ text: "Done." }])
    const id = await first.user.open(bench.cwd, { model: MODEL })
    const say = (client: Client, message: string, text: string) =>
      client.post(`/sessions/${id}/say`, { id: message, text })
    const { seq } = (await say(first.user, "m1", "Begin.")).json
    await idle(first.user, id)
    for (const client of clients) await client.post("/drain")
    await vi.waitFor(
      async () => expect((await first.user.get(`/sessions/${id}`)).json).not.toHaveProperty("holder"),
      PATIENT,
    )
    const [kept, known, other] = await Promise.all([
      say(clients[0], "m2", "For later."),
      say(clients[1], "m1", "Begin."),
      say(clients[1], "m1", "Other words."),
    ])
    expect(kept).toMatchObject({ status: 202, json: { id: "m2", state: "queued" } })
    expect(known).toMatchObject({ status: 200, json: { id: "m1", seq, state: "delivered" } })
    expect(other).toMatchObject({ status: 409, json: { error: { code: "id-taken" } } })
    const [again, instead] = await Promise.all([
      say(clients[1], "m2", "For later."),
      say(clients[1], "m2", "Other words."),
    ])
    expect(again).toMatchObject({ status: 202, json: { id: "m2", state: "queued" } })
    expect(instead).toMatchObject({ status: 409, json: { error: { code: "id-taken" } } })
  })
})
