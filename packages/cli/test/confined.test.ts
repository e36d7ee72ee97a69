import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { describe, expect, it } from "vitest"
import { attempt, KEY } from "./confined-support.js"
import { type Bench, benchWith, type Variables } from "./support/sotto.js"

const SECRET = "secret-of-the-user"

/** A folder of links to all programs of PATH but bubblewrap, with `bwrap` in its place if a script is given. */
function withoutSandbox(bench: Bench, bwrap?: string): Variables {
  const folder = bench.path("../programs")
  mkdirSync(folder, { recursive: true })
  const names = new Map<string, string>()
  for (const from of (process.env.PATH ?? "").split(delimiter).toReversed())
    for (const name of existing(from)) names.set(name, join(from, name))
  names.delete("bwrap")
  for (const [name, path] of names) symlinkSync(path, join(folder, name))
  if (bwrap !== undefined) {
    writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${bwrap}\n`)
    chmodSync(join(folder, "bwrap"), 0o755)
  }
  return { PATH: folder }
}

function existing(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Commands that passed for reading on 17 November, and others of their kind. */
const READINGS = (path: string): readonly string[] => [
  `xargs -0 -a ${path}`,
  `xargs -0a ${path} echo`,
  `xargs --arg-file=${path} echo`,
  `sort --files0-from=${path}`,
  `wc --files0-from ${path}`,
  `du --files0-from=${path}`,
  `date -f ${path}`,
  `date --file=${path}`,
  `grep -f ${path} a`,
  `grep -rf${path} .`,
  `diff --from-file=${path} a`,
  `find . -newer ${path} -fprint /dev/stdout`,
  `find -files0-from ${path}`,
  `file -f ${path}`,
  `tree --fromfile ${path}`,
  `jq -n --rawfile x ${path} '$x'`,
  `awk -f ${path}`,
  `sed -f ${path} a`,
  `rg -f ${path} .`,
  `comm ${path} a`,
  `ls -la a; cat <(cat ${path})`,
]

describe.concurrent.each([
  ["without a sandbox", undefined],
  ["with a sandbox that fails", 'echo "bwrap: No permissions" >&2; exit 1'],
  ["with a sandbox that confines nothing", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'],
])("%s", (_, bwrap) => {
  it.each(["build", "plan"] as const)("nothing reads Sotto's own variables unasked in %s", async (agent) => {
    const bench = benchWith({ a: "x\n" })
    const env = withoutSandbox(bench, bwrap)
    const { sent, outputs } = await attempt(
      bench,
      READINGS("/proc/$PPID/environ").concat(READINGS("/proc/self/../1/environ")),
      { agent, env },
    )
    expect(outputs.length).toBeGreaterThan(20)
    expect(sent).not.toContain(KEY)
  })

  it.each(["build", "plan"] as const)(
    "nothing reads files outside, or denied ones, unasked in %s",
    async (agent) => {
      const bench = benchWith({ a: "x\n", ".env": SECRET })
      mkdirSync(bench.home, { recursive: true })
      writeFileSync(bench.path("../outside"), SECRET)
      const env = withoutSandbox(bench, bwrap)
      const config = { permission: { read: { ".env": "deny" } } }
      const calls = [...READINGS("../outside"), ...READINGS(".env")]
      const { sent } = await attempt(bench, calls, { agent, env, config })
      expect(sent).not.toContain(SECRET)
    },
  )

  it("no child gets a variable that looks like a secret, and the model is told which it lacks", async () => {
    const bench = benchWith()
    const env = {
      ...withoutSandbox(bench, bwrap),
      GITHUB_TOKEN: `ghp_${"x1".repeat(18)}`,
      SOTTO_TOKEN: "server-token-1234",
    }
    const { outputs, sent } = await attempt(
      bench,
      ["printenv", "env", "gh pr list; exit 4", "sh -c 'exit 1'"],
      { env, yes: true },
    )
    expect(sent).not.toContain(env.GITHUB_TOKEN)
    expect(sent).not.toContain(env.SOTTO_TOKEN)
    expect(outputs[2]).toContain("Sotto withheld GITHUB_TOKEN from this command")
    expect(outputs[2]).toContain('"env": {"pass": ["GITHUB_TOKEN"]}')
    expect(outputs[3]).not.toContain("withheld")
  })

  it("passes on what the user names", async () => {
    const bench = benchWith()
    mkdirSync(bench.home, { recursive: true })
    const env = { ...withoutSandbox(bench, bwrap), GITHUB_TOKEN: "ghp-of-mine-1234" }
    const { outputs } = await attempt(bench, ["printenv GITHUB_TOKEN"], {
      env,
      yes: true,
      config: { env: { pass: ["GITHUB_TOKEN"] } },
    })
    expect(outputs[0]).toBe("ghp-of-mine-1234")
  })
})
