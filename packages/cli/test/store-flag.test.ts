import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { takeStore } from "../src/commands/table.js"
import { benchWith, finished, reaching, serverWith } from "./support/sotto.js"

describe("--store", () => {
  it.each([
    [["sessions", "--store", "/a.db"], ["sessions"], "/a.db"],
    [["sessions", "--store=/a.db", "delete", "x"], ["sessions", "delete", "x"], "/a.db"],
    [["--store", "/a.db", "run", "hi"], ["run", "hi"], "/a.db"],
    [["--plain", "--store", "/a.db"], ["--plain"], "/a.db"],
    [["proxy", "--", "sotto", "--store", "/a.db"], ["proxy", "--", "sotto", "--store", "/a.db"], undefined],
    [["rules", "--store", "/a.db"], ["rules", "--store", "/a.db"], undefined],
    [["run", "hi"], ["run", "hi"], undefined],
  ])("is taken out of %j", (given, args, store) => {
    expect(takeStore(given)).toEqual({ args, ...(store !== undefined && { store }) })
  })

  it.each([[["run", "--store"]], [["serve", "--store="]]])("needs a place: %j", (args) => {
    expect(() => takeStore(args)).toThrow("--store needs a place")
  })

  it("has a run keep its session there, where other commands find it", async () => {
    const server = await serverWith([{ text: "Hello." }])
    const bench = benchWith()
    const place = join(bench.home, "elsewhere.db")
    const env = reaching(server.url)
    const run = await finished(
      bench,
      ["run", "--model", "anthropic/claude-opus-5-5", "--store", place, "Hi."],
      env,
    )
    expect(run.code).toBe(0)
    expect(existsSync(join(bench.home, "sessions.db"))).toBe(false)
    expect((await finished(bench, ["sessions", "--store", place], env)).out).toContain("claude-opus-5-5")
    expect((await finished(bench, ["sessions"], { ...env, SOTTO_STORE: place })).out).toContain(
      "claude-opus-5-5",
    )
    expect((await finished(bench, ["sessions"], env)).out).toContain("No sessions yet")
  })

  it("that cannot be reached is told without its password", async () => {
    const place = "postgres://ann:hunter2-hunter2@127.0.0.1:1/db"
    const { code, err, out } = await finished(benchWith(), ["sessions", "--store", place], {})
    expect(code).toBe(1)
    expect(err).toContain("postgres://ann@127.0.0.1:1/db cannot be reached")
    expect(err + out).not.toContain("hunter2")
  })
})
