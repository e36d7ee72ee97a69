import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { bodiesOf, conversationOf } from "../support/bodies.js"
import { type Bench, benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const FILES = {
  "sotto.json": '{"permission":{"bash":"allow","edit":"allow","task":"allow"}}',
  "a.txt": "one\ntwo\nthree\n",
  "b.txt": "left\n",
}

const STEPS = [
  { calls: ["a.txt", "b.txt"].map((path) => ({ name: "read", input: { path } })) },
  {
    calls: [
      { name: "edit", input: { path: "a.txt", old: "two", new: "2" } },
      { name: "edit", input: { path: "b.txt", old: "left", new: "right" } },
      { name: "write", input: { path: "new.txt", content: "fresh\n" } },
    ],
  },
  { text: "All changed." },
  { text: "I see." },
]

async function changed() {
  const server = await serverWith(STEPS)
  const bench = benchWith(FILES)
  const terminal = terminalWith(bench, server, { columns: 100 })
  await terminal.see("say what to do")
  terminal.type(`Change them.${KEYS.enter}`)
  await terminal.see("── 3 steps")
  return { server, bench, terminal }
}

const read = (bench: Bench, name: string) => readFileSync(bench.path(name), "utf8")

it.concurrent("/diff lists every file that the session changed, and undoes one by one", async () => {
  const { server, bench, terminal } = await changed()
  terminal.type(`/diff${KEYS.enter}`)
  const list = await terminal.see("Changes: files that this session changed")
  expect(list).toMatch(/❯ ± a\.txt {2}\+1 −1/)
  expect(list).toMatch(/± b\.txt {2}\+1 −1/)
  expect(list).toMatch(/± new\.txt {2}new, \+1 −0/)
  terminal.type(KEYS.enter)
  const diff = await terminal.see("from before this session to now")
  expect(diff).toMatch(/- two\n/)
  expect(diff).toMatch(/\+ 2\n/)
  terminal.type(KEYS.escape)
  await terminal.see("Changes:")
  terminal.type("u")
  await terminal.see("Undo this? y puts it back as it was")
  expect(read(bench, "a.txt")).toBe("one\n2\nthree\n")
  terminal.type("y")
  await terminal.see("a.txt is as it was before.")
  await terminal.see(/a\.txt {2}it is as it was before/)
  expect(read(bench, "a.txt")).toBe("one\ntwo\nthree\n")
  expect(read(bench, "b.txt")).toBe("right\n")
  terminal.type(`${KEYS.down}${KEYS.down}uy`)
  await terminal.see("new.txt is as it was before.")
  expect(existsSync(bench.path("new.txt"))).toBe(false)
  // The model does not go on believing in what is no longer there.
  terminal.type(KEYS.escape)
  await terminal.see("say what to do")
  terminal.type(`Look again.${KEYS.enter}`)
  await terminal.see("I see.")
  expect(conversationOf(bodiesOf(server).at(-1))).toMatch(/a\.txt[\s\S]*two/)
})

it.concurrent("/diff refuses to undo what somebody else has changed since, and says so", async () => {
  const { bench, terminal } = await changed()
  writeFileSync(bench.path("a.txt"), "one\n2\nthree\nand mine\n")
  terminal.type(`/diff${KEYS.enter}`)
  await terminal.see(/❯ ! a\.txt {2}\+2 −1, somebody else has changed it too/)
  terminal.type("uy")
  await terminal.see("a.txt was left as it is: somebody else has changed it since.")
  expect(read(bench, "a.txt")).toBe("one\n2\nthree\nand mine\n")
})

it.concurrent("/diff holds what subagents wrote, too", async () => {
  const server = await serverWith({
    counting: "requests",
    steps: [
      { calls: [{ name: "task", input: { agent: "general", prompt: "Write it." } }] },
      { calls: [{ name: "write", input: { path: "theirs.txt", content: "by a subagent\n" } }] },
      { text: "It is written." },
      { text: "They wrote it." },
    ],
  })
  const terminal = terminalWith(benchWith(FILES), server, { columns: 100 })
  await terminal.see("say what to do")
  terminal.type(`Have it written.${KEYS.enter}`)
  await terminal.see("They wrote it.")
  terminal.type(`/diff${KEYS.enter}`)
  await terminal.see(/❯ ± theirs\.txt {2}new, \+1 −0/)
})
