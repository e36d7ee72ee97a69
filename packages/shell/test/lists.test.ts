import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { judge } from "../src/index.js"

let cwd = ""
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-lists-")))
  mkdirSync(join(cwd, "src"))
  writeFileSync(join(cwd, "a"), "x\n")
  symlinkSync("/etc/hostname", join(cwd, "door"))
})

describe("what a line reads and writes", () => {
  it("is told with the part that says so", async () => {
    const { reads, writes } = await judge("cat a 'door' > src/out", { cwd })
    expect(reads).toEqual([
      { is: "read", path: "a", reach: "inside", part: "a" },
      { is: "read", path: "/etc/hostname", reach: "outside", part: "'door'" },
    ])
    expect(writes).toEqual([{ is: "write", path: "src/out", reach: "inside", part: "src/out" }])
  })

  it("is told as far as it is known where the shell completes names", async () => {
    const { reads } = await judge("cat src/*.ts", { cwd })
    expect(reads).toMatchObject([{ path: "src/*.ts", exact: false, perhaps: ["src/*.ts"] }])
  })

  it("is in the folder of this process unless another is given", async () => {
    const { writes } = await judge("touch x")
    expect(writes).toMatchObject([{ path: "x", reach: "inside" }])
  })
})

describe("what a line sends", () => {
  it.each([
    ["curl -s https://example.com/x", "curl", "example.com"],
    ["ssh me@example.com ls", "ssh", "example.com"],
    ["scp a example.com:b", "scp", "example.com"],
    ["rsync -a src/ example.com:b", "rsync", "example.com"],
    ["git push origin main", "git", "origin"],
    ["git -C src fetch", "git", undefined],
    ["npm install left-pad", "npm", undefined],
    ["cat < /dev/tcp/example.com/80", "bash", "example.com"],
    ["echo x > /dev/tcp/example.com/80", "bash", "example.com"],
    ["timeout 5 wget example.com/x", "wget", "example.com"],
    ["bash -c 'curl example.com'", "curl", "example.com"],
  ])("%s", async (command, program, to) => {
    const { sends } = await judge(command, { cwd })
    expect(sends.map((sent) => [sent.program, sent.to])).toEqual([[program, to]])
  })

  it.each(["ls", "git status", "rsync -a src/ b", "npm ls", "echo curl https://example.com"])(
    "is nothing: %s",
    async (command) => expect((await judge(command, { cwd })).sends).toEqual([]),
  )
})

describe("what is doubtful in a line", () => {
  it("is nothing where all of it is known", async () => {
    for (const command of ["ls", "cat a | head -3", "rm a", "git --version && wc -l a"])
      expect((await judge(command, { cwd })).doubts).toEqual([])
  })

  it.each([
    ['echo "', [{ why: "a syntax error", part: 'echo "' }]],
    ["frobnicate a", [{ why: "what it does is not known", part: "frobnicate a" }]],
    ["tsc --noEmit", [{ why: "it runs code of the workspace", part: "tsc --noEmit" }]],
    ['touch "$x"', [{ why: "which file it writes is known only when it runs", part: '"$x"' }]],
    ['cd "$x" && ls', [{ why: "the folder that it goes to is known only when it runs", part: '"$x"' }]],
  ])("%s", async (command, doubts) => {
    expect((await judge(command, { cwd })).doubts).toEqual(doubts)
  })

  it("names every run of unknown effect", async () => {
    const { runs, doubts } = await judge("python3 x.py; make && ./run $(date)", { cwd })
    const unknown = runs.filter(({ effect }) => effect === "unknown").map(({ part }) => part)
    expect(unknown.length).toBeGreaterThan(2)
    expect(doubts.map(({ part }) => part)).toEqual(expect.arrayContaining(unknown))
  })
})

describe("the README", () => {
  it("shows what its example prints", async () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
    const [, line = ""] = /judge\("([^"]+)"/.exec(readme) ?? []
    const { reads, writes, runs, sends, doubts } = await judge(line, { cwd })
    const shown = Object.fromEntries(
      [...readme.matchAll(/^(\w+)\.(?:map|length)?.*\/\/ (.*)$/gm)].map(([, name = "", value = ""]) => [
        name,
        value,
      ]),
    )
    expect(shown).toEqual({
      reads: JSON.stringify(reads.map(({ path }) => path)),
      writes: JSON.stringify(writes.map(({ path }) => path)),
      runs: JSON.stringify(runs.map(({ command, effect }) => `${command}: ${effect}`)),
      sends: JSON.stringify(sends.map(({ to }) => to)),
      doubts: JSON.stringify(doubts.map(({ why, part }) => `${part}: ${why}`)),
    })
  })
})
