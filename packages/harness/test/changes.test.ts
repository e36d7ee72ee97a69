import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { changedFiles } from "../src/index.js"
import { fileChanges, undoFiles } from "../src/sources/snapshots/file-changes.js"
import { KeptBytes } from "../src/sources/snapshots/kept-bytes.js"
import { hashOf } from "../src/tools/file-views/known-files.js"
import { lineRegions } from "../src/tools/line-regions.js"

const cwd = mkdtempSync(join(tmpdir(), "sotto-changes-"))
afterAll(() => rmSync(cwd, { recursive: true }))

const TEXTS = ["one\n", "two\n", "three\n", "four\n"] as const
const content = (hash: string) => TEXTS.find((text) => hashOf(text) === hash)
const kept = new KeptBytes(join(cwd, "kept"), { file: 1_000_000, total: 10_000_000 })
const parts = { cwd, kept, content }
const [ONE, TWO, THREE, FOUR] = TEXTS.map(hashOf) as [string, string, string, string]

function wrote(path: string, hash: string, before: string | null, at: number) {
  const fact = { is: "known", value: { hash, before } } as const
  return { type: "observed", key: `file:${path}`, fact, seq: at, at } as const
}

const file = (hash: string) => ({ is: "file", hash }) as const

describe("what a session changed", () => {
  it("goes from before its first write to its last, also across its subagents", async () => {
    const own = [wrote("a.txt", TWO, ONE, 1), wrote("a.txt", FOUR, THREE, 5)]
    const subagent = [wrote("a.txt", THREE, TWO, 3)]
    const [change] = await fileChanges([own, subagent], parts)
    expect(change?.file).toEqual({ path: "a.txt", before: file(ONE), after: file(FOUR) })
  })

  it("is not undone where somebody else changed the file between two writes", async () => {
    const log = [wrote("b.txt", TWO, ONE, 1), wrote("b.txt", FOUR, THREE, 2)]
    writeFileSync(join(cwd, "b.txt"), "four\n")
    expect(changedFiles(log, -1)).toEqual([
      { path: "b.txt", before: file(ONE), after: file(FOUR), mixed: true },
    ])
    expect(await fileChanges([log], parts)).toMatchObject([{ state: "touched" }])
    const [left] = await undoFiles(changedFiles(log, -1), parts)
    expect(left?.why).toContain("between two changes of the agent")
  })

  it("is told by what is there now, and no link is followed", async () => {
    const change = async () => (await fileChanges([[wrote("c.txt", TWO, ONE, 1)]], parts))[0]
    const state = async () => (await change())?.state
    expect(await state()).toBe("deleted")
    writeFileSync(join(cwd, "c.txt"), "two\n")
    expect(await change()).toMatchObject({
      state: "changed",
      isNew: false,
      diff: "--- c.txt\n+++ c.txt\n@@ -1,1 +1,1 @@\n-one\n+two",
    })
    writeFileSync(join(cwd, "c.txt"), "one\n")
    expect(await state()).toBe("as-it-was")
    rmSync(join(cwd, "c.txt"))
    writeFileSync(join(cwd, "secret.txt"), "two\n")
    symlinkSync("secret.txt", join(cwd, "c.txt"))
    expect(await change()).toMatchObject({ state: "touched", diff: undefined })
  })
})

it("the regions of a diff hold every difference and nothing that is the same at their edges", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 })
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const regions = lineRegions(a.join("\n"), b.join("\n"))
      const made: string[] = []
      let at = 0
      for (const { from, to, newFrom, newTo } of regions) {
        made.push(...a.slice(at, from), ...b.slice(newFrom, newTo))
        at = to
        if (from < to && newFrom < newTo) expect(a.slice(from, to)).not.toEqual(b.slice(newFrom, newTo))
      }
      made.push(...a.slice(at))
      expect(made.join("\n")).toBe(b.join("\n"))
    }),
    { seed: 7 },
  )
})

it("two changes far apart are two regions, and too many are one", () => {
  const before = Array.from({ length: 50 }, (_, i) => `line ${i}`)
  const after = before.with(3, "three").with(40, "forty")
  expect(lineRegions(before.join("\n"), after.join("\n"))).toEqual([
    { from: 3, to: 4, newFrom: 3, newTo: 4 },
    { from: 40, to: 41, newFrom: 40, newTo: 41 },
  ])
  const many = Array.from({ length: 900 }, (_, i) => `old ${i}`)
  const others = many.map((line) => line.replace("old", "new"))
  expect(lineRegions(many.join("\n"), others.join("\n"))).toHaveLength(1)
})
