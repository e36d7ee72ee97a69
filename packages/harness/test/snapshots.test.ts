import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { workspace } from "./snapshots-support.js"

const FILES = {
  "a.txt": "a\n",
  "b/c.txt": "c\n",
  "b/d/e.bin": "\0\u0001",
  "f.sh": "#!/bin/sh\n",
  ".gitignore": "ignored/\n",
}
const NAMES = ["a.txt", "b", "b/c.txt", "b/d", "b/d/e.bin", "f.sh", "new", "new/g.txt", "h", "b/new.txt"]

type Deed =
  | { readonly do: "write"; readonly at: string; readonly text: string }
  | { readonly do: "remove"; readonly at: string }
  | { readonly do: "mkdir"; readonly at: string }
  | { readonly do: "link"; readonly at: string; readonly to: string }
  | { readonly do: "move"; readonly at: string; readonly to: string }
  | { readonly do: "chmod"; readonly at: string; readonly mode: number }

const at = fc.constantFrom(...NAMES)
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constant("write" as const), at, text: fc.string({ maxLength: 4 }) }),
  fc.record({ do: fc.constant("remove" as const), at }),
  fc.record({ do: fc.constant("mkdir" as const), at }),
  fc.record({ do: fc.constant("link" as const), at, to: at }),
  fc.record({ do: fc.constant("move" as const), at, to: at }),
  fc.record({ do: fc.constant("chmod" as const), at, mode: fc.constantFrom(0o700, 0o755, 0o770) }),
)

/** Does it as a program would; what cannot be done is left. */
function carryOut(one: Deed, path: (name: string) => string): void {
  try {
    carryOutOn(path(one.at), one, path)
  } catch {
    // There is a folder in its place, for example.
  }
}

function carryOutOn(target: string, one: Deed, path: (name: string) => string): void {
  switch (one.do) {
    case "remove":
      rmSync(target, { recursive: true })
      return
    case "chmod":
      if (!lstatSync(target).isSymbolicLink()) chmodSync(target, one.mode)
      return
    case "mkdir":
      mkdirSync(target, { recursive: true })
      return
    case "link":
      symlinkSync(one.to, target)
      return
    case "move":
      renameSync(target, path(one.to))
      return
    case "write":
      mkdirSync(dirname(target), { recursive: true })
      // A link leads elsewhere: what is there is another path.
      if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() !== true)
        writeFileSync(target, one.text)
  }
}

describe.each([
  { git: false, watches: true },
  { git: false, watches: false },
  { git: true, watches: true },
  { git: true, watches: false },
])("git: $git, the kernel tells: $watches", ({ git, watches }) => {
  it("any steps, undone and redone in any order, lead to exactly the bytes, modes, links and folders of then", async () => {
    const steps = fc.array(fc.array(deed, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fc.nat(3), { maxLength: 4 }), async (plan, backs) => {
        const { path, open, state, cwd } = workspace(FILES, { git, watches })
        try {
          const { step, undo, redo, told } = open()
          const states = [state()]
          const seqs: number[] = []
          for (const deeds of plan) {
            seqs.push(await step(() => deeds.forEach((one) => carryOut(one, path))))
            states.push(state())
          }
          for (const back of backs) {
            const to = back % seqs.length
            const { jump, report } = await undo(seqs[to] ?? 0)
            expect(report).toMatchObject({ conflicts: [], lost: [] })
            expect(state()).toEqual(states[to])
            expect(await redo(jump)).toMatchObject({ conflicts: [], lost: [] })
            expect(state()).toEqual(states.at(-1))
          }
          expect(told).toEqual([])
        } finally {
          rmSync(cwd, { recursive: true, force: true })
        }
      }),
      { numRuns: git ? 20 : 40, seed: 20261119 },
    )
  })
})

it("asks the disk and not the clock: a file that is written twice in a moment, to the same size, is seen", async () => {
  const { put, open, path } = workspace({ "a.txt": "one\n" })
  const { step, undo } = open()
  const first = await step(() => put("a.txt", "two\n"))
  await step(() => put("a.txt", "six\n"))
  await undo(first)
  expect(readFileSync(path("a.txt"), "utf8")).toBe("one\n")
})

it("leaves what somebody else has changed since, and overwrites it only if told; a redo brings theirs back", async () => {
  const { put, open, path } = workspace({ "a.txt": "one\n", "b.txt": "one\n" })
  const { step, undo, redo } = open()
  const from = await step(() => {
    put("a.txt", "two\n")
    put("b.txt", "two\n")
  })
  put("a.txt", "theirs\n")
  const { report } = await undo(from)
  expect(report.conflicts).toEqual([{ path: "a.txt", why: "somebody else has changed it since" }])
  expect(readFileSync(path("a.txt"), "utf8")).toBe("theirs\n")
  expect(readFileSync(path("b.txt"), "utf8")).toBe("one\n")
  const { jump, report: forced } = await undo(from, true)
  expect(forced.restored).toEqual([{ path: "a.txt", is: "changed" }])
  expect(readFileSync(path("a.txt"), "utf8")).toBe("one\n")
  await redo(jump)
  expect(readFileSync(path("a.txt"), "utf8")).toBe("theirs\n")
})

it("does not take for the agent's what somebody changed between two steps", async () => {
  const { put, open, path } = workspace({ "a.txt": "one\n", "b.txt": "one\n" })
  const { step, undo } = open()
  const from = await step(() => put("a.txt", "two\n"))
  put("b.txt", "theirs\n")
  await step(() => put("a.txt", "three\n"))
  const { report } = await undo(from)
  expect(report.restored).toEqual([{ path: "a.txt", is: "changed" }])
  expect(readFileSync(path("b.txt"), "utf8")).toBe("theirs\n")
})

it("counts what works in the background as the step's in which it is noticed, also after the last one", async () => {
  const { put, open, path } = workspace({ "a.txt": "one\n" })
  const { step, undo, background } = open()
  const from = await step(() => {
    background.isAtWork = true
  })
  put("a.txt", "two\n")
  background.isAtWork = false
  const { report } = await undo(from)
  expect(report.restored).toEqual([{ path: "a.txt", is: "changed" }])
  expect(readFileSync(path("a.txt"), "utf8")).toBe("one\n")
})

it("looks at what git ignores only where a command names it", async () => {
  const { put, open, path } = workspace(
    { ".gitignore": "out/\n", "out/kept.txt": "one\n", "out/other.txt": "one\n" },
    { git: true },
  )
  const { step, undo } = open()
  const from = await step(() => {
    put("out/kept.txt", "two\n")
    put("out/other.txt", "two\n")
    put("out/new.txt", "new\n")
  }, ["out/kept.txt", "out/new.txt"])
  const { report } = await undo(from)
  expect(report.restored.map(({ path }) => path).sort()).toEqual(["out/kept.txt", "out/new.txt"])
  expect(readFileSync(path("out/kept.txt"), "utf8")).toBe("one\n")
  expect(readFileSync(path("out/other.txt"), "utf8")).toBe("two\n")
  expect(existsSync(path("out/new.txt"))).toBe(false)
})

it("leaves Sotto's own files alone, where they lie in the workspace", async () => {
  const { put, open, path } = workspace({ "own/sessions.db": "one\n", "own-notes.txt": "one\n" })
  const { step, undo } = open()
  const from = await step(() => {
    put("own/sessions.db", "two\n")
    put("own-notes.txt", "two\n")
  })
  const { report } = await undo(from)
  expect(report.restored).toEqual([{ path: "own-notes.txt", is: "changed" }])
  expect(readFileSync(path("own/sessions.db"), "utf8")).toBe("two\n")
})

it("does not take for new what git ignored until a step changed what it ignores", async () => {
  const { put, open, path } = workspace({ ".gitignore": "data/\n", "data/mine.txt": "mine\n" }, { git: true })
  const { step, undo } = open()
  const from = await step(() => put("a.txt", "a\n"))
  await step(() => put(".gitignore", ""))
  await step(() => put("data/new.txt", "new\n"))
  const { report } = await undo(from)
  expect(readFileSync(path("data/mine.txt"), "utf8")).toBe("mine\n")
  expect(readFileSync(path(".gitignore"), "utf8")).toBe("data/\n")
  expect(report.restored.map(({ path }) => path)).not.toContain("data/mine.txt")
})

it("brings back a folder that git ignores and a command removes", async () => {
  const { cwd, open, state } = workspace(
    { ".gitignore": "out/\n", "out/in/a.txt": "a\n", "out/b.txt": "b\n" },
    { git: true },
  )
  const { step, undo } = open()
  const before = state()
  const from = await step(() => rmSync(`${cwd}/out`, { recursive: true }), ["out"])
  await undo(from)
  expect(state()).toEqual(before)
})

it("says what cannot come back: too large, no room, and what lies beyond a link", async () => {
  const { put, open, cwd, root } = workspace(
    { "large.txt": "x".repeat(5_000), "in/a.txt": "one\n" },
    { sizes: { file: 1_000, total: 20_000 } },
  )
  const { step, undo } = open()
  const from = await step(() => {
    put("large.txt", "small")
    put("in/a.txt", "two\n")
  })
  renameSync(`${cwd}/in`, `${root}/elsewhere`)
  symlinkSync(`${root}/elsewhere`, `${cwd}/in`)
  const { report } = await undo(from, true)
  expect(report.restored).toEqual([])
  expect(report.lost.map(({ path, why }) => `${path}: ${why}`).sort()).toEqual([
    "in/a.txt: in is a link now, and is not followed",
    "large.txt: what was there before was too large to keep: 0 MB are kept of a file",
  ])
  expect(readFileSync(`${root}/elsewhere/a.txt`, "utf8")).toBe("two\n")
})

it("keeps no more than it may, and says what is gone", async () => {
  const { put, open } = workspace({}, { sizes: { file: 1_000, total: 3_000 } })
  const { step, undo } = open()
  const from = await step(() => {
    for (let n = 0; n < 8; n++) put(`${n}.txt`, `${n}`.repeat(900))
  })
  const second = await step(() => {
    for (let n = 0; n < 8; n++) put(`${n}.txt`, "")
  })
  const { report } = await undo(second)
  expect(report.restored).toHaveLength(3)
  expect(report.lost).toHaveLength(5)
  expect(report.lost[0]?.why).toContain("no room")
  expect(from).toBeDefined()
})

it("goes by what a session wrote down, also when it is opened again", async () => {
  const { put, open, path } = workspace({ "a.txt": "one\n" }, { git: true })
  const first = open()
  const from = await first.step(() => put("a.txt", "two\n"))
  first.tree.close()
  const { undo } = open(first.session)
  await undo(from)
  expect(readFileSync(path("a.txt"), "utf8")).toBe("one\n")
})
