import { expect, it } from "vitest"
import type { LedgerPart } from "../src/contract.js"
import { cellAt, EMPTY, withPart, wordsFor } from "../src/page/ledger/grid.js"

const part = (from: number, cells: LedgerPart["steps"][number]["cells"]): LedgerPart => ({
  kinds: [
    { kind: "a_kind", on: true },
    { kind: "b_kind", on: true },
    { kind: "c_kind", on: false },
  ],
  steps: [{ n: from, turn: 1, step: from, cells }],
  total: 2,
})

it("puts parts of the ledger together: kinds that spoke first, the loudest outcome in a cell", () => {
  const first = part(1, [
    { kind: "b_kind", outcome: "throttled", key: "x", until: "2 more steps" },
    { kind: "b_kind", outcome: "spoke", key: "y", tokens: 12, carrier: "user-text" },
    { kind: "c_kind", outcome: "disabled" },
  ])
  const grid = withPart(
    withPart(EMPTY, first),
    part(2, [{ kind: "a_kind", outcome: "failed", error: "broken" }]),
  )
  expect(grid.kinds.map(({ kind }) => kind)).toEqual(["b_kind", "a_kind", "c_kind"])
  expect(cellAt(grid, "b_kind", 1)?.outcome).toBe("spoke")
  expect(cellAt(grid, "a_kind", 1)).toEqual({ outcome: "nothing", cells: [] })
  expect(cellAt(grid, "a_kind", 2)?.outcome).toBe("failed")
  expect(cellAt(grid, "a_kind", 3)).toBeUndefined()
})

it("says each outcome in words", () => {
  expect(wordsFor({ kind: "k", outcome: "spoke", tokens: 12, carrier: "user-text" })).toBe(
    "spoke, 12 tokens, as user-text",
  )
  expect(wordsFor({ kind: "k", outcome: "throttled", until: "2 more steps" })).toBe(
    "throttled until 2 more steps",
  )
  expect(wordsFor({ kind: "k", outcome: "over-budget", tokens: 900 })).toContain(
    "would have taken 900 tokens",
  )
  expect(wordsFor({ kind: "k", outcome: "disabled" })).toBe("off")
  expect(wordsFor({ kind: "k", outcome: "failed", error: "broken" })).toBe("failed: broken")
  expect(wordsFor({ kind: "k", outcome: "nothing" })).toBe("nothing to say")
})
