import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hashOf, onceIn, type PageRoute, parseRoute } from "../src/page/route/route.js"

const subject = fc.record({
  type: fc.constantFrom("session" as const, "trace" as const),
  id: fc.string({ minLength: 1, unit: "grapheme" }),
})
const n = fc.integer({ min: 1, max: 1_000_000 })
const word = fc.string({ minLength: 1, unit: "grapheme" })

const routes: fc.Arbitrary<PageRoute> = fc.oneof(
  fc.record(
    {
      at: fc.constant("list" as const),
      q: word,
      state: fc.constantFrom("running" as const, "idle" as const),
    },
    { requiredKeys: ["at"] },
  ),
  fc.constant({ at: "new" as const }),
  fc.record(
    {
      at: fc.constant("compare" as const),
      a: fc.record({ subject, n }, { requiredKeys: ["subject"] }),
      b: fc.record({ subject }),
    },
    { requiredKeys: ["at"] },
  ),
  fc.record({ at: fc.constant("timeline" as const), subject, open: n }, { requiredKeys: ["at", "subject"] }),
  fc.tuple(subject, n, n).map(([of, a, b]) => ({
    at: "timeline" as const,
    subject: of,
    from: Math.min(a, b),
    to: Math.max(a, b),
  })),
  fc.record(
    {
      at: fc.constant("step" as const),
      subject,
      n,
      path: word,
      tab: fc.constantFrom("view" as const, "reply" as const),
    },
    { requiredKeys: ["at", "subject", "n"] },
  ),
  fc.record(
    { at: fc.constant("ledger" as const), subject, n, kind: word },
    { requiredKeys: ["at", "subject"] },
  ),
  fc.record({ at: fc.constant("breaks" as const), subject, n }, { requiredKeys: ["at", "subject"] }),
  fc.record({ at: fc.constantFrom("charts" as const, "findings" as const), subject }),
  fc.record({ at: fc.constant("search" as const), subject, q: word }),
)

describe("addresses", () => {
  it("lead to everything, and back to the same place", () => {
    fc.assert(
      fc.property(routes, (route) => {
        expect(parseRoute(hashOf(route))).toEqual(route)
      }),
    )
  })

  it("that cannot be read are unknown, and lead nowhere else", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseRoute(`#${text}`).at).toBeTruthy()
      }),
    )
    for (const hash of [
      "#/x/1",
      "#/s/%E0%A4%A",
      "#/s/a/step/0",
      "#/s/a/step/1e3",
      "#/s/a/step",
      "#/s/a/nowhere",
      "#/nowhere",
    ])
      expect(parseRoute(hash)).toEqual({ at: "unknown", hash })
    expect(parseRoute("")).toEqual({ at: "list" })
    expect(parseRoute("#/?q=&state=sleeping")).toEqual({ at: "list" })
  })

  it("with the word that opens the page give it up, and never lead to another site", () => {
    expect(onceIn("#once=abc&to=%2Fs%2Fx%2Fstep%2F3")).toEqual({ once: "abc", to: "#/s/x/step/3" })
    expect(onceIn("#once=abc&to=https://elsewhere")).toEqual({ once: "abc", to: "#/" })
    expect(onceIn("#/s/x")).toBeUndefined()
  })
})
