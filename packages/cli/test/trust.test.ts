import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { editorWith } from "./support/editor.js"
import { benchWith, finished, reaching, serverWith, sotto } from "./support/sotto.js"

const ASKING = { SOTTO_TRUST: "" }
const RUN = ["run", "Hello.", "--model", "anthropic/claude-sonnet-4-5", "--output", "jsonl"]
const hook = (name: string) => JSON.stringify({ hooks: { session_start: [{ command: `touch ${name}` }] } })

describe.concurrent("sotto run in a folder that is not trusted", () => {
  it("leaves out what needs trust, and says so on standard error and in an event", async () => {
    const bench = benchWith({ "sotto.json": hook("ran\u001b]0;x\u0007") })
    const server = await serverWith([{ text: "Done." }])
    const run = sotto(bench, RUN, { ...reaching(server.url), ...ASKING })
    const { code, err } = await run.end()
    expect(code).toBe(0)
    const detail = "runs touch ran\\u{1b}]0;x\\u{7}"
    const item = { what: "hook", where: "sotto.json: hooks.session_start.0", detail }
    expect(run.all({ type: "untrusted" })).toEqual([{ type: "untrusted", items: [item] }])
    expect(err).toContain(`hook (sotto.json: hooks.session_start.0): ${detail}\n`)
    expect(err).not.toContain("\u001b")
    expect(existsSync(bench.path("ran"))).toBe(false)
  })

  it("says nothing where there is nothing to leave out", async () => {
    const bench = benchWith({ "AGENTS.md": "Be kind.", "sotto.json": '{"permission": {"bash": "deny"}}' })
    const server = await serverWith([{ text: "Done." }])
    const run = sotto(bench, RUN, { ...reaching(server.url), ...ASKING })
    expect(await run.end()).toMatchObject({ code: 0, err: "" })
    expect(run.all({ type: "untrusted" })).toEqual([])
  })

  it.each([
    ["--trust", ["--trust"], ""],
    ["SOTTO_TRUST=1", [], "1"],
  ])("trusts it for one run with %s", async (_, args, variable) => {
    const bench = benchWith({ "sotto.json": hook("ran") })
    const server = await serverWith([{ text: "Done." }])
    const env = { ...reaching(server.url), SOTTO_TRUST: variable }
    expect(await finished(bench, [...RUN, ...args], env)).toMatchObject({ code: 0, err: "" })
    expect(existsSync(bench.path("ran"))).toBe(true)
    expect((await finished(bench, ["trust"], ASKING)).out).toContain("You trust no folder yet.")
  })
})

describe.concurrent("sotto trust", () => {
  it("adds, lists and removes, and a change is left out until it is added again", async () => {
    const bench = benchWith({ "sotto.json": hook("one") })
    const server = await serverWith([{ text: "Done." }, { text: "Done." }, { text: "Done." }])
    const env = { ...reaching(server.url), ...ASKING }
    const added = await finished(bench, ["trust", "add"], env)
    expect(added).toMatchObject({ code: 0 })
    expect(added.out).toContain(`${bench.cwd} is trusted from now on`)
    expect(added.out).toContain("runs touch one")
    await finished(bench, RUN, env)
    expect(existsSync(bench.path("one"))).toBe(true)
    writeFileSync(bench.path("sotto.json"), hook("two"))
    const changed = await finished(bench, RUN, env)
    expect(changed.err).toContain("this folder has changed since you trusted it")
    for (const change of ["- hook (sotto.json: hooks.session_start.0): runs touch one", "+ hook"])
      expect(changed.err).toContain(`  ${change}`)
    expect(existsSync(bench.path("two"))).toBe(false)
    expect((await finished(bench, ["trust", "list"], env)).out).toContain("runs touch one")
    expect((await finished(bench, ["trust", "remove"], env)).out).toContain("is trusted no longer")
    const again = await finished(bench, ["trust", "remove"], env)
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining("was not trusted") })
  })

  it("says through which repository a worktree is trusted", async () => {
    const bench = benchWith({ "sotto.json": hook("one") })
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { cwd: bench.cwd })
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")
    const tree = `${bench.cwd}-tree`
    git("worktree", "add", "-q", tree)
    await finished(bench, ["trust", "add"], ASKING)
    const { code, err } = await finished(bench, ["trust", "remove", tree], ASKING)
    expect(code).toBe(1)
    expect(err).toContain(
      `${tree} is trusted because it is a worktree of ${bench.cwd}. Use: sotto trust remove ${bench.cwd}`,
    )
  })

  it("says that trust.json is damaged, as every command does that goes by it", async () => {
    const bench = benchWith({ "sotto.json": hook("one") })
    await finished(bench, ["trust", "add"], ASKING)
    writeFileSync(`${bench.home}/trust.json`, "{")
    const server = await serverWith([{ text: "Done." }])
    for (const args of [RUN, ["trust", "list"], ["rules"]])
      expect((await finished(bench, args, { ...reaching(server.url), ...ASKING })).err).toContain(
        "trust.json cannot be used",
      )
    const doctor = await finished(bench, ["doctor"], ASKING)
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/^FAILED +trust /m)])
    expect(doctor.out).toContain("trust.json cannot be used")
  })

  it.each([
    [["doctor", "bogus"], "sotto doctor takes no arguments"],
    [["trust", "forget"], "use list, add or remove"],
    [["trust", "add", "nowhere"], "there is no such folder"],
    [["trust", "add", "a", "b"], "One folder at a time"],
    [["trust", "list", "a"], "takes no folder"],
  ])("refuses %j with what to do", async (args, why) => {
    const { code, err } = await finished(benchWith(), args)
    expect([code, err]).toEqual([2, expect.stringContaining(why)])
  })
})

describe.concurrent("sotto doctor and sotto rules", () => {
  it("start nothing, in a trusted folder neither", async () => {
    const server = { command: "touch", args: ["ran"] }
    const files = {
      ".mcp.json": JSON.stringify({ mcpServers: { hub: server } }),
      "sotto.json": hook("ran"),
      ".sotto/reminders/x.md": "---\nevery: 3 steps\n---\nx",
    }
    for (const env of [ASKING, { SOTTO_TRUST: "1" }]) {
      const bench = benchWith(files)
      const trusted = env.SOTTO_TRUST === "1"
      const doctor = await finished(bench, ["doctor"], env)
      expect(doctor).toMatchObject({ code: 0 })
      expect(doctor.out).toContain(
        trusted ? "hub: configured, not started here" : "is not trusted; 3 items left out:\n",
      )
      const rules = await finished(bench, ["rules"], env)
      expect(rules.out.includes(".sotto/reminders/x.md")).toBe(trusted)
      expect(existsSync(bench.path("ran"))).toBe(false)
    }
  })
})

describe.concurrent("a mistake in a folder's sotto.json", () => {
  const FILES = { "sotto.json": '{"maxSteps": "many"}' }

  it("stops no command in a folder that is not trusted", async () => {
    const bench = benchWith(FILES)
    const server = await serverWith([{ text: "Done." }])
    for (const args of [RUN, ["doctor"], ["rules"]]) {
      const { code, out, err } = await finished(bench, args, { ...reaching(server.url), ...ASKING })
      expect(code).toBe(0)
      expect(out + err).toContain(`${bench.path("sotto.json")} is left out: line 1: maxSteps`)
    }
  })

  it("is told once by a run with text output, and is a warning of sotto doctor", async () => {
    const bench = benchWith(FILES)
    const server = await serverWith([{ text: "Done." }])
    const env = { ...reaching(server.url), ...ASKING }
    const { err } = await finished(bench, RUN.slice(0, 4), env)
    expect(err.split("is left out")).toHaveLength(2)
    const { out } = await finished(bench, ["doctor"], env)
    expect(out).toMatch(/^warning +trust .*Mend what is named below/m)
    expect(out).toContain("no sotto.json that can be used")
  })

  it("is told once by sotto doctor in a trusted one, with what was skipped for it", async () => {
    const { code, out } = await finished(benchWith(FILES), ["doctor"], { SOTTO_TRUST: "1" })
    expect(code).toBe(1)
    expect(out.split("maxSteps")).toHaveLength(2)
    for (const name of ["model", "MCP servers"]) expect(out).toMatch(new RegExp(`^skipped +${name} `, "m"))
  })
})

describe.concurrent("an editor", () => {
  const opened = async (answer: string | undefined) => {
    const bench = benchWith({ "sotto.json": hook("ran"), "AGENTS.md": "Be kind." })
    const server = await serverWith([{ text: "Done." }])
    const editor = await editorWith(bench, server, { env: ASKING })
    editor.choose = async () => {
      if (answer === undefined) throw new Error("no such method")
      return { outcome: { outcome: "selected", optionId: answer } }
    }
    const session = await editor.open()
    expect(await editor.prompt(session, "Hello.")).toMatchObject({ stopReason: "end_turn" })
    const system = JSON.stringify(server.requests[0]?.body)
    return { bench, editor, isVouchedFor: !system.includes("has not vouched") }
  }

  it("is asked before anything runs, and goes on with it in the same session", async () => {
    const { bench, editor, isVouchedFor } = await opened("trust")
    expect(editor.asked).toHaveLength(1)
    expect(editor.asked[0]?.toolCall.title).toBe(`Trust ${bench.cwd}?`)
    expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain("runs touch ran")
    expect(existsSync(bench.path("ran"))).toBe(true)
    expect(isVouchedFor).toBe(true)
    expect(JSON.parse(readFileSync(`${bench.home}/trust.json`, "utf8")).folders).toHaveProperty([bench.cwd])
  })

  it.each([
    ["says no", "not-now"],
    ["cannot ask", undefined],
  ])("that %s goes on without it, and is told what was left out", async (_, answer) => {
    const { bench, editor, isVouchedFor } = await opened(answer)
    expect(existsSync(bench.path("ran"))).toBe(false)
    expect(isVouchedFor).toBe(false)
    expect(editor.text()).toContain("Left out:")
  })
})
