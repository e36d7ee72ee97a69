import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { childEnvironment } from "../src/execution/programs/environment.js"
import { decideTrust, openProjectRuntime, printable, readAnswers, trustFile, trustNow } from "../src/index.js"
import { loadConfig } from "../src/settings/load.js"

let root: string
let cwd: string
let env: Record<string, string>

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-question-")))
  cwd = join(root, "repository")
  env = { HOME: join(root, "home"), SOTTO_HOME: join(root, "own") }
  mkdirSync(join(cwd, ".git"), { recursive: true })
})

afterEach(() => rmSync(root, { recursive: true }))

function put(path: string, content: unknown): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  return file
}

const HOOK = { hooks: { stop: [{ command: "make check" }] } }
const decided = (folder = cwd) => decideTrust({ cwd: folder, env })
const trusting = (folder = cwd) => trustNow({ cwd: folder, env })
const details = async () => (await decided()).leftOut.map(({ detail }) => detail)

describe("what the user is shown", () => {
  it("has every field of a hook", async () => {
    const hook = {
      command: "npm test",
      match: "bash",
      env: { PATH: "./bin" },
      async: true,
      timeout: 9,
      name: "n",
    }
    put("repository/sotto.json", { hooks: { stop: [hook] } })
    expect(await details()).toEqual([
      'runs npm test (for bash); env {"PATH":"./bin"}; async true; timeout 9; name "n"',
    ])
  })

  it("has all of an agent's front matter, however long its prompt is", async () => {
    const rules = Array.from({ length: 50 }, (_, i) => `    "command-${i} *": allow`).join("\n")
    const prompt = `${"Be kind. ".repeat(200)}the end`
    put(
      "repository/.sotto/agents/mine.md",
      `---\ndescription: "${"d".repeat(400)}"\npermission:\n  bash:\n${rules}\n  "*": allow\n---\n${prompt}`,
    )
    const [shown = ""] = await details()
    expect(shown).toMatch(/^mine: description "d{400}"; /)
    expect(shown).toContain("; allow bash command-49 *; allow * *; Be kind.")
    expect(shown).toContain(`… (${prompt.length} characters)`)
    expect(shown).not.toContain("the end")
  })

  it("has all of a reminder's and a style's front matter", async () => {
    const text = "Words. ".repeat(100)
    put("repository/.sotto/reminders/tea.md", `---\nkind: tea\nevery: 1 steps\nagents: build\n---\n${text}`)
    put("repository/.sotto/styles/s.md", `---\nname: default\ndescription: ${"x".repeat(400)}\n---\n${text}`)
    const [reminder, style] = await details()
    expect(reminder).toMatch(/^tea: kind: tea; every: 1 steps; agents: build; Words\./)
    expect(style).toMatch(/^s: name "default"; description "x{400}"; Words\./)
  })

  it("has long front matter whole, without a parser that it could keep busy", async () => {
    const rules = Array.from({ length: 2_000 }, (_, i) => `    "c${i} *": allow`).join("\n")
    put(
      "repository/.sotto/agents/mine.md",
      `---\npermission:\n  bash:\n${rules}\n ---\n  edit: allow\n---\nHi.`,
    )
    const [shown = ""] = await details()
    expect(shown).toContain('"c1999 *": allow;  ---;   edit: allow; Hi.')
  })

  it("has nothing of a file outside the folder, not even where it is wrong", async () => {
    const secret = put("home/secret", "---\nsecret words\n---\n")
    mkdirSync(join(cwd, ".sotto/reminders"), { recursive: true })
    symlinkSync(secret, join(cwd, ".sotto/reminders/x.md"))
    symlinkSync(secret, join(cwd, "sotto.json"))
    const trust = await decided()
    expect(trust.leftOut).toMatchObject([{ detail: `x: a link to ${secret}` }])
    expect(trust.notices).toEqual([expect.stringContaining(`${join(cwd, "sotto.json")} is left out: `)])
    expect(JSON.stringify(trust)).not.toContain("secret words")
  })

  it.each([
    "\ufe01",
    "\u034f",
    "\u{e0101}",
    "\u{e0041}",
    "\u115f",
    "\u17b4",
    "\uffff",
    "\u{f0000}",
    "\u00ad",
  ])("spells out %j", (character) => {
    const code = character.codePointAt(0)?.toString(16)
    expect(printable(`a${character}b`)).toBe(`a\\u{${code}}b`)
  })
})

describe("what has changed", () => {
  const RULES = { "git *": "allow", "make *": "allow", "rm *": "deny", "git push*": "ask" }
  const changes = async (bash: object) => {
    put("repository/sotto.json", { permission: { bash: RULES } })
    await trusting()
    put("repository/sotto.json", { permission: { bash } })
    return (await decided()).changes?.map(({ is, item, before }) => [is, item.detail, before?.detail])
  }

  it("names the rule that is new, and none that stayed", async () => {
    expect(await changes({ ...RULES, "npm *": "allow" })).toEqual([["new", "allow bash npm *", undefined]])
  })

  it("names the rule that took another's place, and none that stayed", async () => {
    const { "make *": _, ...rest } = RULES
    expect(await changes({ "npm *": "allow", ...rest })).toEqual([
      ["changed", "allow bash npm *", "allow bash make *"],
    ])
  })

  it("says which rule that denies or asks came or went", async () => {
    const { "rm *": _, ...rest } = RULES
    expect(await changes({ ...rest, "make x": "ask" })).toEqual([
      ["rules", "a rule that denies was removed: deny bash rm *", undefined],
      ["rules", "a rule that asks was added: ask bash make x", undefined],
    ])
  })

  it("says that the order changed", async () => {
    const { "git push*": first, ...rest } = RULES
    expect(await changes({ "git push*": first, ...rest })).toEqual([
      ["rules", "the order of the rules changed", undefined],
    ])
  })

  it("says that a text changed beyond what is shown", async () => {
    put("repository/.sotto/agents/a.md", `${"x".repeat(400)}1`)
    await trusting()
    put("repository/.sotto/agents/a.md", `${"x".repeat(400)}2`)
    expect((await decided()).changes).toMatchObject([
      { is: "rules", item: { detail: "the part of its text that is not shown changed" } },
    ])
  })
})

describe("sotto trust add", () => {
  const kept = () =>
    readAnswers(env)
      .get(cwd)
      ?.items.map(({ where }) => where)

  it("keeps what the folder brings along now, and nothing that is gone", async () => {
    put("repository/sotto.json", { ...HOOK, auto: true })
    const mcp = put("repository/.mcp.json", { mcpServers: { a: { command: "x" } } })
    await trusting()
    rmSync(mcp)
    put("repository/sotto.json", HOOK)
    await trusting()
    expect(kept()).toEqual(["sotto.json: hooks.stop.0"])
    put("repository/.mcp.json", { mcpServers: { a: { command: "x" } } })
    expect((await decided()).trusted).toBe(false)
  })

  it("keeps what other directories of the folder bring, for as long as they say the same", async () => {
    put("repository/sotto.json", HOOK)
    put("repository/a/sotto.json", { auto: true })
    put("repository/b/.sotto/agents/x.md", "X.")
    for (const folder of [cwd, join(cwd, "a"), join(cwd, "b"), cwd]) await trusting(folder)
    expect(kept()?.toSorted()).toEqual([
      "a/sotto.json: auto",
      "b/.sotto/agents/x.md",
      "sotto.json: hooks.stop.0",
    ])
    put("repository/a/sotto.json", { auto: false, maxSteps: 3 })
    rmSync(join(cwd, "b"), { recursive: true })
    await trusting()
    expect(kept()).toEqual(["sotto.json: hooks.stop.0"])
  })

  it("refuses a folder with a file that cannot be used", async () => {
    put("repository/sotto.json", '{"maxSteps": "many"}')
    await expect(trusting()).rejects.toThrow("maxSteps")
    expect(kept()).toBeUndefined()
  })
})

describe("a damaged trust.json", () => {
  it.each([
    ["is cut off", '{"folders": {'],
    ["is no object", "[]"],
    ["has half an answer", '{"folders": {"/x": {"at": 1}}}'],
    ["has half an item", '{"folders": {"/x": {"at": 1, "items": [{"what": "hook"}]}}}'],
  ])("that %s trusts nothing, is told of, and is kept aside", async (_, text) => {
    put("repository/sotto.json", HOOK)
    await trusting()
    writeFileSync(trustFile(env), text)
    expect(await decided()).toMatchObject({
      trusted: false,
      notices: [expect.stringContaining(`${trustFile(env)} cannot be used: `)],
    })
    expect(readFileSync(trustFile(env), "utf8")).toBe(text)
    await trusting()
    const aside = readdirSync(env.SOTTO_HOME ?? "").filter((name) => name.startsWith("trust.json.damaged-"))
    expect(aside).toHaveLength(1)
    expect(readFileSync(join(env.SOTTO_HOME ?? "", aside[0] ?? ""), "utf8")).toBe(text)
    expect(await decided()).toMatchObject({ trusted: true, notices: [] })
  })
})

describe("a mistake in a folder's file", () => {
  const FILES: readonly [string, string][] = [
    ["sotto.json", '{\n"maxSteps": "many"}'],
    [".mcp.json", '{"mcpServers": {\n  "s": {"command": 7}}}'],
    [".sotto/agents/a.md", "---\nsteps: many\n---\nx"],
    [".sotto/reminders/r.md", "no front matter"],
    [".sotto/styles/s.md", "---\nname: x\n---\n"],
  ]

  it.each(FILES)(
    "in %s leaves that file out with a notice while the folder is not trusted",
    async (name, text) => {
      const path = put(`repository/${name}`, text)
      const workplace = await openProjectRuntime({ cwd, env })
      await workplace.close()
      expect(workplace.notices).toEqual([expect.stringContaining(`${path} is left out: line `)])
      expect(workplace.notices[0]?.includes("tighten permissions do not count")).toBe(name === "sotto.json")
    },
  )

  it.each(FILES)("in %s stays an error once the folder is trusted", async (name, text) => {
    put(`repository/${name}`, text)
    await expect(openProjectRuntime({ cwd, env, trust: true })).rejects.toThrow(name)
  })

  it("leaves the rules of the sotto.json above it in force", async () => {
    put("repository/sotto.json", { permission: { bash: "deny" } })
    put("repository/a/sotto.json", "{")
    const config = await loadConfig({ cwd: join(cwd, "a"), env })
    expect(config.tightening?.permission).toEqual([{ permission: "bash", pattern: "*", action: "deny" }])
  })

  it("in the user's own file stays an error", async () => {
    put("own/sotto.json", "{")
    await expect(openProjectRuntime({ cwd, env })).rejects.toThrow("sotto.json:1")
  })
})

it("hands SOTTO_TRUST on to no child", () => {
  const given = { SOTTO_TRUST: "1", sotto_trust: "1", A: "1" }
  expect(childEnvironment(given, { pass: ["SOTTO_TRUST"] })).toEqual({ A: "1" })
})
