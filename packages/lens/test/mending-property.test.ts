import { expectAppendOnly } from "@sotto/core/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { HttpDialectName } from "../src/call.js"
import { createMender, type MendingPolicy } from "../src/index.js"
import { problemsOf } from "../src/problems/validate.js"
import { FAULTS, type Fault, withFault } from "./support/faults.js"
import { type Body, bodiesOf, MODELS, ordinary, type Setup, setup } from "./support/history.js"
import { type Knowledge, known, reconstructed } from "./support/reader.js"
import { siblingsIn, withSiblings } from "./support/siblings.js"

const VOLATILE = FAULTS.filter(
  ({ cause }) =>
    cause === "tools-reordered" ||
    cause === "tool-reworded" ||
    cause === "serialisation" ||
    cause === "system-changed" ||
    cause.startsWith("reminder-"),
)

const pathOf = (dialect: HttpDialectName, model: string) =>
  dialect === "gemini" ? `/v1beta/models/${model}:generateContent` : "/v1"

function mended(bodies: readonly Body[], dialect: HttpDialectName, model: string, policy: MendingPolicy) {
  const mender = createMender(policy)
  return bodies.map((body) => {
    const result = mender.mend({ dialect, path: pathOf(dialect, model), body: JSON.stringify(body) })
    return { ...result, sent: JSON.parse(result.body) as Body }
  })
}

const errors = (body: unknown, dialect: HttpDialectName, model: string) =>
  problemsOf({ source: "", number: 0, body }, dialect, model).filter(({ severity }) => severity === "error")

/** Each request says all that the harness said, and has no fault that the original does not have. Returns what is sent. */
function expectFaithful(
  bodies: readonly Body[],
  dialect: HttpDialectName,
  model: string,
  policy: MendingPolicy = { hold: true },
): readonly Body[] {
  const results = mended(bodies, dialect, model, policy)
  // Thinking of other bytes may not come along, so what was thought cannot be compared from then on.
  let isThoughtless = false
  const spoken = (knowledge: Knowledge): Knowledge =>
    isThoughtless
      ? { ...knowledge, conversation: knowledge.conversation.filter((one) => !one.startsWith("reasoning ")) }
      : knowledge
  results.forEach(({ sent, body, mends, fellBack }, i) => {
    isThoughtless ||= mends.some(({ policy }) => policy === "thinking")
    const original = bodies[i] as Body
    const wrong = errors(original, dialect, model).map(({ message }) => message)
    expect(fellBack).toBeUndefined()
    if (wrong.length === 0) expect(errors(sent, dialect, model)).toEqual([])
    expect(spoken(reconstructed(sent, dialect))).toEqual(spoken(known(original, dialect)))
    expect(mends.length > 0 || body === JSON.stringify(original)).toBe(true)
  })
  return results.map(({ sent }) => sent)
}

interface Change {
  readonly fault: Fault
  readonly from: number
  readonly chance: number
}

/** Each at another call: a change finds its place by what the call before it looks like. */
const changesOf = (faults: readonly Fault[]): fc.Arbitrary<readonly Change[]> =>
  fc.uniqueArray(
    fc.record({
      fault: fc.constantFrom(...faults),
      from: fc.integer({ min: 1, max: 9 }),
      chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
    }),
    { minLength: 1, maxLength: 4, selector: ({ from }) => from },
  )

/** Each change holds from its call on. Later ones build on what earlier ones left. */
function changed(
  history: Setup,
  changes: readonly Change[],
  bodies: readonly Body[] = bodiesOf(history),
): readonly Body[] {
  const ordered = [...changes].sort((a, b) => a.from - b.from)
  return ordered.reduce<readonly Body[]>(
    (now, { fault, from, chance }) => withFault(now, fault, history.dialect, from, chance) ?? now,
    bodies,
  )
}

describe("holding one volatile change", () => {
  for (const [dialect, model] of MODELS)
    it(`${dialect} with ${model}`, () => {
      const bodies = bodiesOf(ordinary(dialect, model))
      const seen = VOLATILE.filter((fault) =>
        [
          [2, 0],
          [4, 0.5],
          [5, 0.99],
        ]
          .map(([from = 0, chance = 0]) => {
            const now = withFault(bodies, fault, dialect, from, chance)
            if (now === undefined) return false
            expectAppendOnly(expectFaithful(now, dialect, model))
            return true
          })
          .includes(true),
      )
      expect(seen.length).toBeGreaterThan(8)
    })
})

/** A fixed seed, as for the promises: `SOTTO_SEED` and `SOTTO_RUNS` change it. */
const RUNS = {
  seed: Number(process.env.SOTTO_SEED ?? 20261118),
  numRuns: Number(process.env.SOTTO_RUNS ?? 120),
}

it("holds any volatile changes of a random history, only adds to what was sent, and loses nothing", () => {
  fc.assert(
    fc.property(setup, changesOf(VOLATILE), (history, changes) => {
      expectAppendOnly(expectFaithful(changed(history, changes), history.dialect, history.model))
    }),
    RUNS,
  )
})

it("loses nothing whatever the harness does, also where it cannot hold", () => {
  fc.assert(
    fc.property(setup, changesOf(FAULTS), (history, changes) => {
      expectFaithful(changed(history, changes), history.dialect, history.model)
    }),
    RUNS,
  )
})

describe("reminders behind tool results", () => {
  const claude = setup.filter(({ dialect }) => dialect === "anthropic")
  const foreign = (history: Setup, changes: readonly Change[] = []) =>
    changed(history, changes, withSiblings(bodiesOf(history)))

  it("move into the results, and any volatile changes are held as well", () => {
    let moved = 0
    fc.assert(
      fc.property(claude, changesOf(VOLATILE), (history, changes) => {
        const bodies = foreign(history, changes)
        const sent = expectFaithful(bodies, "anthropic", history.model, { hold: true, smoosh: true })
        expectAppendOnly(sent)
        for (const body of sent) expect(siblingsIn(body)).toEqual([])
        moved += bodies.reduce((sum, body) => sum + siblingsIn(body).length, 0)
      }),
      RUNS,
    )
    expect(moved).toBeGreaterThan(RUNS.numRuns)
  })

  it.each([{ smoosh: true }, { smoosh: true, hold: true }] as const)(
    "lose nothing whatever the harness does: %o",
    (policy) => {
      fc.assert(
        fc.property(claude, changesOf(FAULTS), (history, changes) => {
          expectFaithful(foreign(history, changes), "anthropic", history.model, policy)
        }),
        RUNS,
      )
    },
  )
})
