import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { childEnvironment, plainEnvironment } from "../src/execution/programs/environment.js"
import type { HookEvent, HookSettings } from "../src/settings/config/outside.js"
import { type Answered, Hooks } from "../src/sources/hooks/hooks.js"
import { processesIn } from "./processes.js"

let cwd: string
let reports: string[]
let late: Answered[]
let opened: Hooks[]

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-hooks-")))
  reports = []
  late = []
  opened = []
})

afterEach(async () => {
  await Promise.all(opened.map((hooks) => hooks.close()))
  rmSync(cwd, { recursive: true })
})

function hooksWith(settings: Partial<Record<HookEvent, readonly HookSettings[]>>): Hooks {
  const hooks = new Hooks({
    env: plainEnvironment(childEnvironment(process.env)),
    hooks: settings,
    cwd,
    session: "s1",
    agent: () => "build",
    isSubagent: false,
    report: (message) => reports.push(message),
    late: (answer) => late.push(answer),
  })
  opened.push(hooks)
  return hooks
}

const never = new AbortController().signal

/** What one hook answers to a prompt. */
async function answer(command: string, more: Partial<HookSettings> = {}): Promise<Answered | undefined> {
  const hooks = hooksWith({ prompt: [{ command, name: "it", ...more }] })
  const [only] = await hooks.fire("prompt", { prompt: "Hello" }, never)
  return only
}

describe("what a hook is told", () => {
  it("is one object on its standard input, and the bare facts in its environment", async () => {
    const got = await answer('cat > got.json; echo "$SOTTO_EVENT $SOTTO_SESSION $SOTTO_CWD"; pwd')
    expect(got).toEqual({ hook: "it", context: `prompt s1 ${cwd}\n${cwd}` })
    expect(JSON.parse(readFileSync(join(cwd, "got.json"), "utf8"))).toEqual({
      event: "prompt",
      session: "s1",
      cwd,
      agent: "build",
      prompt: "Hello",
    })
  })

  it("need not be read, however long it is", async () => {
    const hooks = hooksWith({ prompt: [{ command: "echo fine" }] })
    const [only] = await hooks.fire("prompt", { prompt: "x".repeat(5_000_000) }, never)
    expect(only).toEqual({ hook: "echo fine", context: "fine" })
    expect(reports).toEqual([])
  })
})

describe("what a hook answers", () => {
  it.each([
    ["nothing", "true", {}],
    ["text", "echo some text", { context: "some text" }],
    ["colours", "printf '\\033[31mred\\033[0m'", { context: "red" }],
    ["JSON", `echo '{"context":"c","block":"b","stop":"s"}'`, { context: "c", block: "b", stop: "s" }],
    ["not to go on", `echo '{"continue":false,"stopReason":"late"}'`, { stop: "late" }],
    ["not to go on, without a reason", `echo '{"continue":false}'`, { stop: "it gave no reason" }],
    ["JSON that is not for us", `echo '{"rows":3}'`, { context: '{"rows":3}' }],
    ["what only looks like JSON", "echo '{not json'", { context: "{not json" }],
    ["exit code 2", "echo why >&2; exit 2", { block: "why" }],
    ["exit code 2 without a word", "exit 2", { block: "it gave no reason" }],
  ])("%s", async (_, command, expected) => {
    expect(await answer(command)).toEqual({ hook: "it", ...expected })
    expect(reports).toEqual([])
  })

  it("to the user is told to the user", async () => {
    expect(await answer(`echo '{"message":"Mind the gap."}'`)).toEqual({ hook: "it" })
    expect(reports).toEqual(["The hook it says: Mind the gap."])
  })

  it("is cut, however much there is of it", async () => {
    const got = await answer("head -c 50000000 /dev/zero | tr '\\0' 'x'")
    expect(got?.context).toMatch(/^x{16000}\n\[cut: the first 16000 of 50000000 bytes are shown\]$/)
  })
})

describe("a hook that fails", () => {
  it.each([
    [
      "another exit code",
      "echo broken >&2; exit 3",
      /^The hook it \(prompt\): exit code 3\. It says: broken$/,
    ],
    ["a signal", "kill -SEGV $$", /killed by SIGSEGV/],
    ["a program that is not there", "no-such-program-here", /exit code 127\. It says: .*not found/],
    ["bytes that are no text", "head -c 3000 /dev/urandom", /printed 3000 bytes that are no text/],
    ["a field that is no text", `echo '{"block":7}'`, /answered with "block" that is no text/],
    [
      "JSON without an end",
      `printf '{"context":"'; head -c 300000 /dev/zero | tr '\\0' 'x'`,
      /300012 bytes of JSON/,
    ],
  ])("is reported: %s", async (_, command, expected) => {
    expect(await answer(command)).toEqual({ hook: "it" })
    expect(reports).toEqual([expect.stringMatching(expected)])
  })

  it("is reported once, until it does better", async () => {
    writeFileSync(join(cwd, "code"), "1")
    const hooks = hooksWith({ stop: [{ command: "exit $(cat code)" }] })
    for (const code of ["1", "1", "0", "1"]) {
      writeFileSync(join(cwd, "code"), code)
      await hooks.fire("stop", {}, never)
    }
    expect(reports).toHaveLength(2)
  })

  it("cannot start in a folder that is gone", async () => {
    const hooks = new Hooks({
      env: plainEnvironment(childEnvironment(process.env)),
      hooks: { stop: [{ command: "true" }] },
      cwd: join(cwd, "gone"),
      session: "s1",
      agent: () => "build",
      isSubagent: false,
      report: (message) => reports.push(message),
      late: () => undefined,
    })
    expect(await hooks.fire("stop", {}, never)).toEqual([{ hook: "true" }])
    expect(reports).toEqual([expect.stringContaining("could not be started")])
  })
})

describe("a hook that never returns", () => {
  const HANGING = "echo $$ > pid; sleep 1000 & sleep 1000"

  it("is ended with all it started, left out for the rest of the turn, and then tried again", async () => {
    const hooks = hooksWith({ prompt: [{ command: HANGING, name: "slow", timeout: 0.3 }] })
    expect(await hooks.fire("prompt", {}, never)).toEqual([{ hook: "slow" }])
    expect(reports).toEqual([
      expect.stringMatching(/slow \(prompt\): no answer within 0\.3 s.*until the next prompt/),
    ])
    expect(await hooks.fire("prompt", {}, never)).toEqual([])
    hooks.forgive()
    expect(await hooks.fire("prompt", {}, never)).toEqual([{ hook: "slow" }])
    await hooks.close()
    expect(processesIn(cwd)).toEqual([])
  })

  it("ends with the turn, without a word", async () => {
    const abort = new AbortController()
    const hooks = hooksWith({ prompt: [{ command: "sleep 1000" }] })
    const fired = hooks.fire("prompt", {}, abort.signal)
    abort.abort()
    expect(await fired).toEqual([{ hook: "sleep 1000" }])
    expect(reports).toEqual([])
  })

  it("is not waited for by what it leaves behind", async () => {
    expect(await answer("sleep 1000 & echo done")).toMatchObject({ context: "done" })
    for (const pid of processesIn(cwd)) process.kill(pid)
  })
})

describe("several hooks", () => {
  it("of one event run at the same time", async () => {
    // Each waits for the other: one after the other they would never end.
    const meeting = (own: string, other: string) => ({
      command: `touch ${own}; until [ -e ${other} ]; do sleep 0.02; done; echo met`,
      timeout: 20,
    })
    const hooks = hooksWith({ stop: [meeting("a", "b"), meeting("b", "a")] })
    expect(await hooks.fire("stop", {}, never)).toMatchObject([{ context: "met" }, { context: "met" }])
  })

  it("are chosen by the tool", async () => {
    const hook = (match: string) => ({ command: "echo", name: match, match })
    const hooks = hooksWith({ before_tool: ["edit|write", "mcp__*", "bash", "e.it"].map(hook) })
    const chosen = async (tool: string) =>
      (await hooks.fire("before_tool", {}, never, tool)).map((one) => one.hook)
    expect(await chosen("write")).toEqual(["edit|write"])
    expect(await chosen("edit")).toEqual(["edit|write"])
    expect(await chosen("mcp__db__query")).toEqual(["mcp__*"])
    expect(await chosen("rewrite")).toEqual([])
  })

  it("that are async hold up nothing and answer later", async () => {
    const command = "until [ -e go ]; do sleep 0.02; done; echo at last"
    const hooks = hooksWith({ stop: [{ command, name: "slow", async: true, timeout: 20 }] })
    expect(await hooks.fire("stop", {}, never)).toEqual([])
    expect(late).toEqual([])
    writeFileSync(join(cwd, "go"), "")
    await expect.poll(() => late, { timeout: 20_000 }).toEqual([{ hook: "slow", context: "at last" }])
  })

  it("that nobody waits for end with the session", async () => {
    const hooks = hooksWith({ stop: [{ command: "echo $$ > pid; sleep 1000", async: true }] })
    await hooks.fire("stop", {}, never)
    await expect.poll(() => existsSync(join(cwd, "pid")), { timeout: 20_000 }).toBe(true)
    await hooks.close()
    expect(processesIn(cwd)).toEqual([])
  })
})
