import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createSession, dynamic, removed, unavailable } from "@sotto/core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { builtInAgents } from "../src/settings/agents/builtin.js"
import { observeEnvironment } from "../src/sources/prompt/environment.js"
import { Instructions } from "../src/sources/prompt/instructions.js"
import { loadSkills } from "../src/sources/skills/shelf.js"
import { readSkill, skillsFact } from "../src/sources/skills/skills.js"
import type { Observation } from "../src/sources/source.js"

let root: string
let cwd: string
let env: Record<string, string>

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-prompt-")))
  cwd = join(root, "project", "inner")
  env = { HOME: join(root, "home"), SOTTO_HOME: join(root, "own") }
  mkdirSync(cwd, { recursive: true })
  mkdirSync(join(root, "project", ".git"))
})

afterEach(() => rmSync(root, { recursive: true }))

function put(path: string, content: string): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

function byKey(observations: readonly Observation[]): Record<string, unknown> {
  return Object.fromEntries(observations.map(({ key, value }) => [key, value]))
}

describe("the environment", () => {
  const now = () => new Date(2026, 10, 15, 23, 59).getTime()
  const observe = (folder = cwd) => byKey(observeEnvironment({ cwd: folder, now }))

  it("says where and when", () => {
    put("project/.git/HEAD", "ref: refs/heads/fix/parser\n")
    expect(observe()).toEqual({
      "environment:directory": cwd,
      "environment:platform": `${process.platform} (${process.arch})`,
      "environment:git": "branch fix/parser",
      date: "2026-11-15",
    })
  })

  it("knows a detached head, a worktree, a stub of the reftable format, and no repository", () => {
    put("project/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n")
    expect(observe()["environment:git"]).toBe("no branch, at commit 0123456789ab")
    put("project/.git/HEAD", "ref: refs/heads/.invalid\n")
    expect(observe()["environment:git"]).toBe("a git repository")
    put("project/.git/worktrees/two/HEAD", "ref: refs/heads/two\n")
    put("tree/.git", "gitdir: ../project/.git/worktrees/two\n")
    expect(observe(join(root, "tree"))["environment:git"]).toBe("branch two")
    expect(observe("/")["environment:git"]).toBe("not a git repository")
  })

  it("keeps the last value where HEAD cannot be read", () => {
    expect(observe()["environment:git"]).toBe(unavailable())
  })
})

describe("instructions", () => {
  it("finds the user's, the project's from the root inwards, and those configured", () => {
    const own = put("own/AGENTS.md", "own")
    put("AGENTS.md", "above the project: not ours")
    put("project/CLAUDE.md", "project")
    put("project/inner/AGENTS.md", "inner")
    put("project/inner/CONTEXT.md", "context")
    put("project/inner/docs/a/style.md", "style")
    put("project/inner/docs/style.md", "top style")
    put("project/inner/docs/node_modules/x/style.md", "no")
    const outside = put("elsewhere/rules.md", "rules")
    const extra = [join(cwd, "docs/**/*.md"), outside, join(root, "absent.md")]
    const found = new Instructions({ cwd, env, trusted: true, extra }).refresh()
    expect(found).toEqual([
      { key: `instructions:${own}`, value: "own" },
      { key: "instructions:../CLAUDE.md", value: "project" },
      { key: "instructions:AGENTS.md", value: "inner" },
      { key: "instructions:CONTEXT.md", value: "context" },
      { key: "instructions:docs/a/style.md", value: "style" },
      { key: "instructions:docs/style.md", value: "top style" },
      { key: `instructions:${outside}`, value: "rules" },
    ])
  })

  it("counts a file with two names once, and blank ones and folders not at all", () => {
    put("project/AGENTS.md", "one")
    symlinkSync("AGENTS.md", join(root, "project/CLAUDE.md"))
    symlinkSync("../AGENTS.md", join(cwd, "AGENTS.md"))
    put("project/inner/CLAUDE.md", " \n")
    mkdirSync(join(cwd, "CONTEXT.md"))
    expect(new Instructions({ cwd, env, trusted: true }).refresh()).toEqual([
      { key: "instructions:../AGENTS.md", value: "one" },
    ])
  })

  it("tells a change, a new file and a removed one once, and nothing while nothing changes", () => {
    const file = put("project/AGENTS.md", "one")
    const instructions = new Instructions({ cwd, env, trusted: true, extra: [join(cwd, "docs/*.md")] })
    instructions.refresh()
    expect(instructions.refresh()).toEqual([])
    // The same size, and the time stamp put back: the content counts.
    writeFileSync(file, "two")
    utimesSync(file, 1, 1)
    expect(instructions.refresh()).toEqual([{ key: "instructions:../AGENTS.md", value: "two" }])
    put("project/next", "two")
    renameSync(join(root, "project/next"), file)
    expect(instructions.refresh()).toEqual([])
    put("project/inner/CLAUDE.md", "new")
    put("project/inner/docs/x.md", "x")
    rmSync(file)
    expect(byKey(instructions.refresh())).toEqual({
      "instructions:CLAUDE.md": "new",
      "instructions:docs/x.md": "x",
      "instructions:../AGENTS.md": removed(),
    })
    expect(instructions.refresh()).toEqual([])
  })

  it("keeps what cannot be read now apart from what is gone", () => {
    const file = put("project/AGENTS.md", "one")
    const instructions = new Instructions({ cwd, env, trusted: true })
    instructions.refresh()
    // A link in a circle fails for everybody; a file without permissions does not for root.
    rmSync(file)
    symlinkSync(file, file)
    expect(instructions.refresh()).toEqual([{ key: "instructions:../AGENTS.md", value: unavailable() }])
    expect(instructions.refresh()).toEqual([])
    rmSync(file)
    writeFileSync(file, "one")
    expect(instructions.refresh()).toEqual([{ key: "instructions:../AGENTS.md", value: "one" }])
  })

  it("says of a restored session's files which are gone", () => {
    put("project/AGENTS.md", "one")
    const told = ["instructions:../AGENTS.md", "instructions:GONE.md", "date"]
    expect(byKey(new Instructions({ cwd, env, trusted: true, told }).refresh())).toEqual({
      "instructions:../AGENTS.md": "one",
      "instructions:GONE.md": removed(),
    })
  })

  it("cuts a long file between two characters, and says so", () => {
    put("project/AGENTS.md", "ä€😀".repeat(10_000))
    const [found] = new Instructions({ cwd, env, trusted: true }).refresh()
    const text = String(found?.value)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(24_000)
    expect(text).toMatch(/\n\[\.\.\/AGENTS\.md has 90000 bytes, of which the first 23600 are shown: /)
    expect(text).not.toContain("\ufffd")
    put("project/AGENTS.md", "x".repeat(24_000))
    expect(new Instructions({ cwd, env, trusted: true }).refresh()[0]?.value).toBe("x".repeat(24_000))
  })

  it("has nothing to say of ten files that did not change", () => {
    const extra = Array.from({ length: 10 }, (_, i) => put(`extra/${i}.md`, "x".repeat(5_000)))
    const instructions = new Instructions({ cwd, env, trusted: true, extra })
    expect(instructions.refresh()).toHaveLength(10)
    // Touched, and the same: content decides, never a time.
    for (const file of extra) utimesSync(file, 1, 1)
    expect(instructions.refresh()).toEqual([])
  })
})

describe("skills", () => {
  it("finds them in every folder, the nearer of two with one name", async () => {
    put("home/.claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: far\n---\nFar.")
    put("own/skills/notes/SKILL.md", "---\ndescription: 'It''s for notes'\n---\nNotes.")
    put("project/.agents/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: near\n---\n\nNear.\n")
    put(
      "project/inner/.claude/skills/x/SKILL.md",
      '---\ndescription: Use when: asked # note\nname: "x"\n---\nX',
    )
    put(
      "project/inner/.sotto/skills/y/SKILL.md",
      "---\r\nname: y\r\ndescription: >-\r\n  Over two\r\n  lines.\r\nlicense: MIT\r\n---\r\nY",
    )
    put("project/.claude/skills/empty/readme.md", "no skill")
    const bad = put("project/.claude/skills/bad/SKILL.md", "no front matter\n---\ndescription: no\n---\n")
    const found = await loadSkills({ cwd, env, trusted: true })
    expect(skillsFact(found.skills)).toEqual({
      key: "skills",
      value: [
        { name: "notes", description: "It's for notes" },
        { name: "pdf", description: "near" },
        { name: "x", description: "Use when: asked" },
        { name: "y", description: "Over two lines." },
      ],
    })
    expect(found.problems).toEqual([expect.stringContaining(bad)])
    expect(await readSkill(found, "pdf")).toEqual({
      name: "pdf",
      path: join(root, "project/.agents/skills/pdf/SKILL.md"),
      content: "Near.",
    })
    expect(await readSkill(found, "../../x")).toBeUndefined()
  })
})

describe("the system prompt", () => {
  it("states what was observed, and a changed file is told without changing a byte sent", async () => {
    put("project/.git/HEAD", "ref: refs/heads/main\n")
    const file = put("project/inner/AGENTS.md", "Use tabs.\nBe brief.\nTest.\nLint.\n")
    put("project/.sotto/skills/s/SKILL.md", "---\ndescription: does s\n---\nS")
    let id = 0
    const session = createSession({
      agents: builtInAgents(),
      model: { id: "anthropic/claude-opus-5" },
      now: () => 0,
      newId: () => `id${id++}`,
    })
    const observe = (all: readonly Observation[]) => {
      for (const { key, value } of all) session.observe(dynamic(key), value)
    }
    const instructions = new Instructions({ cwd, env, trusted: true })
    observe([...observeEnvironment({ cwd, now: Date.now }), ...instructions.refresh()])
    observe([skillsFact((await loadSkills({ cwd, env, trusted: true })).skills)])
    session.say("hello")
    const first = session.next()
    if (first.is !== "request") throw new Error("no request")
    expect(first.request.pins.system).toContain("- git: branch main")
    expect(first.request.pins.system).toContain("Instructions from AGENTS.md:\nUse tabs.")
    expect(first.request.pins.system).toContain("- s: does s")
    session.reply(first.request.id, { parts: [{ type: "text", text: "hi" }], stop: "end" })

    writeFileSync(file, "Use spaces.\nBe brief.\nTest.\nLint.\n")
    observe(instructions.refresh())
    session.say("go on")
    const second = session.next()
    if (second.is !== "request") throw new Error("no request")
    expect(second.request.pins.system).toBe(first.request.pins.system)
    expect(session.asides().map(({ kind }) => kind)).toContain("instructions_change")
  })
})
