import { execFileSync } from "node:child_process"
import { mkdir, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { BoundedLines } from "../src/execution/programs/bounded-lines.js"
import { filePattern } from "../src/platform/patterns/file-pattern.js"
import { workspace } from "./tools-support.js"

async function project() {
  const place = await workspace()
  await mkdir(join(place.cwd, ".git"))
  const files = [
    "src/a.ts",
    "src/deep/b.ts",
    "c.md",
    "ignored.log",
    "node_modules/d.ts",
    ".github/ci.yml",
    ".git/config",
  ]
  for (const [i, path] of files.entries()) {
    await place.put(path, `needle in ${path}\n`)
    await utimes(join(place.cwd, path), 1000 + i, 1000 + i)
  }
  await place.put(".gitignore", "*.log\nnode_modules\n")
  return place
}

test("glob finds files by pattern, newest first, and never what is ignored", async () => {
  const { see } = await project()
  expect(await see("glob", { pattern: "*.ts" })).toBe("src/deep/b.ts\nsrc/a.ts")
  expect(await see("glob", { pattern: "**" })).toBe("c.md\nsrc/deep/b.ts\nsrc/a.ts")
  expect(await see("glob", { pattern: "src/*.ts" })).toBe("src/a.ts")
  expect(await see("glob", { pattern: "*.ts", path: "src/deep" })).toBe("src/deep/b.ts")
  expect(await see("glob", { pattern: "*.{md,log}" })).toBe("c.md")
  expect(await see("glob", { pattern: "*.rs" })).toBe("No file in . matches *.rs")
})

test("glob shows hidden files when the pattern names them, but not git's own", async () => {
  const { see } = await project()
  expect(await see("glob", { pattern: ".github/**" })).toBe(".github/ci.yml")
  expect(await see("glob", { pattern: "**/.g*/*" })).toBe(".github/ci.yml")
})

test("glob says how many files it leaves out", async () => {
  const { put, see } = await workspace()
  for (let i = 0; i < 205; i++) await put(`f${i}.txt`, "")
  const seen = await see("glob", { pattern: "*.txt" })
  expect(seen.split("\n")).toHaveLength(201)
  expect(seen).toContain("[5 older files are not shown")
})

test("glob refuses a directory that is not there and patterns that leave it", async () => {
  const { refusal } = await project()
  expect(await refusal("glob", { pattern: "*", path: "nowhere" })).toContain("no directory nowhere")
  expect(await refusal("glob", { pattern: "../*" })).toContain("`path`")
  expect(await refusal("glob", { pattern: "/etc/*" })).toContain("`path`")
})

test.each([
  ["*.ts", "a/b.ts", true],
  ["a/*.ts", "a/b/c.ts", false],
  ["a/**/*.ts", "a/c.ts", true],
  ["a/**", "a/b/c.ts", true],
  ["**/b?.ts", "a/b1.ts", true],
  ["[!a]*.ts", "b.ts", true],
  ["[!a]*.ts", "a.ts", false],
  ["{a,b}/*.{ts,js}", "b/x.js", true],
  ["a+(b).ts", "a+(b).ts", true],
  ["./a.ts", "a.ts", true],
  ["a/", "a/b", true],
  ["\\*.ts", "x.ts", false],
])("the pattern %s on %s: %s", (pattern, path, expected) => {
  expect(filePattern(pattern)(path)).toBe(expected)
})

test("grep shows matches under their files, with line numbers", async () => {
  const { put, see } = await project()
  await put("src/a.ts", "one\nneedle 1\nthree\nneedle 2\n")
  expect(await see("grep", { pattern: "needle" })).toBe(
    "c.md\n1: needle in c.md\nsrc/a.ts\n2: needle 1\n4: needle 2\nsrc/deep/b.ts\n1: needle in src/deep/b.ts",
  )
  expect(await see("grep", { pattern: "needle \\d", path: "src" })).toBe("src/a.ts\n2: needle 1\n4: needle 2")
  expect(await see("grep", { pattern: "one\\nneedle", path: "src/a.ts" })).toBe(
    "src/a.ts\n1: one\n2: needle 1",
  )
})

test("a glob narrows a grep without bringing ignored files back", async () => {
  const { see } = await project()
  expect(await see("grep", { pattern: "needle", glob: "**" })).not.toMatch(/log|node_modules|git/)
  expect(await see("grep", { pattern: "needle", glob: "*.md" })).toBe("c.md\n1: needle in c.md")
  expect(await see("grep", { pattern: "needle", glob: "*.log" })).toBe("No matches in . for needle")
})

test("finding nothing is no error; a bad expression is, in ripgrep's words", async () => {
  const { run, refusal } = await project()
  expect(await run("grep", { pattern: "-absent" })).toEqual({ content: "No matches in . for -absent" })
  expect(await refusal("grep", { pattern: "(" })).toContain("unclosed group")
  expect(await refusal("grep", { pattern: "x", path: "nowhere" })).toContain("nothing at nowhere")
})

test("grep caps matches, bytes and line lengths, and says so", async () => {
  const { put, see } = await workspace()
  await put("many.txt", "hit\n".repeat(500))
  const many = await see("grep", { pattern: "hit" })
  expect(many.split("\n")).toHaveLength(202)
  expect(many).toContain("[There are more than these 200 matches")
  await put("many.txt", `hit ${"x".repeat(5000)}\n`.repeat(150))
  const wide = await see("grep", { pattern: "hit" })
  expect(wide.length).toBeLessThan(30_200)
  expect(wide).toContain("x…\n")
})

test("an aborted search ends", async () => {
  const { turn, run } = await project()
  turn.abort()
  await expect(run("grep", { pattern: "needle" })).rejects.toThrow("aborted")
})

test("grep shows the start of a long line of text", async () => {
  const { cwd, see } = await workspace()
  await writeFile(join(cwd, "long.txt"), `needle ${"x".repeat(3_000_000)}\nneedle again\n`)
  const found = await see("grep", { pattern: "needle" })
  expect(found).toContain("1: needle xxx")
  expect(found).toContain("2: needle again")
  expect(found.length).toBeLessThan(2_000)
})

test("lines are split without keeping more than is wanted of any", () => {
  const lines = new BoundedLines(5)
  expect([...lines.take(Buffer.from("ab\ncdefgh"))]).toEqual(["ab"])
  expect([...lines.take(Buffer.from("ijk\r\n\nlm\r\n"))]).toEqual(["cdefg", "", "lm"])
  expect([...lines.take(Buffer.from("no end"))]).toEqual([])
  expect([...lines.rest()]).toEqual(["no en"])
})

test("a named pipe is neither searched nor read nor waited for", async () => {
  const { cwd, see } = await workspace()
  execFileSync("mkfifo", [join(cwd, "pipe")])
  await writeFile(join(cwd, "a.txt"), "needle\n")
  await expect(see("grep", { pattern: "needle", path: "pipe" })).rejects.toThrow(
    "neither a file nor a directory",
  )
  await expect(see("read", { path: "pipe" })).rejects.toThrow("not a regular file")
  expect(await see("grep", { pattern: "needle" })).toBe("a.txt\n1: needle")
  expect(await see("glob", { pattern: "*" })).toContain("a.txt")
  await expect(see("grep", { pattern: "x", path: "/dev/zero" })).rejects.toThrow(
    "neither a file nor a directory",
  )
})
