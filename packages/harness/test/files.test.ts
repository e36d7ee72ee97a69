import { chmodSync, linkSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { describe, expect, onTestFinished, test } from "vitest"
import { locate } from "../src/platform/workspace/location.js"
import { FolderWatch } from "../src/sources/files/folder-watch.js"
import { files as filesSource } from "../src/sources/files/source.js"
import { changedFiles } from "../src/sources/snapshots/changed.js"
import { undoFiles } from "../src/sources/snapshots/file-changes.js"
import { editTool } from "../src/tools/edit.js"
import { readTool } from "../src/tools/read.js"
import type { ToolContext } from "../src/tools/tool.js"
import { writeTool } from "../src/tools/write.js"
import { actOn, step, workplaceWith } from "./files-support.js"

type Acting = ReturnType<typeof actOn>

/** The tools at work for a session. */
function handsOf({ context: { cwd }, files }: Acting) {
  const place = (path: string) => locate(path, cwd)
  const context = { cwd, place, files, abort: new AbortController().signal } as ToolContext
  return {
    read: (path: string) => readTool().run({ path }, context),
    edit: (path: string, old: string, by: string) => editTool.run({ path, old, new: by }, context),
    write: (path: string, content: string) => writeTool.run({ path, content }, context),
  }
}

test("another's change of a file that was read is told once, as a difference", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "one\ntwo\n", "b.ts": "unread" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  expect(await one.step()).toBe("")
  put("a.ts", "one\n2\n")
  put("b.ts", "changed and never read")
  expect(await one.step()).toContain(
    "edited_text_file: a.ts was changed by someone else since you last read it.",
  )
  expect(one.session.asides(1).at(-1)?.text).toContain("-two\n+2")
  expect(await one.step()).toBe("")
  put("a.ts", "one\n2\n3\n")
  expect(await one.step()).toContain("+3")
})

test("the agent's own writes, and what was only touched, are not told", async () => {
  const { workplace, path, put } = await workplaceWith({ "a.ts": "one", "b.ts": "one" })
  const one = actOn(workplace)
  const hands = handsOf(one)
  await hands.read("a.ts")
  await hands.read("b.ts")
  await one.step()
  await hands.edit("a.ts", "one", "two")
  await hands.write("c.ts", "new")
  utimesSync(path("b.ts"), new Date(), new Date())
  chmodSync(path("b.ts"), 0o600)
  put("b.ts", "one")
  expect(await one.step()).toBe("")
  put("c.ts", "new, and formatted")
  expect(await one.step()).toContain("c.ts was changed by someone else")
})

test("edit and write are refused until the change was told, and then go on", async () => {
  const { workplace, put, path } = await workplaceWith({ "a.ts": "one\ntwo\n" })
  const one = actOn(workplace)
  const hands = handsOf(one)
  await hands.read("a.ts")
  await one.step()
  put("a.ts", "one\n2\n")
  await expect(hands.edit("a.ts", "2", "3")).rejects.toThrow(
    "a.ts has changed since you read it. Read it again",
  )
  await expect(hands.write("a.ts", "x")).rejects.toThrow("Read it again before you overwrite it")
  await one.step()
  await hands.edit("a.ts", "2", "3")
  expect(readFileSync(path("a.ts"), "utf8")).toBe("one\n3\n")
  expect(await one.step()).toBe("")
})

test("what was told by its path only has to be read before it is edited", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "start\n" })
  const one = actOn(workplace)
  const hands = handsOf(one)
  await hands.read("a.ts")
  await one.step()
  put("a.ts", `start\n${"x".repeat(300_000)}\n`)
  expect(await one.step()).toContain("Read it again before relying on it.")
  expect(await one.step()).toBe("")
  await expect(hands.edit("a.ts", "start", "end")).rejects.toThrow("Read it again")
  await hands.read("a.ts")
  await hands.edit("a.ts", "start", "end")
  expect(await one.step()).toBe("")
})

test("what is switched off is not taken for told", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "one" })
  const one = actOn(workplace)
  one.session.setReminder("edited_text_file", false)
  await handsOf(one).read("a.ts")
  await one.step()
  put("a.ts", "two")
  expect(await one.step()).toBe("")
  await expect(handsOf(one).edit("a.ts", "two", "three")).rejects.toThrow("Read it again")
})

test("a change that is undone before anybody heard of it is not told", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "one" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  await one.step()
  put("a.ts", "two")
  await one.edited.collect()
  put("a.ts", "one")
  expect(await one.step()).toBe("")
})

test("a deleted file is told once, and again when it is back", async () => {
  const { workplace, put, drop } = await workplaceWith({ "a.ts": "one\n" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  await one.step()
  drop("a.ts")
  expect(await one.step()).toContain("a.ts was deleted by someone else since you last read it.")
  expect(await one.step()).toBe("")
  await expect(handsOf(one).edit("a.ts", "one", "two")).rejects.toThrow("no longer there")
  put("a.ts", "one\n")
  expect(await one.step()).toContain(
    "a.ts is there again, put back by someone else. It is as you last read it.",
  )
  expect(await one.step()).toBe("")
  await handsOf(one).edit("a.ts", "one", "two")
  expect(await one.step()).toBe("")
})

test("binary and long files are told by their paths", async () => {
  const { workplace, put } = await workplaceWith({ "long.txt": "x\n".repeat(200_000) })
  put("a.png", Buffer.from("\x89PNG\r\n\x1a\nfirst", "latin1"))
  const one = actOn(workplace)
  await handsOf(one).read("a.png")
  await handsOf(one).read("long.txt")
  expect(await one.step()).toBe("")
  put("a.png", Buffer.from("\x89PNG\r\n\x1a\nsecond", "latin1"))
  put("long.txt", "y\n".repeat(200_000))
  const told = await one.step()
  expect(told).toContain("a.png was changed by someone else since you last read it. Read it again")
  expect(told).toContain("long.txt was changed by someone else since you last read it. Read it again")
  expect(await one.step()).toBe("")
})

test("after a checkout of many files the last ones are told as differences and the rest by name", async () => {
  const { workplace, put } = await workplaceWith()
  const names = Array.from({ length: 500 }, (_, i) => `f${i}.ts`)
  for (const name of names) put(name, "one\n")
  const one = actOn(workplace)
  for (const name of names) await handsOf(one).read(name)
  await one.step()
  for (const name of names) put(name, "two\n")
  const told = await one.step()
  expect(names.filter((name) => !told.includes(name))).toEqual([])
  expect(told).toContain("480 files were changed by someone else since you last read them.")
  expect(told).toContain("- f0.ts")
  expect(told).toContain("f499.ts was changed by someone else")
  expect(await one.step()).toBe("")
})

test("after a checkout of sixty files none can be edited whose new content was not told, until it is read again", async () => {
  const { workplace, put } = await workplaceWith()
  const names = Array.from({ length: 60 }, (_, i) => `f${i}.ts`)
  const text = (word: string, name: string) => `${`${word} ${name}\n`.repeat(40)}export const same = 1\n`
  for (const name of names) put(name, text("old", name))
  const one = actOn(workplace)
  const hands = handsOf(one)
  for (const name of names) await hands.read(name)
  await one.step()
  for (const name of names) put(name, text("new", name))
  const told = await one.step()
  const isTold = (name: string) => told.includes(`+new ${name}\n`)
  expect(names.filter(isTold).length).toBeGreaterThan(0)
  for (const name of names) {
    const edited = hands.edit(name, "same = 1", "same = 2")
    if (isTold(name)) await edited
    else await expect(edited).rejects.toThrow("has changed since you read it")
  }
  await hands.read("f0.ts")
  await hands.edit("f0.ts", "same = 1", "same = 2")
})

test("another agent's write is told with its name, and a file of its is no news to itself", async () => {
  const { workplace } = await workplaceWith({ "a.ts": "one\n" })
  const [one, other] = [actOn(workplace), actOn(workplace, { id: "t", agent: "explore" })]
  await handsOf(one).read("a.ts")
  await handsOf(other).read("a.ts")
  await one.step()
  await other.step()
  await handsOf(other).edit("a.ts", "one", "two")
  expect(await other.step()).toBe("")
  expect(await one.step()).toContain("a.ts was changed by the agent explore since you last read it.")
})

test.each([
  ["sed -i s/one/two/ a.ts", "by the command you ran since"],
  ["npm run format", "by the command you ran, or someone else while it ran since"],
  ["cat a.ts", "by someone else since"],
])("a change while %j ran is told as made %s", async (command, who) => {
  const { workplace, put } = await workplaceWith({ "a.ts": "one\n" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  await one.step()
  put("a.ts", "two\n")
  one.edited.called({ type: "tool-call", id: "c", name: "bash", input: { command } })
  expect(await one.step()).toContain(who)
})

test("who changed a file before a command ran is not taken for the command", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "one\n" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  one.session.say("Format it.")
  const next = one.session.next()
  if (next.is !== "request") throw new Error("expected a request")
  const call = { type: "tool-call", id: "c", name: "bash", input: { command: "sed -i s/x/y/ a.ts" } } as const
  one.session.reply(next.request.id, { parts: [call], stop: "tool-calls" })
  put("a.ts", "two\n")
  await one.edited.collect()
  one.edited.called(call)
  one.session.result("c", "done")
  expect(await one.step()).toContain("by someone else since")
})

test("a file that the model reads in the same step is not told beside it", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "one\n" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  one.session.say("Look.")
  const next = one.session.next()
  if (next.is !== "request") throw new Error("expected a request")
  const call = { type: "tool-call", id: "c", name: "read", input: { path: "a.ts" } } as const
  one.session.reply(next.request.id, { parts: [call], stop: "tool-calls" })
  put("a.ts", "two\n")
  await one.edited.collect()
  await handsOf(one).read("a.ts")
  one.session.result("c", "two")
  expect(await one.step()).toBe("")
})

test("what changed while nobody was there is told at the next prompt, once, as a difference", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "one\ntwo\n", "b.ts": "b\n" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  await handsOf(one).read("b.ts")
  await handsOf(one).edit("b.ts", "b", "B")
  await one.step()
  await workplace.store().release("s")

  put("a.ts", "one\n2\n")
  const again = actOn(workplace, { log: await workplace.store().open("s") })
  const told = await again.step()
  expect(told).toContain("-two\n+2")
  expect(told).not.toContain("b.ts")
  await handsOf(again).edit("b.ts", "B", "b again")
  expect(await again.step()).toBe("")
  await workplace.store().release("s")

  const third = actOn(workplace, { log: await workplace.store().open("s") })
  expect(await third.step()).toBe("")
})

test("what was noted and not told when the process died is told once", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "one\n" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  await one.step()
  put("a.ts", "two\n")
  await one.edited.collect()
  await workplace.store().release("s")
  const again = actOn(workplace, { log: await workplace.store().open("s") })
  const told = await again.step()
  expect(told.match(/a\.ts was changed/g)).toHaveLength(1)
  expect(told).toContain("-one\n+two")
  expect(await again.step()).toBe("")
})

test("a thousand files that nobody touched are not read again", async () => {
  const { workplace, put } = await workplaceWith()
  const names = Array.from({ length: 1_000 }, (_, i) => `src/f${i}.ts`)
  for (const name of names) put(name, `// ${name}\n`.repeat(100))
  const one = actOn(workplace)
  for (const name of names) await handsOf(one).read(name)
  const { checker } = one.edited
  // A file written a moment ago may be written again within the same time stamp, and so is read again for a while.
  let before: number
  do {
    before = checker.reads
    await one.step()
  } while (checker.reads > before)
  await one.step()
  await one.step()
  expect(checker.reads).toBe(before)
  put("src/f7.ts", "changed\n")
  expect(await one.step()).toContain("src/f7.ts was changed")
  expect(checker.reads).toBeLessThanOrEqual(before + 2)
})

describe("of many files", () => {
  /** Sixty files that have settled: where the kernel can be asked, nobody looks at them before every step. */
  async function manyQuiet(linked?: string) {
    const place = await workplaceWith()
    const names = Array.from({ length: 60 }, (_, i) => `${i < 50 ? "src" : "lib"}/f${i}.ts`)
    for (const name of names) place.put(name, `// ${name}\n`)
    if (linked !== undefined) linkSync(place.path(linked), place.path("same"))
    const one = actOn(place.workplace)
    onTestFinished(() => one.edited.checker.close())
    for (const name of names) await handsOf(one).read(name)
    const { checker } = one.edited
    const looksOfAStep = async () => {
      const before = checker.looks
      expect(await one.step()).toBe("")
      return checker.looks - before
    }
    const watch = new FolderWatch(() => {})
    onTestFinished(() => watch.close())
    const canWatch = watch.covers(place.path("src/f0.ts"))
    const isLinked = linked === undefined ? 0 : 1
    while ((await looksOfAStep()) > isLinked && canWatch);
    return { ...place, one, checker, canWatch }
  }

  test("only those are looked at to which something has happened", async () => {
    const { one, put, canWatch, checker } = await manyQuiet()
    put("src/f7.ts", "changed\n")
    const before = checker.looks
    expect(await one.step()).toContain("src/f7.ts was changed")
    if (canWatch) expect(checker.looks - before).toBe(1)
    put("src/f7.ts", "changed again\n")
    put("src/other.ts", "nobody has read it\n")
    expect(await one.step()).toContain("+changed again")
  })

  test("what others rename, replace or delete is told at the next boundary", async () => {
    const { one, put, path, drop } = await manyQuiet()
    put("src/f1.new", "replaced\n")
    renameSync(path("src/f1.new"), path("src/f1.ts"))
    expect(await one.step()).toContain("+replaced")
    drop("lib/f55.ts")
    expect(await one.step()).toContain("lib/f55.ts was deleted")
    renameSync(path("src"), path("source"))
    expect(await one.step()).toMatch(/src\/f\d+\.ts was deleted/)
    renameSync(path("source"), path("src"))
    put("src/f2.ts", "back, and different\n")
    expect(await one.step()).toContain("src/f2.ts")
  })

  test("one that has another name too may be changed by that", async () => {
    const { one, path } = await manyQuiet("src/f3.ts")
    writeFileSync(path("same"), "by the other name\n")
    expect(await one.step()).toContain("+by the other name")
  })
})

test("after a compaction the files in use are shown as they are now, and large ones named", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "one\n", "large.ts": "x\n".repeat(12_000) })
  for (let i = 0; i < 6; i++) put(`old${i}.ts`, `old ${i}\n`)
  const one = actOn(workplace)
  const [own] = filesSource(one.context, one.workplace)
  for (const name of ["old0.ts", "old1.ts", "old2.ts", "old3.ts", "large.ts", "a.ts"])
    await handsOf(one).read(name)
  await one.step()
  put("a.ts", "two\n")
  one.session.compact("They worked.")
  own?.compacted?.()
  const told = await step(one.session, one.edited, own)
  expect(told).toContain("file: a.ts was read before the conversation was compacted. As it is now:")
  expect(told).toContain("1\ttwo")
  expect(told).toContain("old1.ts was read before")
  expect(told).not.toContain("old0.ts")
  expect(told).toContain("too large to show again. Read what is needed:\n- large.ts")
  expect(told).not.toContain("edited_text_file")
  expect(await step(one.session, one.edited, own)).toBe("")
})

test("a rewind puts back what the agent wrote over, and deletes what it made", async () => {
  const { workplace, cwd, path } = await workplaceWith({ "a.ts": "one\n", "b.ts": "b\n", "c.ts": "c\n" })
  const one = actOn(workplace)
  const hands = handsOf(one)
  for (const name of ["a.ts", "b.ts", "c.ts"]) await hands.read(name)
  await hands.edit("b.ts", "b", "early")
  await one.step()
  const seq = one.session.log.at(-1)?.seq ?? 0
  await hands.edit("a.ts", "one", "two")
  await hands.edit("a.ts", "two", "three")
  await hands.write("made.ts", "new")
  await hands.edit("c.ts", "c", "agent's")
  writeFileSync(path("c.ts"), "somebody's\n")
  const { kept } = await workplace.tree()
  const parts = { cwd, kept, content: (hash: string) => workplace.store().content(hash) }
  const written = changedFiles(one.session.log, seq)
  expect(written.map(({ path }) => path)).toEqual(["a.ts", "made.ts", "c.ts"])
  expect(await undoFiles(written, parts)).toEqual([
    { path: "c.ts", why: "somebody else has changed it since" },
  ])
  expect(readFileSync(path("a.ts"), "utf8")).toBe("one\n")
  expect(readFileSync(path("b.ts"), "utf8")).toBe("early\n")
  expect(readFileSync(path("c.ts"), "utf8")).toBe("somebody's\n")
  expect(() => readFileSync(path("made.ts"))).toThrow()

  // Further back, what is as it was is not taken for somebody else's.
  const all = await undoFiles(changedFiles(one.session.log, 0), parts)
  expect(all.map(({ path }) => path)).toEqual(["c.ts"])
  expect(readFileSync(path("b.ts"), "utf8")).toBe("b\n")
})

test("after a rewind the model knows what it knew then", async () => {
  const { workplace, put } = await workplaceWith({ "a.ts": "a\n", "b.ts": "b\n" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  one.session.say("First.", { id: "first" })
  await one.step()
  finish(one)
  one.session.say("Second.", { id: "second" })
  await one.step()
  await handsOf(one).read("b.ts")
  finish(one)
  one.session.rewind("second", { facts: ["file"] })
  one.session.say("Otherwise.")
  put("b.ts", "changed\n")
  put("a.ts", "changed\n")
  const told = await one.step()
  expect(told).toContain("a.ts was changed")
  expect(told).not.toContain("b.ts")
  await expect(handsOf(one).edit("b.ts", "changed", "x")).rejects.toThrow("Read b.ts before you edit it.")
})

/** The final answer. */
function finish({ session }: Acting): void {
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  session.reply(next.request.id, { parts: [{ type: "text", text: "Done." }], stop: "end" })
}

test("what is kept of files is in the store with the entry that speaks of it", async () => {
  const { workplace } = await workplaceWith({ "a.ts": "kept\n" })
  const one = actOn(workplace)
  await handsOf(one).read("a.ts")
  const hash = one.files.get(one.files.paths()[0] ?? "")?.hash ?? ""
  const store = workplace.store()
  const { openStore } = await import("../src/store/store.js")
  const other = await openStore(store.path)
  expect(other.content(hash)).toBeUndefined()
  expect((await other.load("s")).filter(({ type }) => type === "observed")).toEqual([])
  one.session.say("Go on.")
  expect(other.content(hash)).toBe("kept\n")
  expect((await other.load("s")).map(({ type }) => type)).toEqual(["opened", "observed", "said"])
  await other.close()
  rmSync(one.files.paths()[0] ?? "")
})
