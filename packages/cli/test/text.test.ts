import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { rebaseText } from "../src/output/words.js"
import { benchWith, finished, reaching, serverWith, sotto, type Variables } from "./support/sotto.js"

const SCRIPT: readonly ScriptStep[] = [
  { text: "I look around.", calls: [{ name: "glob", input: { pattern: "*.txt" } }] },
  { text: "I read it.", calls: [{ name: "read", input: { path: "missing.txt" } }] },
  { text: "There is one file:\n\n- a.txt" },
]
const ESCAPE = "\u001b["

async function answer(args: readonly string[], env: Variables = {}) {
  const server = await serverWith(SCRIPT)
  const files = {
    "a.txt": "a\n",
    ".sotto/reminders/tea.md": "---\nevery: 1 step\n---\nTea is ready.\nTwice.\n",
  }
  const base = ["run", "What is here?", "--model", "anthropic/claude-sonnet-4-5", ...args]
  return finished(benchWith(files), base, { ...reaching(server.url), ...env })
}

describe.concurrent("--output text", () => {
  it("says what the agent does and what it was told on standard error, and its words on standard output", async () => {
    const { code, out, err } = await answer([])
    expect(code).toBe(0)
    expect(out + err).not.toContain(ESCAPE)
    expect(out).toBe("I look around.\nI read it.\nThere is one file:\n\n- a.txt\n")
    const lines = err.split("\n")
    expect(lines).toContain('  glob {"pattern":"*.txt"}')
    expect(lines).toContain("  → a.txt")
    expect(lines.some((line) => line.startsWith("  ✗ "))).toBe(true)
    const told = lines.filter((line) => line.startsWith("  ▸ told: "))
    expect(told.length).toBeGreaterThan(0)
    expect(told[0]).toContain("Tea is ready.")
    expect(lines).not.toContain("Twice.")
  })

  it("is only the answer with --quiet", async () => {
    const { code, out, err } = await answer(["--quiet"])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toBe("There is one file:\n\n- a.txt\n")
  })

  it("dims what is told where there are colours, and has none with NO_COLOR", async () => {
    const coloured = await answer([], { FORCE_COLOR: "1" })
    const told = coloured.err.split("\n").filter((line) => line.includes("▸ told: "))
    expect(told.length).toBeGreaterThan(0)
    for (const line of told) {
      expect(line.startsWith(`${ESCAPE}2m  ▸ told: `)).toBe(true)
      expect(line.endsWith(`${ESCAPE}0m`)).toBe(true)
    }
    expect(coloured.out).toContain("\nThere is one file:")
    for (const off of [{ NO_COLOR: "1" }, { TERM: "dumb" }])
      expect((await answer([], { FORCE_COLOR: "1", ...off })).err).not.toContain(ESCAPE)
  })

  it("takes the prompt from stdin", async () => {
    const server = await serverWith([{ text: "Read." }])
    const args = ["run", "--quiet", "--model", "anthropic/claude-sonnet-4-5"]
    const run = sotto(benchWith(), args, reaching(server.url))
    run.write("A prompt of\ntwo lines\n")
    expect(await run.end()).toMatchObject({ code: 0, out: "Read.\n" })
    expect(JSON.stringify(server.requests[0]?.body)).toContain("A prompt of\\ntwo lines")
  })
})

describe.concurrent("help", () => {
  const COMMANDS = [
    "run",
    "sessions",
    "show",
    "asides",
    "export",
    "import",
    "trust",
    "rules",
    "login",
    "doctor",
  ]

  it("lists every command", async () => {
    const { code, out } = await finished(benchWith(), ["--help"])
    expect(code).toBe(0)
    for (const command of COMMANDS) expect(out).toContain(`sotto ${command}`)
    expect((await finished(benchWith(), ["help"])).out).toBe(out)
    for (const line of out.split("\n")) expect(line.length).toBeLessThan(125)
  })

  it("has a page for each of them", async () => {
    const bench = benchWith()
    for (const command of COMMANDS) {
      const asked = [
        [command, "--help"],
        ["help", command],
      ]
      const [page, same] = await Promise.all(asked.map((args) => finished(bench, args)))
      expect(page).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^sotto ${command}`)) })
      expect(same).toEqual(page)
    }
  })

  it("tells the version", async () => {
    const { code, out } = await finished(benchWith(), ["--version"])
    expect(code).toBe(0)
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe("what is said of a rebase", () => {
  it.each(["rewind", "compaction", "snip", "economy"])(
    "%s: claims nothing of a conversation that changed",
    (reason) => {
      expect(rebaseText(reason)).not.toContain("nothing in the conversation is lost")
    },
  )

  it.each(["model", "agent", "constructor"])("%s: says that nothing is lost", (reason) => {
    expect(rebaseText(reason)).toBe(
      `the prompt cache starts over (${reason}); nothing in the conversation is lost`,
    )
  })
})

describe.concurrent("rules and doctor", () => {
  it("rules tells of every rule, the standard ones and one's own, on or off", async () => {
    const bench = benchWith({
      ".sotto/reminders/tea.md": "---\nevery: 3 steps\n---\nTea is ready.\n",
      "sotto.json": '{ "reminders": { "todo_reminder": false } }',
    })
    const { code, out } = await finished(bench, ["rules"])
    expect(code).toBe(0)
    expect(out).toMatch(/^plan_mode +on /m)
    expect(out).toMatch(/^todo_reminder +off /m)
    expect(out).toMatch(/^tea +on .*tea\.md/m)
    expect(out).not.toContain(ESCAPE)
  })

  it("doctor says what is in place, and fails with where where it is not", async () => {
    const good = await finished(benchWith(), ["doctor"])
    expect(good.code).toBe(0)
    for (const name of ["Node", "configuration", "store", "model", "ripgrep"])
      expect(good.out).toMatch(new RegExp(`^ok +${name} `, "m"))
    // A sandbox is a package of the system: without it there is a warning.
    expect(good.out).toMatch(/^(?:ok|warning) +sandbox /m)
    const bench = benchWith({ "sotto.json": '{\n  "maxSteps": "many"\n}\n' })
    const bad = await finished(bench, ["doctor"])
    expect(bad.code).toBe(1)
    expect(bad.out).toMatch(/^FAILED +configuration .*sotto\.json:2/m)
    expect(bad.out).toMatch(/^ok +store/m)
  })
})
