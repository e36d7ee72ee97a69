import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ConfineOptions, confine } from "../../src/execution/permissions/sandbox/confine.js"
import { findSandbox } from "../../src/execution/permissions/sandbox/find.js"
import type { Reach, Sandbox } from "../../src/execution/permissions/sandbox/sandbox.js"
import { confinedCommand, direct } from "../../src/execution/programs/launch.js"
import {
  ESCAPES,
  LATER,
  NETWORK,
  PRIVILEGES,
  PROCESSES,
  SECRETS,
  WRITES,
} from "../attacks/sandbox-escapes.js"
import { world } from "./escape-world.js"

let sandbox: Sandbox
let machine: Awaited<ReturnType<typeof world>>

beforeAll(async () => {
  const found = await findSandbox()
  if (found === undefined) throw new Error("bubblewrap is not installed or does not work on this machine.")
  sandbox = found
  machine = await world()
})
afterAll(() => machine?.close())

const inSandbox =
  (script: string, reach: Reach, more: Partial<ConfineOptions> = {}) =>
  () => {
    const { argv, filter } = sandbox.wrap(
      script,
      confine({ cwd: machine.cwd, env: machine.env() }, { reach, network: false, ...more }),
    )
    return confinedCommand(argv, filter)
  }

/** What git does with every command, and what a script may do in the workspace. */
const inWorkspace = (path: string) => /^work(\/|$)/.test(path)
const unprotected = (path: string) =>
  inWorkspace(path) && !/^work\/(\.git|sotto\.json|\.sotto|\.mcp\.json)/.test(path)

describe("a sandbox that may write nothing holds against", () => {
  it.each(ESCAPES)("$what: $script", async ({ script }) => {
    const { found, printed } = await machine.effects(inSandbox(script, "read-only"))
    expect(found, printed).toEqual([])
  })
})

describe("a sandbox that may write the workspace holds against", () => {
  const attempts = [...WRITES, ...PRIVILEGES, ...PROCESSES, ...NETWORK, ...SECRETS]
  it.each(attempts)("$what: $script", async ({ script }) => {
    const { found, printed } = await machine.effects(inSandbox(script, "workspace"), inWorkspace)
    expect(found, printed).toEqual([])
  })

  it.each(LATER)("writing what starts programs later, $what: $script", async ({ script }) => {
    const { found, printed } = await machine.effects(inSandbox(script, "workspace"), unprotected)
    expect(found, printed).toEqual([])
  })
})

describe("the same succeeds without a sandbox", () => {
  const attempts = [...ESCAPES, ...LATER].filter(({ bites }) => bites)
  it.each(attempts)("$what: $script", async ({ script }) => {
    const { found, printed } = await machine.effects(() => direct(["bash", "-c", script]))
    expect(found, printed).not.toEqual([])
  })
})

describe("a command in a sandbox", () => {
  it.each([
    ["reads the workspace", "cat a; pwd", /^before\n.*\/work\n$/],
    ["has a /tmp of its own", 'echo x > /tmp/y && cat /tmp/y; echo "$TMPDIR"', "x\n/tmp\n"],
    ["runs git", "git rev-parse --is-inside-work-tree", "true\n"],
    ["runs node", "node -p 6*7", "42\n"],
    [
      "finds nothing at home but toolchains, and can write nothing there",
      'ls -A "$HOME"; echo x > "$HOME/new"',
      /^\.cargo\n.*Read-only file system\n$/,
    ],
    ["finds programs that PATH names", "npm --version", /^\d+\./],
  ])("%s", async (_, script, expected) => {
    for (const reach of ["read-only", "workspace"] as const) {
      const { printed } = await machine.effects(inSandbox(script, reach))
      expect(printed).toMatch(expected)
    }
  })

  it("writes the workspace and commits, if it may", async () => {
    const script = "echo x > new && git add new && git commit -qm x && git log --format=%s && cat new"
    const commits = { commits: true }
    const { printed, found } = await machine.effects(inSandbox(script, "workspace", commits))
    expect(printed).toBe("x\nx\n")
    expect(found).toEqual(["changed a file"])
    const { found: elsewhere } = await machine.effects(inSandbox(script, "workspace", commits), inWorkspace)
    expect(elsewhere).toEqual([])
    const { printed: refused } = await machine.effects(inSandbox(script, "workspace"))
    expect(refused).toMatch(/index\.lock.*Read-only file system/)
  })

  it("has the network, if it may", async () => {
    const [{ script } = { script: "" }] = NETWORK
    const { found } = await machine.effects(inSandbox(script, "read-only", { network: true }))
    expect(found).toEqual(["reached a server"])
  })
})
