import { readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Agent } from "@sotto/core"
import { describe, expect, it, test, vi } from "vitest"
import { type Gate, Grants, gateFor } from "../../src/execution/permissions/gate.js"
import { findSandbox } from "../../src/index.js"
import { builtInAgents } from "../../src/settings/agents/builtin.js"
import { ATTEMPTS, DELEGATED, HARMLESS, OWN_PLANNERS, planner } from "../plan-support.js"
import { call, play } from "../scene-support.js"

const PLANNERS = [undefined, ...Object.keys(OWN_PLANNERS)]

test.each(PLANNERS)(
  "a planner (%s) with bubblewrap runs what cannot be judged, and still changes nothing",
  async (own) => {
    expect(await findSandbox()).toBeDefined()
    const looking = [
      "a program that only looks",
      "bash",
      { command: "node -e 'console.log(6 * 7)'" },
    ] as const
    const { run, snapshot, cwd } = await planner([looking, ...ATTEMPTS, ...DELEGATED], own)
    const before = snapshot()
    const answers = await run()
    expect(snapshot()).toEqual(before)
    expect(answers.get("a program that only looks")).toMatchObject({ output: "42" })
    expect(answers.get("node -e")?.output).toMatch(/EROFS|[Rr]ead-only/)
    const byTools = ATTEMPTS.filter(([what, name]) => name !== "bash" && !HARMLESS.includes(what))
    expect(byTools.filter(([what]) => answers.get(what)?.error !== true)).toEqual([])
    expect(await readFile(join(cwd, ".sotto/plans/x.md"), "utf8")).toBe("The plan.\n")
  },
)

describe.each(["plan", "explore"])("every command of %s", (agent) => {
  const commands = (...all: readonly string[]) => all.map((command) => call("bash", { command }))
  // So that somebody can talk to a subagent.
  const agents = { explore: { mode: "all" } }

  it("runs in the sandbox, also one that is judged to read", async () => {
    const { results, root } = await play({
      agent,
      yes: true,
      config: { agents },
      files: { "work/x": "", "home/.ssh/id": "private-key" },
      env: { GITHUB_TOKEN: "kept" },
      steps: [
        ...commands(
          "cat /proc/1/cmdline",
          "ls -A ../home/.ssh",
          "printenv",
          "touch /tmp/here && ls /tmp/here",
          "cat /proc/self/status",
          // Bash and the parser read this differently, so that it might pass for a command that reads.
          "cat <<E'OF'\nx\nEOF\ntouch was-here\ncat <<EOF\nEOF",
        ),
        { text: "Done." },
      ],
    })
    const [init, keys, environment, temporary, status] = results()
    expect(init).toContain("bwrap")
    expect(keys).not.toMatch(/^id$/m)
    expect(environment).not.toContain("GITHUB_TOKEN")
    expect(environment).not.toMatch(/key-[aog]/)
    expect(temporary).toContain("/tmp/here")
    expect(status).toMatch(/CapEff:\s*0{16}/)
    expect(readdirSync(join(root, "work"))).not.toContain("was-here")
  })

  it("sees nothing that the agent may not read", async () => {
    const { sent, results } = await play({
      agent,
      yes: true,
      files: { "work/.env": "the-secret", "work/secrets/deep/a": "the-secret", "work/open/a": "open-text" },
      config: { agents, permission: { read: { ".env": "deny", "secrets/**": "deny" } } },
      steps: [
        ...commands(
          'node -e \'console.log(require("fs").readFileSync(".env", "utf8"))\'',
          "python3 -c 'print(open(\"secrets/deep/a\").read())'",
          // Named so that nobody could tell before it runs: the sandbox has to hide them.
          'node -e \'for (const f of ["." + "env", "se" + "crets/deep/a", "open/a"]) try { console.log(require("fs").readFileSync(f, "utf8")) } catch {}\'',
          "tar cf - . | cat",
        ),
        { text: "Done." },
      ],
    })
    expect(results()[2]).toContain("open-text")
    expect(sent()).not.toContain("the-secret\\")
    expect(results().join()).not.toContain("the-secret")
  })
})

test("a subagent of plan is confined like plan", async () => {
  const gate = (name: string, parent?: Gate) => {
    const agent = builtInAgents().find((one) => one.name === name) as Agent
    return gateFor(() => agent, parent, new Grants())
  }
  expect(gate("general").reach()).toBeUndefined()
  expect(gate("general", gate("plan")).reach()).toBe("read-only")
  expect(gate("explore", gate("build")).reach()).toBe("read-only")
})

describe('build with the sandbox "workspace"', () => {
  it("writes the workspace and nothing else, also in the background", async () => {
    const { results, root } = await play({
      yes: true,
      config: { sandbox: "workspace" },
      files: { "outside/x": "" },
      steps: [
        call("bash", {
          command: 'echo x > made; node -e \'require("fs").writeFileSync("../outside/y", "")\'',
        }),
        call("bash", {
          command:
            'node -e \'try { require("fs").writeFileSync("../outside/z", "") } finally { require("fs").writeFileSync("late", "") }\'',
          background: true,
        }),
        { text: "Done." },
      ],
    })
    expect(results()[0]).toMatch(/EROFS|[Rr]ead-only|ENOENT/)
    await vi.waitFor(() =>
      expect(readdirSync(join(root, "work"))).toEqual(expect.arrayContaining(["made", "late"])),
    )
    expect(readdirSync(join(root, "outside"))).toEqual(["x"])
  })
})
