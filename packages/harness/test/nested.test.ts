import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { removed } from "@sotto/core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Instructions } from "../src/sources/prompt/instructions.js"

let root: string
let cwd: string
let env: Record<string, string>

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-nested-")))
  cwd = join(root, "project")
  env = { HOME: join(root, "home"), SOTTO_HOME: join(root, "own") }
  mkdirSync(join(cwd, ".git"), { recursive: true })
})

afterEach(() => rmSync(root, { recursive: true }))

function put(path: string, content: string): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

const seen = (instructions: Instructions) =>
  Object.fromEntries(instructions.refresh().map(({ key, value }) => [key, value]))

describe("nested instructions", () => {
  it("are found in every folder down to a file that is touched, and only then", () => {
    put("project/a/AGENTS.md", "outer")
    put("project/a/b/CLAUDE.md", "inner")
    put("project/c/AGENTS.md", "elsewhere")
    const instructions = new Instructions({ cwd, env, trusted: true })
    expect(seen(instructions)).toEqual({})
    instructions.touch(join(cwd, "a/b/file.ts"))
    expect(seen(instructions)).toEqual({ "nested:a/AGENTS.md": "outer", "nested:a/b/CLAUDE.md": "inner" })
    instructions.touch(join(cwd, "a/other.ts"))
    expect(seen(instructions)).toEqual({})
  })

  it("are told apart in change and in loss, and come back", () => {
    const file = put("project/a/AGENTS.md", "one")
    const instructions = new Instructions({ cwd, env, trusted: true })
    instructions.touch(join(cwd, "a/file.ts"))
    instructions.refresh()
    writeFileSync(file, "two")
    expect(seen(instructions)).toEqual({ "nested:a/AGENTS.md": "two" })
    rmSync(file)
    expect(seen(instructions)).toEqual({ "nested:a/AGENTS.md": removed() })
    expect(seen(instructions)).toEqual({})
    writeFileSync(file, "three")
    expect(seen(instructions)).toEqual({ "nested:a/AGENTS.md": "three" })
  })

  it("of a restored session are watched without a touch", () => {
    put("project/a/AGENTS.md", "now")
    const told = ["nested:a/AGENTS.md", "nested:gone/AGENTS.md"]
    expect(seen(new Instructions({ cwd, env, trusted: true, told }))).toEqual({
      "nested:a/AGENTS.md": "now",
      "nested:gone/AGENTS.md": removed(),
    })
  })

  it("are not told again under another name, nor what the system prompt states", () => {
    put("project/AGENTS.md", "root")
    put("project/a/AGENTS.md", "a")
    symlinkSync("AGENTS.md", join(cwd, "a/CLAUDE.md"))
    mkdirSync(join(cwd, "b"))
    symlinkSync("../AGENTS.md", join(cwd, "b/AGENTS.md"))
    const instructions = new Instructions({ cwd, env, trusted: true })
    expect(seen(instructions)).toEqual({ "instructions:AGENTS.md": "root" })
    instructions.touch(join(cwd, "a/x.ts"))
    instructions.touch(join(cwd, "b/x.ts"))
    instructions.touch(join(cwd, "x.ts"))
    expect(seen(instructions)).toEqual({ "nested:a/AGENTS.md": "a" })
  })

  it("are found beside the workspace, in its repository, and nowhere else", () => {
    put("project/packages/one/x.ts", "")
    put("project/packages/two/AGENTS.md", "two")
    put("elsewhere/AGENTS.md", "not ours")
    put("project/node_modules/lib/AGENTS.md", "not ours either")
    const instructions = new Instructions({ cwd: join(cwd, "packages/one"), env, trusted: true })
    instructions.touch(join(cwd, "packages/two/x.ts"))
    instructions.touch(join(root, "elsewhere/x.ts"))
    instructions.touch(join(cwd, "node_modules/lib/x.ts"))
    expect(seen(instructions)).toEqual({ "nested:../two/AGENTS.md": "two" })
  })
})

describe("imports", () => {
  it("are instructions of their own, from file to file, without going in circles", () => {
    put("project/CLAUDE.md", "See @docs/style.md, and @./docs/tests.md.")
    put("project/docs/style.md", "Tabs.\n@more.md")
    put("project/docs/more.md", "More. @style.md @../CLAUDE.md")
    put("project/docs/tests.md", "Test.")
    expect(Object.keys(seen(new Instructions({ cwd, env, trusted: true }))).sort()).toEqual([
      "instructions:CLAUDE.md",
      "instructions:docs/more.md",
      "instructions:docs/style.md",
      "instructions:docs/tests.md",
    ])
  })

  it("end at the fifth", () => {
    put("project/AGENTS.md", "@1.md")
    for (let i = 1; i < 9; i++) put(`project/${i}.md`, `@${i + 1}.md`)
    expect(Object.keys(seen(new Instructions({ cwd, env, trusted: true })))).toHaveLength(6)
  })

  it("come from inside the project only, whatever a link says, and never from a file of secrets", () => {
    put("home/secret.md", "mine")
    put("project/.env", "KEY=1")
    put("project/ok.md", "fine")
    symlinkSync(join(root, "home/secret.md"), join(cwd, "link.md"))
    put("project/AGENTS.md", "@~/secret.md @../home/secret.md @link.md @.env @missing.md me@ok.md `@ok.md`")
    expect(Object.keys(seen(new Instructions({ cwd, env, trusted: true })))).toEqual([
      "instructions:AGENTS.md",
    ])
    put("own/AGENTS.md", "@~/secret.md")
    expect(seen(new Instructions({ cwd, env, trusted: true }))).toMatchObject({
      [`instructions:${join(root, "home/secret.md")}`]: "mine",
    })
  })

  it("of what is nested are nested, and a file told as nested stays so", () => {
    put("project/a/AGENTS.md", "@rules.md")
    put("project/a/rules.md", "Rules.")
    const instructions = new Instructions({ cwd, env, trusted: true })
    instructions.touch(join(cwd, "a/x.ts"))
    expect(Object.keys(seen(instructions))).toEqual(["nested:a/AGENTS.md", "nested:a/rules.md"])
    put("project/AGENTS.md", "@a/rules.md")
    expect(Object.keys(seen(instructions))).toEqual(["instructions:AGENTS.md"])
  })
})
