import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const CLEAR = "\u0015"
const SETTINGS = '{"permission":{"edit":"allow","bash":"allow"}}'

async function worked(command: string) {
  const server = await serverWith([
    { text: "Answer one." },
    { calls: [{ name: "bash", input: { command } }] },
    { text: "Written." },
  ])
  const bench = benchWith({ "sotto.json": SETTINGS, "a.txt": "one\n", "b.txt": "one\n" })
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`One.${KEYS.enter}`)
  await terminal.see("Answer one.")
  terminal.type(`Write it.${KEYS.enter}`)
  await terminal.see("Written.")
  return { terminal, bench, text: (name: string) => readFileSync(bench.path(name), "utf8") }
}

it.concurrent("/undo lists what a command did, asks, and brings it back; /redo goes forward again", async () => {
  const { terminal, bench, text } = await worked("echo two > a.txt; echo new > made.txt; rm b.txt")
  terminal.type(`/undo${KEYS.enter}`)
  const asked = await terminal.see("3 files as before")
  expect(asked).toContain("a.txt: comes back")
  expect(asked).toContain("b.txt: comes back, it was removed")
  expect(asked).toContain("made.txt: goes, it was not there")
  expect(text("a.txt")).toBe("two\n")
  terminal.type(KEYS.enter)
  const back = await terminal.see("made.txt is as it was")
  expect(back).toContain("Answer one.")
  expect(back).not.toContain("Written.")
  await terminal.see(/▌ Write it\.\n/)
  expect([text("a.txt"), text("b.txt"), existsSync(bench.path("made.txt"))]).toEqual([
    "one\n",
    "one\n",
    false,
  ])

  // The words of the message wait to be changed.
  terminal.type(CLEAR)
  terminal.type(`/redo${KEYS.enter}`)
  await terminal.see("3 files again")
  terminal.type(KEYS.enter)
  const forward = await terminal.see("made.txt is as it was before the undo")
  expect(forward).toContain("Written.")
  expect([text("a.txt"), existsSync(bench.path("b.txt")), text("made.txt")]).toEqual([
    "two\n",
    false,
    "new\n",
  ])
})

it.concurrent("/undo asks about what somebody else has changed since, and leaves or overwrites it", async () => {
  const { terminal, bench, text } = await worked("echo two > a.txt; echo two > b.txt")
  writeFileSync(bench.path("a.txt"), "theirs\n")
  terminal.type(`/undo${KEYS.enter}`)
  const asked = await terminal.see("1 file as before, 1 to ask about")
  expect(asked).toContain("a.txt: somebody else has changed it since")
  terminal.type(KEYS.enter)
  await terminal.see("Somebody else has changed a.txt since")
  terminal.type(KEYS.enter)
  await terminal.see("b.txt is as it was")
  expect([text("a.txt"), text("b.txt")]).toEqual(["theirs\n", "one\n"])
})

it.concurrent("/undo goes no further if it is left, and says so if there is nothing", async () => {
  const { terminal, text } = await worked("echo two > a.txt")
  terminal.type(`/undo${KEYS.enter}`)
  await terminal.see("1 file as before")
  terminal.type(KEYS.escape)
  await terminal.see((screen) => !screen.includes("1 file as before"))
  expect(terminal.all()).toContain("Written.")
  expect(text("a.txt")).toBe("two\n")
  terminal.type(`/redo${KEYS.enter}`)
  await terminal.see("There is no undo to take back")
})
