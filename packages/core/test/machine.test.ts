import { createSession } from "@sotto/core"
import fc from "fast-check"
import { expect, it } from "vitest"
import { advance } from "../src/session/advance.js"
import { phaseOf, TRANSITIONS } from "../src/session/machine.js"
import { emptyState } from "../src/session/state.js"
import { history, optionsFor, Run } from "./support/history.js"
import { MODELS, options } from "./support/session.js"

it("changes phase as the table of the state machine says: by no other entry, and by each of its rows", () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(history, fc.constantFrom(...Object.values(MODELS)), ({ setup, commands }, model) => {
      const begun = { ...setup, model }
      const run = new Run(begun, createSession(optionsFor(begun)))
      for (const one of commands) run.do(one)
      let state = emptyState(optionsFor(begun).channelsWake ?? false)
      for (const entry of run.session.log) {
        const from = phaseOf(state)
        state = advance(state, entry, run.session.log)
        const to = phaseOf(state)
        if (to !== from) seen.add(`${entry.type}: ${from} -> ${to}`)
      }
    }),
    { seed: 20261118, numRuns: 1500 },
  )
  const table = TRANSITIONS.flatMap(({ entry, from, to }) => to.map((one) => `${entry}: ${from} -> ${one}`))
  expect([...seen].toSorted()).toEqual(table.toSorted())
})

it("names commands of the session in its table", () => {
  const session = createSession(options())
  for (const { by } of TRANSITIONS) expect(typeof session[by as keyof typeof session]).toBe("function")
})
