import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { addedBy } from "../support/bodies.js"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const LOOK = { calls: [{ name: "glob", input: { pattern: "*" } }] }

it.concurrent("Ctrl+R shows what the model was told, dimmed, with kind, carrier and tokens", async () => {
  const server = await serverWith([{ text: "One." }, LOOK, { text: "Two." }, { text: "Three." }])
  const terminal = terminalWith(benchWith(), server, { rows: 50 })
  await terminal.see("say what to do")
  terminal.type(`Hello.${KEYS.enter}`)
  await terminal.see("One.")
  terminal.type(`${KEYS.tab}Plan.${KEYS.enter}`)
  const silent = await terminal.see("Two.")
  expect(silent).not.toContain("╎")

  const before = terminal.raw.length
  terminal.type(KEYS.ctrlR)
  const shown = await terminal.see(
    /╎ told \w+ · (tool-result|user-text|system-message) · \d+ tokens · step \d/,
  )
  // One frame takes the old rows away and draws the new ones, down to the line for input.
  const frames = terminal.raw.slice(before).split("\u001b[?2026l")
  expect(frames.find((frame) => frame.includes("plan_mode"))).toMatch(/Two\.[\s\S]*asides/)
  // Where it was told: after the words that it went up with, and before the answer.
  expect(shown).toMatch(/▌ Plan\.[\s\S]*╎ told plan_mode[\s\S]*✓ glob[\s\S]*Two\./)
  expect(shown.match(/▌ Plan\./g)).toHaveLength(1)
  expect(terminal.styleOf("╎ told plan_mode").dim).toBe(true)
  terminal.type(`${KEYS.tab}Build.${KEYS.enter}`)
  const inline = await terminal.see("Three.")
  const after = inline.slice(inline.indexOf("▌ Build."))
  expect(after).toMatch(/╎ told build_switch/)
  expect(after.indexOf("╎ told")).toBeLessThan(after.indexOf("Three."))
  terminal.type(KEYS.ctrlR)
  const hidden = await terminal.see("asides are hidden again")
  expect(hidden).not.toContain("╎")
  expect(hidden.match(/▌ Plan\./g)).toHaveLength(1)
})

it.concurrent("Ctrl+R leaves one copy of what has partly scrolled away, however often it is pressed", async () => {
  const numbers = Array.from({ length: 60 }, (_, i) => i + 1)
  const rowsOf = (some: readonly number[]) => some.map((i) => `- row ${i}.`).join("\n")
  const server = await serverWith([
    { text: rowsOf(numbers.slice(0, 40)) },
    { text: rowsOf(numbers.slice(40, 45)) },
    { text: rowsOf(numbers.slice(45)) },
  ])
  const terminal = terminalWith(benchWith(), server, { rows: 30 })
  const pressTwice = async () => {
    terminal.type(KEYS.ctrlR)
    await terminal.see("asides are shown")
    terminal.type(KEYS.ctrlR)
    await terminal.see("asides are hidden again")
  }
  const printed = () => terminal.all().match(/(?<=row )\d+(?=\.)/g)
  await terminal.see("say what to do")
  terminal.type(`Count.${KEYS.enter}`)
  await terminal.see("── 1 step")
  await pressTwice()
  expect(printed()).toEqual(numbers.slice(0, 40).map(String))
  // With an aside in sight what is shown becomes longer and shorter.
  terminal.type(`${KEYS.tab}Go on.${KEYS.enter}`)
  await terminal.see("row 45.")
  await terminal.see("say what to do")
  await pressTwice()
  await pressTwice()
  expect(printed()).toEqual(numbers.slice(0, 45).map(String))
  terminal.type(`And on.${KEYS.enter}`)
  await terminal.see("row 60.")
  await terminal.see("say what to do")
  expect(printed()).toEqual(numbers.map(String))
})

it.concurrent("/asides is the ledger: how often, how much, which share, and why a rule was silent", async () => {
  const server = await serverWith([{ text: "One." }, { text: "Two." }, { text: "Three." }])
  const bench = benchWith({
    ".sotto/reminders/often.md": "---\nevery: 1 steps\n---\nKeep it short.\n",
    "sotto.json": JSON.stringify({ reminders: { often: { throttle: { steps: 50 } } } }),
  })
  const terminal = terminalWith(bench, server, { columns: 110, rows: 40 })
  await terminal.see("say what to do")
  terminal.type(`${KEYS.tab}Plan.${KEYS.enter}`)
  await terminal.see("One.")
  terminal.type(`More.${KEYS.enter}`)
  await terminal.see("Two.")
  terminal.type(`/asides${KEYS.enter}`)
  const ledger = await terminal.see("Asides: what the model was told")
  expect(ledger).toMatch(/\d+ reminders?, \d+ tokens, [\d.]+% of the context/)
  expect(ledger).toMatch(/❯ plan_mode +1 +\d+ +[\d.]+% +throttled: in 4 turns/)
  expect(ledger).toMatch(/max_steps +nothing to say: returned nothing/)
  expect(ledger).toMatch(/often +1 +\d+ +[\d.]+% +throttled: in 49 steps/)
  expect(ledger).not.toContain("One.")
  terminal.type(KEYS.enter)
  await terminal.see(/turn 1, step 1 · (user-text|tool-result) · \d+ tokens/)
  terminal.type(KEYS.escape)
  await terminal.see(/❯ plan_mode/)
  terminal.type(KEYS.escape)
  const back = await terminal.see("One.")
  expect(back).toContain("▌ Plan.")
})

it.concurrent("switches a kind off for good, in the project's file, keeping its comments", async () => {
  const server = await serverWith([{ text: "One." }, { text: "Two." }])
  const config = `{
  // the model is chosen by each of us
  "maxSteps": 9, // enough
}
`
  const bench = benchWith({ "sotto.json": config })
  const terminal = terminalWith(bench, server, { columns: 110, rows: 40 })
  await terminal.see("say what to do")
  terminal.type(`${KEYS.tab}Plan.${KEYS.enter}`)
  await terminal.see("One.")
  terminal.type(`/asides${KEYS.enter}`)
  await terminal.see(/❯ plan_mode/)
  terminal.type("f")
  await terminal.see("p the project's sotto.json")
  terminal.type("p")
  await terminal.see("plan_mode is off for good")
  expect(readFileSync(bench.path("sotto.json"), "utf8")).toBe(`{
  // the model is chosen by each of us
  "maxSteps": 9, // enough
  "reminders": {
    "plan_mode": false
  }
}
`)
  terminal.type(KEYS.escape)
  await terminal.see("One.")
})

it.concurrent("switches a kind off for this session", async () => {
  const server = await serverWith([{ text: "One." }, { text: "Two." }, { text: "Three." }])
  const terminal = terminalWith(benchWith(), server, { columns: 110, rows: 40 })
  await terminal.see("say what to do")
  terminal.type(`Hello.${KEYS.enter}`)
  await terminal.see("One.")
  terminal.type(`${KEYS.tab}Plan.${KEYS.enter}`)
  await terminal.see("Two.")
  terminal.type(`/asides${KEYS.enter}`)
  await terminal.see("Asides: what")
  const kinds = terminal.screen().split("\n")
  const steps =
    kinds.findIndex((row) => row.includes("build_switch")) - kinds.findIndex((row) => row.includes("❯"))
  terminal.type(KEYS.down.repeat(steps))
  await terminal.see(/❯ build_switch/)
  terminal.type("s")
  await terminal.see("build_switch is off for this session")
  await terminal.see(/❯ build_switch .*switched off/)
  terminal.type(KEYS.escape)
  await terminal.see("Two.")
  terminal.type(`${KEYS.tab}Build.${KEYS.enter}`)
  await terminal.see("Three.")
  expect(addedBy(server, 2)).not.toMatch(/mode changed|switched/i)
})

it.concurrent("/rules lists every rule", async () => {
  const server = await serverWith([{ text: "One." }])
  const terminal = terminalWith(benchWith(), server, { columns: 120, rows: 80 })
  await terminal.see("say what to do")
  terminal.type(`/rules${KEYS.enter}`)
  const screen = await terminal.see(/todo_reminder +│ on/)
  expect(screen).toMatch(/plan_mode +│ on +│ \d+/)
})
