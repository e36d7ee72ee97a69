import { existsSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { bodiesOf, conversationOf } from "../support/bodies.js"
import { benchWith, finished, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const BY_REQUESTS = (...texts: readonly string[]) => ({
  counting: "requests" as const,
  steps: texts.map((text) => ({ text })),
})

it.concurrent("/clear begins anew, and /resume comes back to what was said", async () => {
  const server = await serverWith(BY_REQUESTS("Answer one.", "Answer two.", "Answer three."))
  const terminal = terminalWith(benchWith(), server)
  await terminal.see("say what to do")
  terminal.type(`First session.${KEYS.enter}`)
  await terminal.see("Answer one.")
  terminal.type(`/clear${KEYS.enter}`)
  await terminal.see((text) => !text.includes("First session.") && text.includes("say what to do"))
  terminal.type(`Second session.${KEYS.enter}`)
  await terminal.see("Answer two.")
  expect(conversationOf(bodiesOf(server)[1])).not.toContain("First session.")

  terminal.type(`/resume${KEYS.enter}`)
  await terminal.see(/❯ First session\./)
  terminal.type(KEYS.enter)
  const resumed = await terminal.see("Answer one.")
  expect(resumed).toContain("▌ First session.")
  expect(resumed).not.toContain("Second session.")
  terminal.type(`Go on.${KEYS.enter}`)
  await terminal.see("Answer three.")
  expect(conversationOf(bodiesOf(server)[2])).toContain("First session.")
})

it.concurrent("says words that are typed while a session opens in that session", async () => {
  const server = await serverWith(BY_REQUESTS("Answer one.", "Answer two.", "Answer three."))
  const terminal = terminalWith(benchWith(), server)
  await terminal.see("say what to do")
  terminal.type(`First session.${KEYS.enter}`)
  await terminal.see("Answer one.")
  terminal.type(`/clear${KEYS.enter}Second session.${KEYS.enter}`)
  await terminal.see("Answer two.")
  expect(conversationOf(bodiesOf(server)[1])).not.toContain("First session.")

  terminal.type(`/resume${KEYS.enter}`)
  await terminal.see(/❯ First session\./)
  terminal.type(`${KEYS.enter}Go on.${KEYS.enter}`)
  await terminal.see("Answer three.")
  const resumed = conversationOf(bodiesOf(server)[2])
  expect(resumed).toContain("First session.")
  expect(resumed).not.toContain("Second session.")
})

it.concurrent("Esc Esc goes back to before a message, with its words to be changed", async () => {
  const server = await serverWith([
    { text: "Answer one." },
    { calls: [{ name: "write", input: { path: "made.txt", content: "x\n" } }] },
    { text: "Written." },
  ])
  const bench = benchWith({ "sotto.json": '{"permission":{"edit":"allow"}}' })
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`One.${KEYS.enter}`)
  await terminal.see("Answer one.")
  terminal.type(`Write it.${KEYS.enter}`)
  await terminal.see("Written.")
  expect(existsSync(bench.path("made.txt"))).toBe(true)
  terminal.type(KEYS.escape)
  terminal.type(KEYS.escape)
  await terminal.see(/┃ ❯ Write it\./)
  terminal.type(KEYS.enter)
  await terminal.see("in the conversation and in the files")
  terminal.type(KEYS.down + KEYS.enter)
  const back = await terminal.see("made.txt is as it was")
  expect(back).toContain("Answer one.")
  expect(back).not.toContain("Written.")
  await terminal.see(/▌ Write it\.\n/)
  expect(existsSync(bench.path("made.txt"))).toBe(false)
})

it.concurrent("one goes back to what opened a turn, not to what was said in the middle of it", async () => {
  const server = await serverWith([
    { calls: [{ name: "bash", input: { command: "cat gate" } }] },
    { text: "Both are done." },
  ])
  const bench = benchWith({ "sotto.json": '{"permission":{"bash":"allow"}}' })
  const gate = bench.gate()
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`Do the first.${KEYS.enter}`)
  await terminal.see("$ cat gate")
  terminal.type(`And the second.${KEYS.enter}`)
  await terminal.see("And the second.")
  await gate.open()
  await terminal.see("Both are done.")
  terminal.type(`/rewind${KEYS.enter}`)
  const offered = await terminal.see(/┃ ❯ Do the first\./)
  expect(offered).not.toMatch(/┃ +And the second\./)
})

it.concurrent("/compact goes on from a summary", async () => {
  const server = await serverWith(BY_REQUESTS("Answer one.", "The summary of it all.", "Answer two."))
  const terminal = terminalWith(benchWith(), server)
  await terminal.see("say what to do")
  terminal.type(`Tell me.${KEYS.enter}`)
  await terminal.see("Answer one.")
  terminal.type(`/compact the names${KEYS.enter}`)
  await terminal.see("the conversation is being summarised")
  terminal.type(`Go on.${KEYS.enter}`)
  await terminal.see("Answer two.")
  expect(terminal.all()).toContain("the prompt cache starts over (compaction)")
  expect(conversationOf(bodiesOf(server)[1])).toContain("the names")
  expect(conversationOf(bodiesOf(server)[2])).toContain("The summary of it all.")
})

it.concurrent("/export writes the conversation, and /style tells how to write", async () => {
  const server = await serverWith([{ text: "Answer one." }, { text: "Answer two." }])
  const bench = benchWith()
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`Tell me.${KEYS.enter}`)
  await terminal.see("Answer one.")
  terminal.type(`/export talk.md${KEYS.enter}`)
  await terminal.see("written to")
  expect(readFileSync(bench.path("talk.md"), "utf8")).toBe("## Tell me.\n\nAnswer one.\n")
  terminal.type(`/export talk.md${KEYS.enter}`)
  await terminal.see("EEXIST")
  terminal.type(`/style concise${KEYS.enter}`)
  await terminal.see("style: concise")
  terminal.type(`More.${KEYS.enter}`)
  await terminal.see("Answer two.")
  expect(conversationOf(bodiesOf(server)[1])).toContain("concise")
})

it.concurrent("sotto --session goes on where the terminal was left, and shows what was said", async () => {
  const server = await serverWith([
    { text: "Some `code`:\n\n```ts\nconst a = 1\n```", calls: [{ name: "glob", input: { pattern: "*" } }] },
    { text: "Answer one." },
    { text: "Answer two." },
  ])
  const bench = benchWith({ "a.txt": "" })
  const first = terminalWith(bench, server)
  await first.see("say what to do")
  first.type(`Tell me.${KEYS.enter}`)
  await first.see("Answer one.")
  first.type(KEYS.ctrlD)
  expect(await first.exited).toBe(0)
  const id = /sotto --session (\S+)/.exec(first.screen())?.[1] ?? ""
  expect((await finished(bench, ["show", id])).out).toContain("Tell me.")

  const second = terminalWith(bench, server, { args: ["--session", id] })
  const screen = await second.see("Answer one.")
  expect(screen).toContain("▌ Tell me.")
  expect(screen).toContain("✓ glob *  1 file")
  expect(second.styleOf("const a").colour).toBe(5)
  second.type(`More.${KEYS.enter}`)
  await second.see("Answer two.")
})
