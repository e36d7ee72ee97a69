import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bestSchedule, costOf, KEEP, type PlayedStep, played } from "./support/schedule.js"

const SEED = Number(process.env.SOTTO_SEED || 20261116)
const RUNS = Number(process.env.SOTTO_RUNS || 400)

const PAUSES = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 6, 20, 120]

/** Sessions of one kind of work, of another one, and of all kinds. */
const steps: fc.Arbitrary<readonly PlayedStep[]> = fc
  .record({
    length: fc.integer({ min: 1, max: 70 }),
    least: fc.nat({ max: 3_000 }),
    spread: fc.nat({ max: 9_000 }),
  })
  .chain(({ length, least, spread }) =>
    fc.array(
      fc.record({
        tokens: fc.integer({ min: least, max: least + spread }),
        isRepeatable: fc.nat({ max: 9 }).map((n) => n > 1),
        pause: fc.constantFrom(...PAUSES),
      }),
      { minLength: length, maxLength: length },
    ),
  )

/** The engine's own schedule: the requests at which it dropped something. */
function ownSchedule(given: readonly PlayedStep[]) {
  const { session } = played(given, "on")
  const taken = session.log.filter((entry) => entry.type === "step")
  const dropped = taken.map(({ epoch }) => epoch?.dropped ?? [])
  const rebases = new Set(dropped.flatMap((list, n) => (list.length > 0 ? [n] : [])))
  return { rebases, dropped: dropped.filter((list) => list.length > 0).map((list) => list.length) }
}

describe("what a session costs with an economy", () => {
  it("is at most twice the best schedule in hindsight, and at most 1.25 times of it on average", () => {
    const ratios: number[] = []
    fc.assert(
      fc.property(steps, (given) => {
        const { course } = played(given, "off")
        const own = ownSchedule(given)
        const { cost, dropped } = costOf(course, own.rebases)
        // The costs below are those of what the engine did: it dropped what the rule says, when the rule says.
        expect(own.dropped).toEqual(dropped.map((list) => list.length))
        const best = bestSchedule(course)
        expect(cost).toBeGreaterThanOrEqual(best - 1)
        expect(cost).toBeLessThanOrEqual(2 * best)
        ratios.push(cost / best)
      }),
      { seed: SEED, numRuns: RUNS },
    )
    const average = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
    if (process.env.SOTTO_SHOW)
      console.log({ average, most: Math.max(...ratios), rebased: ratios.filter((r) => r > 1).length })
    expect(average).toBeLessThanOrEqual(1.25)
    expect(ratios.some((ratio) => ratio > 1)).toBe(true)
  })

  it("is exactly that of keeping everything where nothing is stale", () => {
    const small = fc.array(
      fc.record({
        tokens: fc.nat({ max: 150 }),
        isRepeatable: fc.boolean(),
        pause: fc.constantFrom(...PAUSES),
      }),
      { minLength: 1, maxLength: 40 },
    )
    fc.assert(
      fc.property(small, (given) => {
        const total = given.reduce((sum, { tokens }) => sum + tokens, 0)
        fc.pre(total <= KEEP)
        const { course, session: off } = played(given, "off")
        const { session: on } = played(given, "on")
        expect(ownSchedule(given).rebases.size).toBe(0)
        expect(on.context).toEqual(off.context)
        expect(costOf(course, new Set()).cost).toBeCloseTo(bestSchedule(course), 6)
      }),
      { seed: SEED, numRuns: 60 },
    )
  })

  it("is a small part of that of keeping everything, in long sessions", () => {
    const long = Array.from({ length: 300 }, () => ({ tokens: 2_000, isRepeatable: true, pause: 0 }))
    const { course } = played(long, "off")
    const { cost } = costOf(course, ownSchedule(long).rebases)
    expect(cost).toBeLessThan(costOf(course, new Set()).cost / 4)
  })
})
