import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { casesOf } from "./cases.js"
import { FaultyServer } from "./server.js"
import { APIS } from "./wire.js"

/** Plays every fault of one API against a real conversation, and looks at it from outside. */
export function faultsOf(name: string): void {
  const server = new FaultyServer()
  beforeAll(() => server.open())
  afterAll(() => server.close())
  const api = APIS.find((one) => one.name === name)
  if (api === undefined) throw new Error(`there is no API ${name}`)
  const cases = casesOf(api)
  describe.each([...new Set(cases.map(({ group }) => group))])("%s", (group) => {
    const own = cases.filter((one) => one.group === group)
    it.each(own.map((one) => [one.fault, one] as const))("%s", async (_, one) => {
      const outcome = await server.play(api, one.answers, one.isQuiet)
      expect(outcome).toMatchObject(one.expected)
      if (one.tells !== undefined) expect(outcome.error).toContain(one.tells)
    })
  })
}
