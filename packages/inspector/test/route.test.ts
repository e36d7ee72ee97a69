import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hashOf, LIST, onceIn, type PageRoute, parseRoute } from "../src/page/route/route.js"

const subject = fc.record({
  type: fc.constantFrom("session" as const, "trace" as const),
  id: fc.string({ minLength: 1, unit: "grapheme" }),
})
const n = fc.integer({ min: 1, max: 1_000_000 })
const word = fc.string({ minLength: 1, unit: "grapheme" })

const routes: fc.Arbitrary<PageRoute> = fc.oneof(
  fc.constant(LIST),
  fc.record({ at: fc.constant("timeline" as const), subject }),
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

  it("that cannot be read lead somewhere all the same", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseRoute(`#${text}`).at).toBeTruthy()
      }),
    )
    for (const [hash, at] of [
      ["", "list"],
      ["#/x/1", "list"],
      ["#/s/%E0%A4%A", "list"],
      ["#/s/a/step/0", "timeline"],
      ["#/s/a/step/1e3", "timeline"],
      ["#/s/a/nowhere", "timeline"],
    ])
      expect([hash, parseRoute(hash ?? "").at]).toEqual([hash, at])
  })

  it("with the word that opens the page give it up, and never lead to another site", () => {
    expect(onceIn("#once=abc&to=%2Fs%2Fx%2Fstep%2F3")).toEqual({ once: "abc", to: "#/s/x/step/3" })
    expect(onceIn("#once=abc&to=https://elsewhere")).toEqual({ once: "abc", to: "#/" })
    expect(onceIn("#/s/x")).toBeUndefined()
  })
})
