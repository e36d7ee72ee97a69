import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PermissionRule } from "@sotto/core"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { DISCLOSURES, ENVIRONMENT, HOSTILE_NAMES } from "../../../shell/test/attacks/disclosures.js"
import { git } from "../../../shell/test/attacks/scratch.js"
import { judgeCommand } from "../../src/execution/permissions/command-access.js"
import { judgeAll } from "../../src/execution/permissions/rules.js"

/** Everything in the workspace may be read. */
const OPEN: readonly PermissionRule[] = [
  { permission: "*", pattern: "*", action: "ask" },
  { permission: "bash:read", pattern: "*", action: "allow" },
  { permission: "read", pattern: "*", action: "allow" },
]
const RULES: readonly PermissionRule[] = [
  ...OPEN,
  { permission: "read", pattern: ".env", action: "deny" },
  { permission: "read", pattern: "secrets/**", action: "deny" },
]

let plain = ""
let hostile = ""
beforeAll(() => {
  plain = folder()
  hostile = folder(HOSTILE_NAMES)
  symlinkSync("/proc/self", join(plain, "to-self"))
  symlinkSync("/proc/self/cwd", join(plain, "to-cwd"))
  symlinkSync("/proc/1/environ", join(plain, "to-environ"))
})
afterAll(() => vi.unstubAllEnvs())

function folder(more: readonly string[] = []): string {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), "sotto-disclosed-")))
  const work = join(outer, "work")
  for (const name of ["src", "secrets"]) mkdirSync(join(work, name), { recursive: true })
  writeFileSync(join(outer, "outside.txt"), "outside\n")
  for (const name of ["a", "b", ".env", "list", "secrets/key", "src/a.ts", "data.json", ...more])
    writeFileSync(join(work, name), "{}\n")
  git(work, outer, "init", "-q", "--template=")
  git(work, outer, "add", "a", "src")
  return work
}

async function unasked(scripts: readonly string[], cwd: string, rules = RULES): Promise<readonly string[]> {
  const found: string[] = []
  for (const script of scripts)
    if (judgeAll(rules, await judgeCommand(script, cwd)).action === "allow") found.push(script)
  return found
}

describe("a script that would read what is kept back", () => {
  it.each(Object.keys(DISCLOSURES))("does not run unasked: %s", async (family) => {
    if (family === "variables of the environment")
      for (const [name, value] of Object.entries(ENVIRONMENT)) vi.stubEnv(name, value)
    // A denial would speak of every name that the shell may complete.
    const [cwd, rules] = family === "files named like options" ? [hostile, OPEN] : [plain, RULES]
    expect(await unasked(DISCLOSURES[family] ?? [], cwd, rules)).toEqual([])
    vi.unstubAllEnvs()
  })

  it("runs unasked where it reads a file that nobody keeps back", async () => {
    const harmless = ["grep -f a b", "date -r a", "find . -newer a", "[ -s a ] && cat a"]
    expect(await unasked(harmless, plain)).toEqual(harmless)
    expect(await unasked(["wc *", "grep x *"], folder(), OPEN)).toEqual(["wc *", "grep x *"])
  })
})
