import { afterAll, beforeAll, expect, it } from "vitest"
import { body, FaultyServer } from "./server.js"
import { APIS } from "./wire.js"

const server = new FaultyServer()
beforeAll(() => server.open({ compaction: { auto: false } }))
afterAll(() => server.close())

it.each(APIS.map((api) => [api.name, api] as const))(
  "%s: a full context ends the turn where the user compacts by hand, and says so",
  async (_, api) => {
    const { status, message } = api.overflow
    const outcome = await server.play(api, [body(status, api.error(status, message))])
    expect(outcome).toMatchObject({ reason: "overflow", requests: 1 })
    expect(outcome.error).toContain(`${message.replace(/\.$/, "")} (${api.model} at `)
    expect(outcome.error).toContain("compaction.auto")
  },
)
