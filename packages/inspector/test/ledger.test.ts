import { expect, it } from "vitest"
import type { LedgerPart } from "../src/contract.js"
import { cellAt, EMPTY, groupOf, withPart, wordsFor } from "../src/page/ledger/grid.js"

const part = (from: number, cells: LedgerPart["steps"][number]["cells"]): LedgerPart => ({
  kinds: [
    { kind: "a_kind", on: true, spoke: 0, tokens: 0, kept: 1 },
    { kind: "b_kind", on: true, spoke: 1, tokens: 12, kept: 1 },
    { kind: "c_kind", on: false, spoke: 0, tokens: 0, kept: 0 },
    { kind: "d_kind", on: true, spoke: 1, tokens: 900, kept: 0 },
  ],
  steps: [{ n: from, turn: 1, step: from, cells }],
  total: 2,
})

it("puts parts of the ledger together: the loudest outcome in a cell", () => {
  const first = part(1, [
    { kind: "b_kind", outcome: "throttled", key: "x", until: "2 more steps" },
    { kind: "b_kind", outcome: "spoke", key: "y", tokens: 12, carrier: "user-text" },
    { kind: "c_kind", outcome: "disabled" },
  ])
  const grid = withPart(
    withPart(EMPTY, first),
    part(2, [{ kind: "a_kind", outcome: "failed", error: "broken" }]),
  )
  // The most tokens first, then what nearly spoke, then what was silent.
  expect(grid.kinds.map((one) => [one.kind, groupOf(one)])).toEqual([
    ["d_kind", "spoke"],
    ["b_kind", "spoke"],
    ["a_kind", "nearly"],
    ["c_kind", "silent"],
  ])
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
