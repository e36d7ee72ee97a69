import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { bodiesOf, conversationOf } from "./support/bodies.js"
import { type Bench, benchWith, finished, reaching, serverWith, sotto } from "./support/sotto.js"
import { KEYS, openTerminal, terminalWith } from "./tui/support/terminal.js"

const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]
const COMMAND = fileURLToPath(new URL("../bin/sotto.js", import.meta.url))

/** A line of a shell in which `sotto` is the command. */
function shell(bench: Bench, url: string, line: string) {
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: bench.home, SOTTO_HOME: bench.home, SOTTO_TRUST: "1" },
    ...reaching(url),
  }
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const whole = `sotto() { '${process.execPath}' '${COMMAND}' "$@"; }\n${line}`
    execFile("/bin/bash", ["-c", whole], { cwd: bench.cwd, env }, (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err }),
    )
  })
}

describe.concurrent("the prompt of sotto run", () => {
  it("is the words and what is piped in, the words first", async () => {
    const server = await serverWith([{ text: "One." }, { text: "Two." }, { text: "Three." }])
    const bench = benchWith({ "a.diff": "+ new line\n" })
    const model = MODEL.join(" ")
    await shell(bench, server.url, `sotto run 'Review this.' ${model} < a.diff`)
    await shell(bench, server.url, `cat a.diff | sotto -p ${model} 'And this.'`)
    await shell(bench, server.url, `(sleep 1; cat a.diff) | sotto run 'At last.' - ${model}`)
    const asked = bodiesOf(server).map((body) => conversationOf(body))
    expect(asked[0]).toContain("Review this.\\n\\n+ new line")
    expect(asked[1]).toContain("And this.\\n\\n+ new line")
    expect(asked[2]).toContain("At last.\\n\\n+ new line")
  })

  it("is standard input alone where that is all there is, also as -", async () => {
    const server = await serverWith([{ text: "One." }, { text: "Two." }])
    const bench = benchWith()
    await shell(bench, server.url, `echo 'From the pipe.' | sotto run - ${MODEL.join(" ")}`)
    await shell(bench, server.url, `echo 'Again.' | sotto run ${MODEL.join(" ")}`)
    const asked = bodiesOf(server).map((body) => conversationOf(body))
    expect(asked[0]).toContain("From the pipe.")
    expect(asked[0]).not.toContain('"-"')
    expect(asked[1]).toContain("Again.")
  })

  it("does not wait for ever on a pipe that nobody writes to, and says so", async () => {
    const server = await serverWith([{ text: "One." }])
    const run = sotto(benchWith(), ["run", "Hello?", "--quiet", ...MODEL], reaching(server.url))
    const { code, out, err } = await run.ended
    expect({ code, out }).toEqual({ code: 0, out: "One.\n" })
    expect(err).toContain("nothing came on standard input for 1 s")
  })

  it("stays the words alone with commands on standard input", async () => {
    const server = await serverWith([{ text: "One." }])
    const args = ["run", "Hello?", "--input", "jsonl", "--output", "jsonl", ...MODEL]
    const { code } = await finished(benchWith(), args, reaching(server.url))
    expect(code).toBe(0)
    const both = await finished(benchWith(), ["run", "-", "--input", "jsonl"], reaching(server.url))
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining("--input jsonl reads commands") })
  })
})

describe.concurrent("what sotto run prints", () => {
  const steps = [
    { text: "Let me look.", calls: [{ name: "glob", input: { pattern: "*" } }] },
    { text: "There is **nothing**." },
  ]

  it("is the answer alone with --quiet", async () => {
    const server = await serverWith(steps)
    const { out } = await finished(benchWith(), ["run", "Look", "--quiet", ...MODEL], reaching(server.url))
    expect(out).toBe("There is **nothing**.\n")
  })

  it("is one object with --output json", async () => {
    const server = await serverWith(steps)
    const args = ["run", "Look", "--output", "json", ...MODEL]
    const { code, out } = await finished(benchWith(), args, reaching(server.url))
    expect(code).toBe(0)
    const said = JSON.parse(out)
    expect(said).toEqual({
      answer: "There is **nothing**.",
      reason: "done",
      cost: expect.any(Number),
      tokens: {
        input: expect.any(Number),
        output: expect.any(Number),
        cacheRead: expect.any(Number),
        cacheWrite: expect.any(Number),
      },
      duration: expect.any(Number),
      session: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(said.cost).toBeGreaterThan(0)
    expect(said.duration).toBeGreaterThan(0)
  })

  it("is one object also where the turn failed, with why", async () => {
    const server = await serverWith([{ text: "x", fail: [{ status: 400 }] }])
    const args = ["run", "Look", "--output", "json", ...MODEL]
    const { code, out, err } = await finished(benchWith(), args, reaching(server.url))
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      answer: "",
      reason: "error",
      error: expect.stringContaining("400"),
      cost: 0,
    })
    expect(err).toContain("400")
  })
})

describe.concurrent("without a key", () => {
  it("sotto run ends with 1, says what to set, and leaves no session", async () => {
    const bench = benchWith()
    const { code, out, err } = await finished(bench, ["run", "Hello?"])
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain("There is no key for any model. Run `sotto login`, set one of ANTHROPIC_API_KEY")
    expect(err).toContain("--model rehearsal")
    expect((await finished(bench, ["sessions"])).out).toBe("No sessions yet.\n")
  })

  it("the stand-in answers where it is asked for by name", async () => {
    const { code, out } = await finished(benchWith(), ["run", "Hello?", "-m", "rehearsal", "--quiet"])
    expect(code).toBe(0)
    expect(out).toContain("a stand-in, not an AI")
  })
})

describe.concurrent("a slip on the command line", () => {
  it.each([
    [["seesions"], 'There is no command "seesions". Did you mean `sotto sessions`?'],
    [
      ["run", "x", "--modle", "y"],
      "There is no option --modle. Did you mean --model? See `sotto run --help`.",
    ],
    [["--contineu"], "There is no option --contineu. Did you mean --continue? See `sotto --help`."],
    [["run", "x", "-m", "anthropc/claude-x"], "Did you mean anthropic/claude-x?"],
    [["run", "x", "-m", "cluade-opus-5-5"], "Did you mean anthropic/claude-opus-5-5?"],
    [["tour", "plan_mod"], "Did you mean plan_mode?"],
  ])("%j is answered with what was meant", async (args, meant) => {
    const { code, err } = await finished(benchWith(), args)
    expect(code).toBe(2)
    expect(err).toContain(meant)
  })

  it("in a model's name is answered when the provider does not know it", async () => {
    const server = await serverWith([{ text: "x", fail: [{ status: 404 }] }])
    const args = ["run", "Hi", "--model", "anthropic/claude-opus-55"]
    const { code, err } = await finished(benchWith(), args, reaching(server.url))
    expect(code).toBe(1)
    expect(err).toContain('"claude-opus-55": did you mean anthropic/claude-opus-5-5?')
  })
})

it.concurrent("the beginning of a session's id is enough, unless several begin so", async () => {
  const server = await serverWith({ counting: "requests", steps: [{ text: "One." }, { text: "Two." }] })
  const bench = benchWith()
  const run = (...args: readonly string[]) => finished(bench, args, reaching(server.url))
  const { session } = JSON.parse((await run("run", "First.", "--output", "json", ...MODEL)).out)
  const begun = session.slice(0, 8)
  expect((await run("run", "Second.", "--session", begun, "--quiet")).out).toBe("Two.\n")
  expect((await run("show", begun)).out).toContain("› Second.")
  expect((await run("asides", begun)).code).toBe(0)
  expect((await run("export", begun)).out).toContain(session)
  const unknown = await run("show", "zzz")
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining("There is no session zzz") })
  const sure = await run("sessions", "delete", session.slice(0, 3))
  expect(sure.code).toBe(1)
  expect((await run("sessions", "delete", begun)).out).toContain(`Deleted ${session}`)
})

describe.concurrent("sotto with words", () => {
  it("opens the terminal and says them, with short options too", async () => {
    const server = await serverWith([{ text: "Answer one." }, { text: "Answer two." }])
    const bench = benchWith()
    const first = terminalWith(bench, server, { args: ["-m", "claude-sonnet-4-5", "Fix the bug"] })
    await first.see("Answer one.")
    expect(first.screen()).toContain("▌ Fix the bug")
    first.type(KEYS.ctrlD)
    expect(await first.exited).toBe(0)
    const second = terminalWith(bench, server, { args: ["-c", "And the other one"] })
    await second.see("Answer two.")
    expect(second.screen()).toContain("▌ Fix the bug")
    expect(readdirSync(bench.cwd)).toEqual([])
  })

  it("says them in --plain as well", async () => {
    const server = await serverWith([{ text: "Answer one." }])
    const terminal = terminalWith(benchWith(), server, { args: ["--plain", ...MODEL, "Fix the bug"] })
    await terminal.see("Answer one.")
  })

  it("takes one word only where it cannot be a slip", async () => {
    const terminal = openTerminal(benchWith(), { args: ["fixit"], columns: 160 })
    expect(await terminal.exited).toBe(2)
    expect(terminal.all()).toContain("A word for the agent goes after --: sotto -- fixit")
  })
})
