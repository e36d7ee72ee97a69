import { afterAll, beforeAll, expect, it } from "vitest"
import { body, Stage } from "./stage.js"
import { APIS } from "./wire.js"

const stage = new Stage()
beforeAll(() => stage.open({ compaction: { auto: false } }))
afterAll(() => stage.close())

it.each(APIS.map((api) => [api.name, api] as const))(
  "%s: a full context ends the turn where the user compacts by hand, and says so",
  async (_, api) => {
    const { status, message } = api.overflow
    const outcome = await stage.play(api, [body(status, api.error(status, message))])
    expect(outcome).toMatchObject({ reason: "overflow", requests: 1 })
    expect(outcome.error).toContain(message)
    expect(outcome.error).toContain("compaction.auto")
  },
)
