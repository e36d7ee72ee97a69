import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { benchWith, finished, serverWith, talk } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
const SUMMARY = "They spoke of <b>bees</b> and honey."

it.concurrent("/compact says what it did, and its summary is an aside like any other", async () => {
  const texts = ["Answer one. ".repeat(200), SUMMARY, "Answer two."]
  const server = await serverWith({ counting: "requests", steps: texts.map((text) => ({ text })) })
  const bench = benchWith()
  const terminal = terminalWith(bench, server, { columns: 100, rows: 30 })
  await terminal.see("say what to do")
  terminal.type(`Tell me.${KEYS.enter}`)
  await terminal.see("── 1 step")
  terminal.type(`/compact${KEYS.enter}`)
  const told = await terminal.see(
    /compacted \(as you asked\): about [\d,]+ → [\d,]+ tokens a request; the summary cost less than \$0\.01/,
  )
  expect(told).not.toContain("bees")
  terminal.type(KEYS.ctrlR)
  await terminal.see("╎ They spoke of <b>bees</b> and honey.")
  terminal.type(`Go on.${KEYS.enter}`)
  await terminal.see("Answer two.")
  // Told once on the screen, although it is also an aside of the step that begins with it.
  expect(terminal.screen().match(/bees/g)).toHaveLength(1)
  terminal.type(KEYS.ctrlD)
  await terminal.exited

  const id = /sotto --session (\S+)/.exec(terminal.all())?.[1] ?? ""
  const asides = await finished(bench, ["asides", id])
  expect(asides.out).toMatch(/turn 2, step 1: summary .*\n +The conversation up to here was compacted/)
  expect(asides.out).toContain("bees")
  const shown = await finished(bench, ["show", id])
  expect(shown.out).toMatch(
    /Answer one\..*\n +compacted \(as you asked\).*summary:\n +╎ They spoke of.*\n\n?› Go on\./,
  )

  const again = terminalWith(bench, server, { args: ["--session", id], columns: 100, rows: 30 })
  await again.see("compacted (as you asked)")
  again.type(`/transcript${KEYS.enter}`)
  await again.see("They spoke of <b>bees</b> and honey.")
})

it.concurrent("a program hears of a compaction: why, the sizes, what it cost, and the summary", async () => {
  const texts = ["Answer one. ".repeat(200), SUMMARY, "Answer two."]
  const server = await serverWith({ counting: "requests", steps: texts.map((text) => ({ text })) })
  const run = talk(benchWith(), server, "--model", "anthropic/claude-sonnet-4-5")
  run.say("Tell me.")
  await run.wait({ type: "turn-end" })
  run.send({ type: "compact" })
  const event = await run.wait({ type: "compacted" })
  expect(event).toMatchObject({ why: "asked", summary: SUMMARY, cost: expect.any(Number) })
  expect(event.after).toBeLessThan(Number(event.before))
  run.say("Go on.")
  await run.wait({ type: "turn-end" }, 2)
  await run.end()
  expect(run.all({ type: "reminder", kind: "summary" })).toHaveLength(1)
})

it.concurrent("“always” with a pattern that does not match is refused before anything is stored", async () => {
  const server = await serverWith([
    { calls: [{ name: "bash", input: { command: "touch a.txt" } }] },
    { text: "That is all." },
  ])
  const bench = benchWith()
  const terminal = terminalWith(bench, server, { columns: 100 })
  await terminal.see("say what to do")
  terminal.type(`Begin.${KEYS.enter}`)
  await terminal.see("↑↓ and Enter, or a number")
  terminal.type("3")
  await terminal.see("› touch a.txt")
  terminal.type(`${KEYS.backspace.repeat(11)}rm *`)
  await terminal.see("nothing: it does not match touch a.txt")
  terminal.type(KEYS.enter)
  await terminal.see("Nothing was stored: rm * does not match touch a.txt.")
  expect(readFileSync(join(bench.home, "sotto.json"), "utf8")).toBe('{"titles": false}')
  expect(existsSync(bench.path("a.txt"))).toBe(false)
  terminal.type(`${KEYS.backspace.repeat(4)}touch *${KEYS.enter}`)
  await terminal.see("That is all.")
  expect(readFileSync(join(bench.home, "sotto.json"), "utf8")).toContain("touch *")
  expect(existsSync(bench.path("a.txt"))).toBe(true)
})

it.concurrent("--plain refuses such a pattern too, and asks on", async () => {
  const server = await serverWith([
    { calls: [{ name: "bash", input: { command: "touch a.txt" } }] },
    { text: "That is all." },
  ])
  const bench = benchWith()
  const terminal = terminalWith(bench, server, {
    args: ["--plain", "--model", "anthropic/claude-sonnet-4-5"],
    columns: 100,
  })
  await terminal.see("Ctrl+C interrupts")
  terminal.type(`Begin.${KEYS.enter}`)
  await terminal.see("Answer: yes, session")
  terminal.type(`always rm *${KEYS.enter}`)
  await terminal.see("rm * does not match touch a.txt: nothing is allowed by it.")
  expect(existsSync(bench.path("a.txt"))).toBe(false)
  terminal.type(`always touch *${KEYS.enter}`)
  await terminal.see("That is all.")
  expect(existsSync(bench.path("a.txt"))).toBe(true)
})

it.concurrent("what a message brought along stands below it, also when the session is opened again", async () => {
  const server = await serverWith([{ text: "I see." }])
  const bench = benchWith({ "notes.md": "one\ntwo\nthree\nfour\n", "src/a.ts": "", "src/b.ts": "" })
  writeFileSync(bench.path("shot.png"), PNG)
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`See @notes.md:2-3 and @shot.png in @src/ please.${KEYS.enter}`)
  await terminal.see("I see.")
  const lines = [
    "▌ See @notes.md:2-3 and @shot.png in @src/ please.",
    "  ↳ with notes.md: lines 2 to 3",
    "  ↳ with shot.png: an image",
    "  ↳ with src/: 2 entries",
  ].join("\n")
  expect(terminal.all()).toContain(lines)
  terminal.type(KEYS.ctrlD)
  await terminal.exited
  const again = terminalWith(bench, server, { args: ["--continue"] })
  await again.see("I see.")
  expect(again.all()).toContain(lines)
})

it.concurrent("a model that the provider does not have is not offered again", async () => {
  const server = await serverWith([{ fail: [{ status: 404 }], text: "Hello." }])
  const bench = benchWith()
  const name = "anthropic/claude-nonesuch"
  const terminal = terminalWith(bench, server, { args: ["--model", name], columns: 120, rows: 40 })
  await terminal.see("say what to do")
  terminal.type(`/model${KEYS.enter}`)
  expect(await terminal.see("┃ Model")).toMatch(/claude-nonesuch +not in Sotto's list/)
  terminal.type(KEYS.escape)
  await terminal.see((screen) => !screen.includes("┃ Model"))
  terminal.type(`Hello?${KEYS.enter}`)
  await terminal.see("Check the")
  terminal.type(`/model${KEYS.enter}`)
  const list = await terminal.see("┃ Model")
  expect(list).not.toMatch(/┃.*claude-nonesuch/)
  terminal.type(KEYS.escape)
  await terminal.see((screen) => !screen.includes("┃ Model"))
  terminal.type(KEYS.ctrlD)
  await terminal.exited

  const next = terminalWith(bench, server, { columns: 120, rows: 40 })
  await next.see("say what to do")
  next.type(`/model${KEYS.enter}`)
  expect(await next.see("┃ Model")).not.toContain("claude-nonesuch")
})
