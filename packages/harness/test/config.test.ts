import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { configFolder } from "../src/platform/workspace/folders.js"
import { projectFolders } from "../src/platform/workspace/project.js"
import { ConfigError } from "../src/settings/config/error.js"
import { configSchema } from "../src/settings/config/fields.js"
import { parseJsonc } from "../src/settings/config/jsonc.js"
import { anything } from "../src/settings/config/shape.js"
import { loadConfig } from "../src/settings/load.js"
import { describeRules, settingsFor } from "../src/sources/reminders/describe.js"
import { loadRules } from "../src/sources/reminders/load.js"
import { sottoRules } from "../src/sources/reminders/standard.js"

let root: string
let cwd: string
let env: Record<string, string>

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-config-")))
  cwd = join(root, "home", "project", "packages", "a")
  env = { HOME: join(root, "home") }
  mkdirSync(cwd, { recursive: true })
  mkdirSync(join(root, "home", "project", ".git"))
})

afterEach(() => rmSync(root, { recursive: true }))

function put(path: string, content: string): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

async function problem(): Promise<ConfigError> {
  const error = await loadConfig({ cwd, env, trusted: true }).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${error}`)
  return error
}

const GLOBAL = "home/.config/sotto/sotto.json"
const PROJECT = "home/project/sotto.json"

describe("where configuration is looked for", () => {
  it("takes SOTTO_HOME, then XDG_CONFIG_HOME, then ~/.config", () => {
    expect(configFolder({ SOTTO_HOME: "/s", XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/s")
    expect(configFolder({ XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/x/sotto")
    expect(configFolder({ XDG_CONFIG_HOME: "relative", HOME: "/h" })).toBe("/h/.config/sotto")
  })

  it("goes up to the git root, or home, and outside both stays where it is", () => {
    expect(projectFolders({ cwd, env }).map((folder) => folder.slice(root.length))).toEqual([
      "/home/project",
      "/home/project/packages",
      "/home/project/packages/a",
    ])
    const loose = join(root, "home", "loose")
    expect(projectFolders({ cwd: loose, env })).toEqual([join(root, "home"), loose])
    const elsewhere = join(root, "elsewhere", "deep")
    expect(projectFolders({ cwd: elsewhere, env })).toEqual([elsewhere])
  })
})

describe("loadConfig", () => {
  it("is empty where nothing is configured", async () => {
    expect(await loadConfig({ cwd, env, trusted: true })).toEqual({
      agents: {},
      permission: [],
      reminders: {},
      budget: {},
      instructions: [],
      models: {},
      mcp: {},
      lsp: {},
      hooks: {},
      compaction: {},
      limits: {},
      proxy: {},
      workspaces: {},
      files: [],
    })
  })

  it("reads comments and trailing commas, merges, and lets the project have the last word", async () => {
    const own = put(
      GLOBAL,
      `{
        // mine
        "model": "anthropic/claude-opus-5",
        "permission": { "edit": "allow", "bash": { "*": "ask", "1": "deny", "git *": "allow" } },
        "agents": { "build": { "steps": 20, "permission": { "task": "deny" } } },
        "reminders": { "todo_reminder": { "priority": 5, "text": "x" }, "token_usage": {} },
        "budget": { "perStep": 1000 },
        "instructions": ["~/notes.md", "own.md"],
        "models": { "openai-chat/local": { "contextWindow": 32000, "capabilities": { "images": false } } },
      }`,
    )
    const project = put(
      PROJECT,
      `{
        "$schema": "x", /* theirs */ "model": "openai/gpt-6",
        "permission": [{ "permission": "edit", "pattern": "docs/*", "action": "deny" }],
        "agents": { "build": { "temperature": 0.5, "permission": { "snip": "ask" } } },
        "reminders": { "todo_reminder": { "priority": 7 }, "token_usage": false },
        "budget": { "share": 0.1 },
        "instructions": ["docs/*.md"],
        "models": { "openai-chat/local": { "capabilities": { "prefill": true }, "price": { "input": 1 } } }
      }`,
    )
    const config = await loadConfig({ cwd, env, trusted: true })
    expect(config.model).toBe("openai/gpt-6")
    expect(config.permission).toEqual([
      { permission: "edit", pattern: "*", action: "allow" },
      { permission: "bash", pattern: "*", action: "ask" },
      { permission: "bash", pattern: "1", action: "deny" },
      { permission: "bash", pattern: "git *", action: "allow" },
      { permission: "edit", pattern: "docs/*", action: "deny" },
    ])
    expect(config.agents.build).toEqual({
      steps: 20,
      temperature: 0.5,
      permission: [
        { permission: "task", pattern: "*", action: "deny" },
        { permission: "snip", pattern: "*", action: "ask" },
      ],
    })
    expect(config.reminders).toEqual({ todo_reminder: { priority: 7, text: "x" }, token_usage: false })
    expect(config.budget).toEqual({ perStep: 1000, share: 0.1 })
    expect(config.instructions).toEqual([
      join(root, "home/notes.md"),
      join(root, "home/.config/sotto/own.md"),
      join(root, "home/project/docs/*.md"),
    ])
    expect(config.models["openai-chat/local"]).toEqual({
      contextWindow: 32000,
      capabilities: { images: false, prefill: true },
      price: { input: 1 },
    })
    expect(config.files).toEqual([own, project])
  })

  it("takes the nearest file of the project only", async () => {
    put(PROJECT, `{"model": "far/one", "maxSteps": 3}`)
    put("home/project/packages/sotto.json", `{"model": "near/one"}`)
    const config = await loadConfig({ cwd, env, trusted: true })
    expect(config.model).toBe("near/one")
    expect(config.maxSteps).toBeUndefined()
  })
})

describe("a bad configuration is an error with file, line, field and remedy", () => {
  it.each([
    ["an unknown field", `{\n"modle": "x"\n}`, 2, "modle", /Use: .*model/],
    ["another spelling", `{\n\n"max_steps": 1}`, 3, "max_steps", /maxSteps/],
    ["a wrong type", `{\n"snip":\n"yes"}`, 3, "snip", /true or false/],
    [
      "a number out of range",
      `{"agents": {"a": {\n"steps": 0}}}`,
      2,
      "agents.a.steps",
      /whole number from 1/,
    ],
    ["a fraction", `{"maxSteps": 1.5}`, 1, "maxSteps", /whole number/],
    ["an unknown word", `{\n"system": "fresh"}`, 2, "system", /"pinned", "recompute"/],
    ["a bad action", `{"permission": {"bash":\n{"git *": "yes"}}}`, 2, "permission.bash.git *", /"allow"/],
    ["a rule without action", `{"permission": [\n{"permission": "edit"}]}`, 2, "permission.0.action", /Add/],
    ["a permission of another type", `{"permission": "allow"}`, 1, "permission", /list of rules/],
    [
      "a reminder that is neither on nor off",
      `{"reminders": {"file": "on"}}`,
      1,
      "reminders.file",
      /true or false/,
    ],
    ["a list for a text", `{"instructions": [\n"a",\n["b"]]}`, 3, "instructions.1", /text/],
    ["a prototype's name", `{"toString": 1}`, 1, "toString", /Use:/],
    ["no object", `[]`, 1, "", /object/],
    ["a missing comma", `{\n"snip": true\n"nonce": true}`, 3, "", /comma/],
    ["an open string", `{\n"model": "x\n}`, 2, "", /Close/],
    ["a name given twice", `{"snip": true,\n"snip": true}`, 2, "", /Keep one/],
    ["an open comment", `{}\n/* `, 2, "", /\*\//],
    ["nothing", ``, 1, "", /Write/],
    ["single quotes", `{'a': 1}`, 1, "", /double quotes/],
    ["too much", `{}\n{}`, 2, "", /one value/],
    ["endless nesting", "[".repeat(100_000), 1, "", /levels/],
  ])("%s", async (_, text, line, field, remedy) => {
    const file = put(PROJECT, text)
    const error = await problem()
    expect(error).toMatchObject({ file, line, field })
    expect(error.message).toContain(`${file}:${line}: `)
    expect(error.remedy).toMatch(remedy)
  })
})

describe("the reader", () => {
  it("reads all that JSON can write as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (text, pretty) => {
        const value: unknown = JSON.parse(text)
        const read = anything.read(parseJsonc(pretty ? JSON.stringify(value, null, 2) : text, "f"), {
          file: "f",
          field: "",
        })
        expect(JSON.stringify(read)).toBe(JSON.stringify(value))
      }),
    )
  })
})

describe("settings of reminders", () => {
  it.each(["", "  ", "\\n\\t"])("refuse a blank text, by file, line and field: %j", async (text) => {
    put(PROJECT, `{\n  "reminders": {\n    "auto_mode": { "text": "${text}" }\n  }\n}`)
    const { message } = await problem()
    expect(message).toContain("sotto.json:3")
    expect(message).toContain("reminders.auto_mode.text")
    expect(message).toContain("not blank")
  })

  it("of a kind that has no rule here stay out of the session, and are listed as such", async () => {
    put(PROJECT, '{ "reminders": { "todo_remindr": false, "todo_reminder": false } }')
    const place = { cwd, env, trusted: true }
    const rows = await describeRules(place)
    expect(rows.find(({ kind }) => kind === "todo_reminder")).toMatchObject({ on: false, source: "standard" })
    expect(rows.find(({ kind }) => kind === "todo_remindr")?.source).toContain("no rule here")
    const { reminders } = await loadConfig(place)
    expect(Object.keys(settingsFor(sottoRules(), reminders))).toEqual(["todo_reminder"])
  })
})

describe("sotto.schema.json", () => {
  it("is what the reader's own table says", () => {
    // To bring it up to date: write configSchema() into it, and format it.
    const file = join(import.meta.dirname, "..", "sotto.schema.json")
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(configSchema())))
  })

  it("is published with the package", () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8"))
    expect(manifest.files).toContain("sotto.schema.json")
  })
})

describe("loadRules", () => {
  it("reads the user's and the project's reminders, the nearer of two with one kind", async () => {
    put("home/.config/sotto/reminders/tests.md", "---\nevery: 5 steps\n---\nmine")
    put("home/.config/sotto/reminders/other.md", "---\nevery: 5 steps\n---\nother")
    const near = put("home/project/.sotto/reminders/tests.md", "---\non: file.edited\n---\nRun the tests.")
    const rules = await loadRules({ cwd, env, trusted: true })
    expect(rules.map(({ kind }) => kind)).toEqual(["other", "tests"])
    expect(rules.find(({ kind }) => kind === "tests")).toMatchObject({ source: near, trust: "untrusted" })
    expect(rules.find(({ kind }) => kind === "other")).toMatchObject({ trust: "user" })
  })

  it("names file and line of a bad one", async () => {
    const file = put("home/project/.sotto/reminders/bad.md", "---\non: x\nevrey: 5\n---\ntext")
    await expect(loadRules({ cwd, env, trusted: true })).rejects.toThrow(`${file}:3: `)
  })
})
