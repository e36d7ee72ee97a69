import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { check } from "../src/index.js"
import { FAULTS, withFault } from "./support/faults.js"
import { bodiesOf, callsOf, MODELS, ordinary, setup } from "./support/history.js"
import { firstDifferent } from "./support/paths.js"

describe("an honest history", () => {
  it.each(MODELS)("of %s (%s) has no break and no finding", (dialect, model) => {
    const bodies = bodiesOf(ordinary(dialect, model))
    const report = check(callsOf(bodies, { model }))
    expect(report.threads).toMatchObject([{ dialect, purpose: "main", calls: bodies.length, breaks: [] }])
    expect(report.findings).toEqual([])
  })

  it("has no break, whatever happens in it", () => {
    fc.assert(
      fc.property(setup, (one) => {
        const report = check(callsOf(bodiesOf(one), { model: one.model }))
        expect(report.threads.map(({ breaks }) => breaks)).toEqual([[]])
      }),
      { numRuns: 60 },
    )
  })
})

describe.each(FAULTS.map((fault) => [fault.name, fault] as const))("%s", (_, fault) => {
  it.each(MODELS)("is found in the traffic of %s (%s)", (dialect, model) => {
    const bodies = bodiesOf(ordinary(dialect, model, 7))
    for (const chance of [0, 0.3, 0.7, 0.99]) {
      const faulty = withFault(bodies, fault, dialect, 5, chance)
      if (faulty === undefined) continue
      const [sent, next] = [bodies[4], faulty[5]]
      if (sent === undefined || next === undefined) throw new Error("too short")
      const { threads } = check(callsOf(faulty, { model }))
      expect(threads.flatMap(({ breaks }) => breaks)).toMatchObject([
        { call: 6, cause: fault.cause, segment: firstDifferent(sent, next, dialect) },
      ])
      expect(threads).toHaveLength(1)
    }
  })
})

it("finds one random fault in a random history, with its segment and cause, and nothing else", () => {
  fc.assert(
    fc.property(
      setup,
      fc.constantFrom(...FAULTS),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      ({ dialect, model, steps }, fault, when, chance) => {
        const bodies = bodiesOf({ dialect, model, steps })
        const from = 1 + Math.floor(when * (bodies.length - 1))
        const faulty = withFault(bodies, fault, dialect, from, chance)
        fc.pre(faulty !== undefined)
        const [sent, next] = [bodies[from - 1], faulty[from]]
        if (sent === undefined || next === undefined) throw new Error("too short")
        const segment = firstDifferent(sent, next, dialect)
        fc.pre(segment !== undefined)
        const { threads } = check(callsOf(faulty, { model }))
        const breaks = threads.flatMap((thread) => thread.breaks)
        expect(breaks.map(({ call, cause, segment }) => ({ call, cause, segment }))).toEqual([
          { call: from + 1, cause: fault.cause, segment },
        ])
      },
    ),
    { numRuns: 300 },
  )
})
