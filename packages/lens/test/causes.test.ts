import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { check } from "../src/index.js"
import { FAULTS, withFault } from "./support/faults.js"
import { bodiesOf, callsOf, MODELS, ordinary, setup } from "./support/history.js"
import { firstDifferent } from "./support/paths.js"

describe("an honest history", () => {
  it.each(MODELS)("of %s (%s) has no break, and no finding but of a user's words", (dialect, model) => {
    const bodies = bodiesOf(ordinary(dialect, model))
    const report = check(callsOf(bodies, { model }))
    expect(report.threads).toMatchObject([{ dialect, purpose: "main", calls: bodies.length, breaks: [] }])
    // Where a system message can frame them, Sotto sends what a user says in mid-turn as text behind the results.
    expect(report.findings.filter(({ id }) => id !== "text-after-result")).toEqual([])
  })

  it("has no break, whatever happens in it", () => {
    fc.assert(
      fc.property(setup, (one) => {
        const report = check(callsOf(bodiesOf(one), { model: one.model }))
        expect(report.threads.map(({ breaks }) => breaks)).toEqual([[]])
      }),
      { numRuns: 40 },
    )
  })
})

/** Every fault in every dialect whose traffic has a place for it. */
const CASES = MODELS.flatMap(([dialect, model]) => {
  const bodies = bodiesOf(ordinary(dialect, model, 7))
  return FAULTS.flatMap((fault) => {
    const faulty = [0, 0.3, 0.7, 0.99].flatMap((chance) => withFault(bodies, fault, dialect, 5, chance) ?? [])
    const traces = Array.from({ length: faulty.length / 7 }, (_, i) => faulty.slice(i * 7, i * 7 + 7))
    return traces.length === 0
      ? []
      : [{ name: fault.name, cause: fault.cause, dialect, model, bodies, traces }]
  })
})

describe.each(CASES)("$name", ({ cause, dialect, model, bodies, traces }) => {
  it(`is found in the traffic of ${dialect}, ${model}`, () => {
    for (const trace of traces) {
      const segment = firstDifferent(bodies[4] ?? {}, trace[5] ?? {}, dialect)
      const { threads } = check(callsOf(trace, { model }))
      expect(threads.flatMap(({ breaks }) => breaks)).toMatchObject([{ call: 6, cause, segment }])
      expect(threads).toHaveLength(1)
    }
  })
})

it("has a fault for each cause that a body can show, in each dialect where it can happen", () => {
  const found = (dialect: string) =>
    [...new Set(CASES.filter((one) => one.dialect === dialect).map(({ cause }) => cause))].sort()
  const everywhere = FAULTS.map(({ cause }) => cause).filter((cause, i, all) => all.indexOf(cause) === i)
  for (const [dialect] of MODELS) expect(found(dialect)).toEqual([...everywhere].sort())
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
        if (fault.leavesNothing?.(sent, dialect)) {
          expect(threads.map(({ calls }) => calls)).toEqual([from, bodies.length - from])
          expect(breaks).toEqual([])
          return
        }
        expect(breaks.map(({ call, cause, segment }) => ({ call, cause, segment }))).toEqual([
          { call: from + 1, cause: fault.cause, segment },
        ])
      },
    ),
    { numRuns: 200 },
  )
})

it("does not take an image of a later turn for one that is gone, however alike the two are", () => {
  const text = (words: string) => ({ type: "text", text: words })
  const image = (data: string) => ({
    type: "image",
    source: { type: "base64", media_type: "image/png", data },
  })
  const said = [text("Look at this picture, and say what is in it."), image("aW1hZ2UgMQ==")]
  const answer = { role: "assistant", content: [text("A house.")] }
  const body = (...messages: readonly object[]) => ({ model: "claude-opus-5-5", max_tokens: 9, messages })
  const bodies = [
    body({ role: "user", content: said }),
    body({ role: "user", content: said.slice(0, 1) }, answer, {
      role: "user",
      content: [text("And this one?"), image("aW1hZ2UgMg==")],
    }),
  ]
  const { threads } = check(callsOf(bodies as never, { model: "claude-opus-5-5" }))
  expect(threads.flatMap(({ breaks }) => breaks)).toMatchObject([
    { call: 2, cause: "media-removed", segment: "messages.1.content.0" },
  ])
})
