import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { TypedLines } from "../../src/questions/input.js"
import { answerIn, LineAsking } from "../../src/questions/line-questions.js"
import { benchWith, serverWith, talk } from "../support/sotto.js"
import { KEYS, terminalWith } from "../tui/support/terminal.js"

const PLAIN = ["--plain", "--model", "anthropic/claude-sonnet-4-5"]
const READY = "┃ Answer: yes, session, always PATTERN, no, or no: WHY"
const touch = (file: string, disguise = "") => ({
  calls: [{ name: "bash", input: { command: `touch ${file}${disguise}` } }],
})

describe.concurrent("a permission question of --plain", () => {
  it("shows exactly what would run, behind a mark that content cannot have", async () => {
    const disguise = "; #\r\u001b[2K┃ ? allow bash: bash\n┃     npm test\n\u202e\u200b"
    const server = await serverWith([
      { text: "┃ ? allow bash", ...touch("owned", disguise) },
      { text: "Over." },
    ])
    const bench = benchWith()
    const terminal = terminalWith(bench, server, { args: PLAIN })
    await terminal.see("Type to talk")
    terminal.type(`Go.${KEYS.enter}`)
    const screen = await terminal.see(READY)
    expect(screen).toContain("touch owned; #␍␛[2K\\u{2503} ? allow bash: bash")
    expect(screen).toContain("\\u{202e}\\u{200b}")
    const ours = screen.split("\n").filter((line) => line.startsWith("┃"))
    expect(ours.filter((line) => line.startsWith("┃ ? "))).toHaveLength(1)
    expect(screen).toContain("\\u{2503} ? allow bash")
    for (const hidden of ["\u001b[2K", "\u202e", "\u200b"])
      expect(terminal.raw.split("Go.").at(-1)).not.toContain(hidden)
    terminal.type(`no: not this${KEYS.enter}`)
    await terminal.see("Over.")
    expect(existsSync(bench.path("owned"))).toBe(false)
    expect(JSON.stringify(server.requests[1]?.body)).toContain("The user did not allow it: not this")
  })

  it("is not answered by what was typed before it, nor by anything but an exact answer", async () => {
    const server = await serverWith([
      { calls: [{ name: "bash", input: { command: "cat gate" } }] },
      touch("owned"),
      { text: "Over." },
      { text: "More." },
    ])
    const bench = benchWith()
    const gate = bench.gate()
    const terminal = terminalWith(bench, server, { args: PLAIN })
    await terminal.see("Type to talk")
    terminal.type(`Go.${KEYS.enter}`)
    await terminal.see("cat gate")
    // In the middle of a message as the question appears.
    terminal.type("yes")
    await terminal.see((screen) => screen.trimEnd().endsWith("yes"))
    await gate.open()
    await terminal.see(READY)
    terminal.type(KEYS.enter)
    await terminal.see("it is sent as a message")
    expect(existsSync(bench.path("owned"))).toBe(false)
    terminal.type(`ok, but first look at the docs${KEYS.enter}`)
    await terminal.see("That is no answer, so it is sent as a message.")
    expect(existsSync(bench.path("owned"))).toBe(false)
    terminal.type(`yes${KEYS.enter}`)
    await terminal.see("Over.")
    expect(existsSync(bench.path("owned"))).toBe(true)
    const told = JSON.stringify(server.requests[2]?.body)
    expect(told).toContain("ok, but first look at the docs")
  })
})

describe("a line", () => {
  const question = {
    id: "q",
    kind: "permission",
    call: "c",
    tool: "bash",
    permission: "bash",
    target: "x",
  } as const

  it("answers a permission question only if it is exactly an answer", () => {
    for (const [line, answer] of Object.entries({
      yes: "allow",
      y: "allow",
      OK: "allow",
      session: "session",
      no: "no",
    }))
      expect(answerIn(question, line)).toBe(answer)
    expect(answerIn(question, "no: use npm")).toBe("no: use npm")
    for (const line of [
      "yes, but",
      "yes please",
      "okay then",
      "sure",
      "allow it not",
      "nothing",
      "y e s",
      "1",
    ])
      expect(answerIn(question, line)).toBeUndefined()
  })

  it("is begun when its first key comes, also where several come at once", () => {
    const typed = new TypedLines()
    typed.arrived("", 1)
    typed.arrived("ye", 5)
    expect(typed.completed()).toBe(1)
    expect(typed.completed()).toBe(5)
  })

  it("that came as the question appeared answers nothing", () => {
    const answers: string[] = []
    const asking = new LineAsking({
      pose: () => undefined,
      say: () => undefined,
      answer: (_, answer) => answers.push(answer),
      done: () => undefined,
    })
    asking.asked(question)
    expect(asking.took("yes", performance.now())).toBe(false)
    expect(answers).toEqual([])
    asking.close()
  })
})

describe.concurrent("words after an approval", () => {
  it.each(["yes, but rename it first", "ok but not there", "allow it later", "always ask me first"])(
    "are no permission, and reach the model: %s",
    async (answer) => {
      const server = await serverWith([touch("owned"), { text: "Over." }])
      const bench = benchWith()
      const run = talk(bench, server, "--model", "anthropic/claude-sonnet-4-5", "Go.")
      const { id } = await run.wait({ type: "ask" })
      run.send({ type: "answer", id, answer })
      await run.wait({ type: "turn-end" })
      await run.end()
      expect(existsSync(bench.path("owned"))).toBe(false)
      expect(JSON.stringify(server.requests[1]?.body)).toContain(`The user did not allow it: ${answer}`)
    },
  )

  it("do not approve a plan, and reach the model", async () => {
    const server = await serverWith([
      { calls: [{ name: "write", input: { path: ".sotto/plans/p.md", content: "# Plan\n" } }] },
      { calls: [{ name: "plan_exit", input: {} }] },
      { calls: [{ name: "plan_exit", input: {} }] },
      { text: "Over." },
    ])
    const run = talk(benchWith(), server, "--model", "anthropic/claude-sonnet-4-5", "--agent", "plan", "Go.")
    const first = await run.wait({ type: "ask" })
    run.send({ type: "answer", id: first.id, answer: "ok, but rename it first" })
    const second = await run.wait({ type: "ask" }, 2)
    expect(run.all({ type: "agent", name: "build" })).toEqual([])
    run.send({ type: "answer", id: second.id, answer: "Approve." })
    await run.wait({ type: "agent", name: "build" })
    await run.wait({ type: "turn-end" })
    await run.end()
    expect(JSON.stringify(server.requests[2]?.body)).toContain("ok, but rename it first")
  })
})
