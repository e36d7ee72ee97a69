import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { benchWith, finished } from "./support/sotto.js"

const FILES = ["sotto.json", ".sotto/reminders/changelog.md"]

it("sotto init writes a configuration and a reminder that Sotto takes as they are", async () => {
  const bench = benchWith()
  const { code, out } = await finished(bench, ["init"])
  expect(code).toBe(0)
  for (const file of FILES) expect(out).toContain(`wrote ${file}\n`)
  expect(out).toContain("sotto trust add")
  const rules = await finished(bench, ["rules"])
  expect(rules.out).toMatch(/^changelog +on .*\.sotto\/reminders\/changelog\.md$/m)
})

it("every line of it that is commented out is right once it is not", async () => {
  const bench = benchWith()
  await finished(bench, ["init"])
  const text = readFileSync(bench.path("sotto.json"), "utf8")
  const lines = text.split("\n").map((line) => line.replace(/^( +)\/\/ (?=")/, "$1"))
  expect(lines.join("\n").length).toBeLessThan(text.length - 20)
  writeFileSync(bench.path("sotto.json"), lines.join("\n"))
  const { err, out } = await finished(bench, ["doctor"])
  expect(`${out}${err}`).toMatch(/^ok +configuration/m)
})

it("sotto init writes over nothing", async () => {
  const bench = benchWith({ "sotto.json": "{}" })
  expect((await finished(bench, ["init"])).out).toContain(
    "kept  sotto.json\nwrote .sotto/reminders/changelog.md\n",
  )
  expect(readFileSync(bench.path("sotto.json"), "utf8")).toBe("{}")
  const again = await finished(bench, ["init"])
  expect(again.out).toBe("kept  sotto.json\nkept  .sotto/reminders/changelog.md\n")
})

it("sotto init says which folder it cannot use, and what to do", async () => {
  const bench = benchWith({ ".sotto": "a file in the way" })
  mkdirSync(bench.path("sub"))
  for (const [args, message] of [
    [["missing"], /missing is not a folder\. Make it first/],
    [["a", "b"], /takes one folder/],
    [["--force"], /takes one folder/],
    [[], /\.sotto.*cannot be written/],
  ] as const) {
    const { code, err } = await finished(bench, ["init", ...args])
    expect(code).toBe(2)
    expect(err).toMatch(message)
  }
  expect((await finished(bench, ["init", "sub"])).code).toBe(0)
  expect(existsSync(bench.path("sub/sotto.json"))).toBe(true)
})
