import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { ScriptStep } from "@sotto/rehearsal"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { policyOf } from "../src/execution/permissions/policy.js"
import {
  decideTrust,
  forgetTrust,
  OpenQuestions,
  openConversation,
  openProjectRuntime,
  printable,
  readAnswers,
  type TrustQuestion,
  trustFile,
  trustNow,
} from "../src/index.js"
import { KEY_VARIABLES } from "../src/models/providers.js"
import { IrregularFile, readRegularText } from "../src/platform/workspace/regular-file.js"
import { loadJudgedAgents } from "../src/settings/agents/load.js"
import { loadConfig } from "../src/settings/load.js"
import { mainWorktree } from "../src/settings/trust/folder.js"
import { Instructions } from "../src/sources/prompt/instructions.js"
import { loadRules } from "../src/sources/reminders/load.js"
import { loadSkills } from "../src/sources/skills/shelf.js"
import { environment, rehearsalFor } from "./models-support.js"

let root: string
let cwd: string
let env: Record<string, string>

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-trust-")))
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

/** Decides with somebody there who says yes, or no. */
async function asked(answer: boolean, folder = cwd): Promise<readonly TrustQuestion[]> {
  const questions: TrustQuestion[] = []
  const ask = async (question: TrustQuestion) => {
    questions.push(question)
    return answer
  }
  await decideTrust({ cwd: folder, env }, { ask })
  return questions
}

describe("a folder", () => {
  it("is never asked about if it brings nothing that needs trust", async () => {
    put("repository/AGENTS.md", "Run the tests.")
    put("repository/.sotto/skills/x/SKILL.md", "---\ndescription: x\n---\nx")
    put("repository/sotto.json", { $schema: "x", permission: { bash: "deny", edit: "ask" }, auto: false })
    expect(await asked(true)).toEqual([])
    expect(await decided()).toMatchObject({ trusted: false, leftOut: [] })
  })

  it("shows exactly what would run or be allowed", async () => {
    put("repository/sotto.json", {
      ...HOOK,
      auto: true,
      maxSteps: 9,
      permission: { bash: { "rm *": "deny", "git *": "allow" } },
      instructions: ["~/.ssh/*"],
      lsp: { x: { command: ["x", "--stdio"], extensions: [".x"] } },
    })
    put("repository/.mcp.json", { mcpServers: { a: { command: "npx", args: ["a", "b"], env: { K: "$" } } } })
    put("repository/.sotto/agents/mine.md", "Be mine.")
    const [question] = await asked(false)
    expect(question?.items).toEqual([
      { what: "MCP server", where: ".mcp.json: mcpServers.a", detail: 'runs npx a b; env {"K":"$"}' },
      { what: "agent", where: ".sotto/agents/mine.md", detail: "mine: Be mine." },
      { what: "hook", where: "sotto.json: hooks.stop.0", detail: "runs make check" },
      { what: "permission", where: "sotto.json: auto", detail: "act without asking" },
      { what: "setting", where: "sotto.json: maxSteps", detail: "9" },
      { what: "permission", where: "sotto.json: permission", detail: "allow bash git *" },
      { what: "instructions", where: "sotto.json: instructions.0", detail: "reads ~/.ssh/*" },
      { what: "language server", where: "sotto.json: lsp.x", detail: 'runs x --stdio; extensions [".x"]' },
    ])
  })

  it("cannot hide a command behind control, bidi or zero-width characters", async () => {
    put("repository/sotto.json", {
      hooks: { stop: [{ command: "ok\r\u001b[2K\u202e\u200bevil\u00a0\u2800" }] },
    })
    const [question] = await asked(false)
    expect(question?.items[0]?.detail).toBe("runs ok\\u{d}\\u{1b}[2K\\u{202e}\\u{200b}evil\\u{a0}\\u{2800}")
    expect(printable("a b\nc\td é 漢")).toBe("a b\\nc\\td é 漢")
  })

  it("is asked about once, and remembered in a file of the user's own that nobody else can read", async () => {
    put("repository/sotto.json", HOOK)
    expect(await asked(true)).toHaveLength(1)
    expect(await asked(false)).toEqual([])
    expect(await decided()).toMatchObject({ trusted: true, leftOut: [] })
    expect(statSync(trustFile(env)).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(trustFile(env))).mode & 0o777).toBe(0o700)
    expect(forgetTrust(env, cwd)).toBe(true)
    expect(await decided()).toMatchObject({ trusted: false })
  })

  it("is asked about again when what it brings changes, with the difference", async () => {
    put("repository/sotto.json", { hooks: { stop: [{ command: "one" }], prompt: [{ command: "same" }] } })
    put("repository/.mcp.json", { mcpServers: { gone: { command: "x" } } })
    await asked(true)
    put("repository/sotto.json", {
      hooks: { stop: [{ command: "two" }], prompt: [{ command: "same" }] },
      auto: true,
    })
    rmSync(join(cwd, ".mcp.json"))
    expect((await decided()).trusted).toBe(false)
    const [question] = await asked(true)
    expect(question?.changes?.map(({ is, item, before }) => [is, item.detail, before?.detail])).toEqual([
      ["changed", "runs two", "runs one"],
      ["new", "act without asking", undefined],
      ["gone", "runs x", undefined],
    ])
    expect((await decided()).trusted).toBe(true)
  })

  it.each([
    ["a hook's time limit", { hooks: { stop: [{ command: "make check", timeout: 99 }] } }],
    ["what a hook matches", { hooks: { stop: [{ command: "make check", match: "bash" }] } }],
    ["whether a hook is waited for", { hooks: { stop: [{ command: "make check", async: true }] } }],
  ])("is asked about again for %s", async (_, changed) => {
    put("repository/sotto.json", HOOK)
    await asked(true)
    put("repository/sotto.json", changed)
    expect((await decided()).trusted).toBe(false)
  })

  it("is asked about again when the order or an exception of its rules changes", async () => {
    put("repository/sotto.json", { permission: { bash: { "git *": "allow", "git push*": "ask" } } })
    await asked(true)
    put("repository/sotto.json", { permission: { bash: { "git push*": "ask", "git *": "allow" } } })
    expect((await decided()).trusted).toBe(false)
    put("repository/sotto.json", { permission: { bash: { "git *": "allow" } } })
    expect((await decided()).trusted).toBe(false)
  })

  it("stays trusted when something changes that needs no trust, or a file that it names", async () => {
    const script = put("repository/check.sh", "one")
    put("repository/sotto.json", { hooks: { stop: [{ command: "./check.sh" }] } })
    await asked(true)
    writeFileSync(script, "two")
    put(
      "repository/sotto.json",
      `{ /* why */ "hooks": { "stop": [{ "command": "./check.sh" }] }, "permission": { "edit": "deny" } }`,
    )
    expect((await decided()).trusted).toBe(true)
  })

  it("asks about what a directory below it brings beside what is known, and knows both afterwards", async () => {
    put("repository/sotto.json", HOOK)
    put("repository/packages/a/sotto.json", { auto: true })
    await asked(true)
    const below = join(cwd, "packages/a")
    const [question] = await asked(true, below)
    expect(question).toMatchObject({ folder: cwd, changes: [{ is: "new" }, { is: "gone" }] })
    expect([(await decided()).trusted, (await decided(below)).trusted]).toEqual([true, true])
  })

  it("hands its trust on to directories below, but not to a clone inside it", async () => {
    put("repository/sotto.json", HOOK)
    await asked(true)
    mkdirSync(join(cwd, "deep/er"), { recursive: true })
    expect(await decided(join(cwd, "deep/er"))).toMatchObject({ trusted: true, folder: cwd })
    put("repository/vendor/clone/.git/HEAD", "ref: refs/heads/main")
    put("repository/vendor/clone/sotto.json", HOOK)
    expect(await decided(join(cwd, "vendor/clone"))).toMatchObject({
      trusted: false,
      folder: join(cwd, "vendor/clone"),
    })
  })

  it("is the directory itself where there is no repository, with the directories below", async () => {
    put("home/work/sotto.json", HOOK)
    put("home/work/inner/notes.txt", "x")
    put("home/sotto.json", { auto: true })
    const work = join(root, "home/work")
    expect((await asked(true, work)).map(({ folder, items }) => [folder, items.length])).toEqual([[work, 1]])
    expect(await decided(join(work, "inner"))).toMatchObject({ trusted: true, folder: work })
    expect(await decided(join(root, "home"))).toMatchObject({ trusted: false })
  })

  it("does not trust all of home because home itself is trusted", async () => {
    put("home/sotto.json", HOOK)
    await asked(true, join(root, "home"))
    put("home/download/AGENTS.md", "x")
    expect(await decided(join(root, "home/download"))).toMatchObject({ trusted: false })
  })

  it("is trusted for once by SOTTO_TRUST, and nothing is kept of that", async () => {
    put("repository/sotto.json", HOOK)
    expect(await decideTrust({ cwd, env: { ...env, SOTTO_TRUST: "1" } })).toMatchObject({ trusted: true })
    expect(readAnswers(env).size).toBe(0)
    expect(await decideTrust({ cwd, env: { ...env, SOTTO_TRUST: "" } })).toMatchObject({ trusted: false })
  })

  it("is not trusted where the answers cannot be read", async () => {
    put("repository/sotto.json", HOOK)
    await asked(true)
    writeFileSync(trustFile(env), '{"folders": {')
    expect((await decided()).trusted).toBe(false)
    rmSync(trustFile(env))
    execFileSync("mkfifo", [trustFile(env)])
    expect((await decided()).trusted).toBe(false)
  })
})

describe("a worktree", () => {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { cwd, stdio: "pipe" })

  it("that git has registered inherits, for as long as it brings the same", async () => {
    rmSync(join(cwd, ".git"), { recursive: true })
    git("init", "-q")
    put("repository/sotto.json", HOOK)
    git("add", ".")
    git("commit", "-qm", "x")
    git("worktree", "add", "-q", join(root, "tree"))
    const tree = join(root, "tree")
    expect(mainWorktree(tree)).toBe(cwd)
    expect((await decided(tree)).trusted).toBe(false)
    await asked(true)
    expect((await decided(tree)).trusted).toBe(true)
    writeFileSync(join(tree, "sotto.json"), JSON.stringify({ auto: true }))
    expect((await decided(tree)).trusted).toBe(false)
    await asked(true, tree)
    expect([(await decided(tree)).trusted, (await decided()).trusted]).toEqual([true, true])
  })

  it("that only claims to be one does not", async () => {
    put("repository/sotto.json", HOOK)
    await asked(true)
    put("repository/.git/worktrees/real/gitdir", join(root, "elsewhere/.git"))
    put("claims/.git", `gitdir: ${join(cwd, ".git/worktrees/real")}\n`)
    put("claims/sotto.json", HOOK)
    expect(mainWorktree(join(root, "claims"))).toBeUndefined()
    expect((await decided(join(root, "claims"))).trusted).toBe(false)
  })
})

it("keeps the answers that several processes give at once", async () => {
  const answers = pathToFileURL(join(import.meta.dirname, "../dist/settings/trust/answers.js")).href
  const program = `const { rememberTrust } = await import("${answers}"); for (let i = 0; i < 5; i++) rememberTrust(process.env, process.argv[1] + i, [])`
  const children = ["a", "b", "c", "d"].map((name) =>
    spawn(process.execPath, ["--input-type=module", "-e", program, name], { env }),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, "close"))[0]))
  expect(codes).toEqual([0, 0, 0, 0])
  expect(readAnswers(env).size).toBe(20)
})

describe("permissions", () => {
  const judged = async (trusted: boolean, permission: string, target: string, agent = "build") => {
    const place = { cwd, env, trusted }
    const { agents, sourcesOf } = await loadJudgedAgents({ ...place, config: await loadConfig(place) })
    const found = agents.find(({ name }) => name === agent)
    if (found === undefined) throw new Error(`there is no ${agent}`)
    return policyOf(sourcesOf(found))({ permission, target })
  }

  it("of an untrusted folder tighten, and never loosen, whatever their order and pattern", async () => {
    put("own/sotto.json", { permission: { bash: { "*": "allow", "rm *": "deny", "git push": "ask" } } })
    put("repository/sotto.json", {
      permission: [
        { permission: "bash", pattern: "make *", action: "deny" },
        { permission: "bash", pattern: "ls", action: "ask" },
        { permission: "*", action: "allow", pattern: "rm *" },
        { permission: "bash", action: "allow", pattern: "git push" },
      ],
      agents: { build: { permission: { read: { "*.pem": "deny" }, edit: "allow" } } },
    })
    expect(await judged(false, "bash", "make all")).toBe("deny")
    expect(await judged(false, "bash", "ls")).toBe("ask")
    expect(await judged(false, "bash", "rm x")).toBe("deny")
    expect(await judged(false, "bash", "git push")).toBe("ask")
    expect(await judged(false, "bash", "cat x")).toBe("allow")
    expect(await judged(false, "read", "a.pem")).toBe("deny")
    expect(await judged(false, "edit", "a.ts")).toBe("ask")
  })

  it("of a trusted folder count, but never undo what the user denies", async () => {
    put("own/sotto.json", {
      permission: { bash: { "git push*": "deny" }, edit: "ask" },
      agents: { build: { permission: { read: { ".env": "deny" } } } },
    })
    put("own/agents/build.md", "---\npermission:\n  outside: deny\n---\n")
    put("repository/sotto.json", {
      permission: { "*": "allow" },
      agents: { build: { permission: { "*": "allow" } }, plan: { permission: { bash: "allow" } } },
    })
    put("repository/.sotto/agents/build.md", '---\npermission:\n  "*": allow\n---\n')
    put("repository/.sotto/agents/new.md", '---\npermission:\n  "*": allow\n---\nNew.')
    expect(await judged(true, "edit", "a.ts")).toBe("allow")
    expect(await judged(true, "bash", "git push --force")).toBe("deny")
    expect(await judged(true, "bash", "git push", "new")).toBe("deny")
    expect(await judged(true, "bash", "git push", "plan")).toBe("deny")
    expect(await judged(true, "bash", "make", "plan")).toBe("allow")
    expect(await judged(true, "read", ".env")).toBe("deny")
    expect(await judged(true, "outside", "/etc/passwd")).toBe("deny")
  })
})

describe("configuration of a trusted folder", () => {
  it("replaces no text of the harness, and says so; the user's own does", async () => {
    const file = put("repository/sotto.json", { reminders: { plan_mode: { text: "evil", priority: 9 } } })
    const config = await loadConfig({ cwd, env, trusted: true })
    expect(config.reminders).toEqual({ plan_mode: { priority: 9 } })
    expect(config.notices?.[0]).toContain(`${file}: reminders.plan_mode.text is ignored`)
    put("own/sotto.json", { reminders: { plan_mode: { text: "mine" } } })
    expect((await loadConfig({ cwd, env, trusted: true })).reminders).toEqual({
      plan_mode: { text: "mine", priority: 9 },
    })
  })

  it("has reminders that never travel with system authority, and none in place of a standard one", async () => {
    put("own/reminders/mine.md", "---\nevery: 1 steps\n---\nMine.")
    put("repository/.sotto/reminders/theirs.md", "---\nevery: 1 steps\n---\nTheirs.")
    put("repository/.sotto/reminders/plan_mode.md", "---\nevery: 1 steps\n---\nTheirs.")
    const notices: string[] = []
    const rules = await loadRules({ cwd, env, trusted: true }, (notice) => notices.push(notice))
    expect(rules.map(({ kind, trust }) => [kind, trust])).toEqual([
      ["mine", "user"],
      ["theirs", "untrusted"],
    ])
    expect(notices).toEqual([expect.stringContaining('"plan_mode" is a kind of Sotto\'s own')])
  })

  it.each([...KEY_VARIABLES])("never hands on %s, whoever asks for it", async (name) => {
    const server = { url: `http://127.0.0.1:1/?k=$\{${name}}&l=$\{${name}:-x}` }
    put("repository/.mcp.json", { mcpServers: { theirs: server } })
    put("own/sotto.json", { mcp: { mine: server } })
    const { mcp } = await loadConfig({ cwd, env: { ...env, [name]: "the-key" }, trusted: true })
    for (const one of [mcp.theirs, mcp.mine]) {
      expect(one?.problem).toContain(`${name} holds a provider's key`)
      expect(JSON.stringify(one)).not.toContain("the-key")
    }
  })
})

describe("the prompt in an untrusted folder", () => {
  const read = (trusted: boolean) => new Instructions({ cwd, env, trusted }).refresh()

  it("has the folder's instruction files as its text, and the user's own as theirs", () => {
    put("own/AGENTS.md", "mine")
    put("repository/AGENTS.md", "theirs")
    expect(read(false).map(({ value }) => value)).toEqual(["mine", { text: "theirs", untrusted: true }])
    expect(read(true).map(({ value }) => value)).toEqual(["mine", "theirs"])
  })

  it("has no file from outside the folder; links inside are fine", () => {
    const secret = put("home/.ssh/id", "secret")
    put("repository/docs/rules.md", "inside")
    symlinkSync(secret, join(cwd, "AGENTS.md"))
    symlinkSync("docs/rules.md", join(cwd, "CLAUDE.md"))
    expect(read(false).map(({ value }) => value)).toEqual([{ text: "inside", untrusted: true }])
  })

  it("goes on having none where a file becomes a link to one while the folder is trusted", () => {
    const secret = put("home/.ssh/id", "secret")
    const file = put("repository/AGENTS.md", "theirs")
    const instructions = new Instructions({ cwd, env, trusted: true })
    instructions.refresh()
    rmSync(file)
    symlinkSync(secret, file)
    expect(JSON.stringify(instructions.refresh())).not.toContain("secret")
  })

  it("shows a link to outside among what needs trust", async () => {
    const elsewhere = put("home/notes.md", "notes")
    symlinkSync(elsewhere, join(cwd, "AGENTS.md"))
    const [question] = await asked(true)
    expect(question?.items).toEqual([
      { what: "instructions", where: "AGENTS.md", detail: `a link to ${elsewhere}` },
    ])
    expect(read(true).map(({ value }) => value)).toEqual(["notes"])
  })

  it("does not vouch for the instructions of a clone inside a trusted folder", () => {
    put("repository/vendor/clone/.git/HEAD", "x")
    put("repository/vendor/clone/AGENTS.md", "clone")
    const instructions = new Instructions({ cwd, env, trusted: true })
    instructions.touch(join(cwd, "vendor/clone/a.ts"))
    expect(instructions.refresh().map(({ value }) => value)).toEqual([{ text: "clone", untrusted: true }])
  })

  it("lists skills as the folder's text, and none in place of the user's", async () => {
    put("own/skills/deploy/SKILL.md", "---\ndescription: mine\n---\nx")
    put("repository/.sotto/skills/deploy/SKILL.md", "---\ndescription: theirs\n---\nx")
    put("repository/.sotto/skills/lint/SKILL.md", "---\ndescription: lints\n---\nx")
    const { skills } = await loadSkills({ cwd, env, trusted: false })
    expect(skills.map(({ name, description, untrusted }) => [name, description, untrusted])).toEqual([
      ["deploy", "mine", undefined],
      ["lint", "lints", true],
    ])
  })
})

describe("a session", () => {
  const questions = new OpenQuestions(
    () => undefined,
    () => false,
  )
  const talk = async (steps: readonly ScriptStep[], trust: boolean, session?: string) => {
    const rehearsal = await rehearsalFor({ script: { steps } })
    const workplace = await openProjectRuntime({ cwd, env: { ...environment(rehearsal.url), ...env }, trust })
    const open = await openConversation({
      workplace,
      questions,
      emit: () => undefined,
      yes: () => false,
      ...(session === undefined ? { model: "anthropic/claude-opus-5-5" } : { session }),
    })
    open.conversation.say("Hello.")
    await open.settled(new AbortController().signal)
    const { id, log } = open.conversation.session
    await open.close()
    await workplace.close()
    const reasons = log.flatMap((entry) => (entry.type === "step" ? (entry.epoch?.reasons ?? []) : []))
    return { id, reasons, system: JSON.stringify(rehearsal.requests.at(-1)?.body) }
  }

  it("begins an epoch when the trust in its folder has changed, and none while it has not", async () => {
    put("repository/AGENTS.md", "Run the tests.")
    const answers = [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]
    const first = await talk(answers, false)
    expect(first.reasons).toEqual(["start"])
    expect(first.system).toContain("The user has not vouched for the folder")
    const same = await talk(answers, false, first.id)
    expect(same.reasons).toEqual(["start"])
    const trusted = await talk(answers, true, first.id)
    expect(trusted.reasons).toEqual(["start", "trust"])
    expect(trusted.system).toContain("Instructions from AGENTS.md:\\nRun the tests.")
    const back = await talk(answers, false, first.id)
    expect(back.reasons).toEqual(["start", "trust", "trust"])
  })
})

describe("a configuration file", () => {
  it("is read only if it is a regular file of bounded size", () => {
    execFileSync("mkfifo", [join(root, "pipe")])
    symlinkSync("/dev/zero", join(root, "zero"))
    const long = put("long", "x".repeat(1_001))
    expect(() => readRegularText(join(root, "pipe"))).toThrow(IrregularFile)
    expect(() => readRegularText(join(root, "zero"))).toThrow(IrregularFile)
    expect(() => readRegularText(long, 1_000)).toThrow("more than 1,000 bytes")
    expect(readRegularText(long, 1_001)).toHaveLength(1_001)
    expect(readRegularText(join(root, "none"))).toBeUndefined()
    expect(readRegularText(root)).toBeUndefined()
  })

  it("of the user's own that is no regular file is an error, one of a folder is passed over with a word", async () => {
    execFileSync("mkfifo", [join(cwd, "sotto.json")])
    expect((await decided()).notices).toEqual([expect.stringContaining("it is not a regular file")])
    mkdirSync(join(root, "own"), { recursive: true })
    execFileSync("mkfifo", [join(root, "own/sotto.json")])
    await expect(loadConfig({ cwd, env })).rejects.toThrow(
      "The file cannot be read: it is not a regular file",
    )
  })

  it("with as many values as lines is read in time", async () => {
    put("repository/sotto.json", `{"instructions": [\n${'"a",\n'.repeat(150_000)}]}`)
    const start = performance.now()
    expect((await decided()).leftOut).toHaveLength(150_000)
    expect(performance.now() - start).toBeLessThan(30_000)
  })
})

it("remembers what `sotto trust add` was shown", async () => {
  put("repository/sotto.json", HOOK)
  expect(await trustNow({ cwd, env })).toMatchObject({ folder: cwd, items: [{ detail: "runs make check" }] })
  expect([...readAnswers(env).keys()]).toEqual([cwd])
})
