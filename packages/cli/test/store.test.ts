import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { openStore } from "@sotto/harness"
import { describe, expect, it } from "vitest"
import { serving } from "./support/server.js"
import { type Bench, benchWith, finished } from "./support/sotto.js"

/** The SQLite of the harness: the command itself has none. */
const Sqlite = createRequire(new URL("../../harness/package.json", import.meta.url))("libsql")

const own = (bench: Bench) => join(bench.home, "sessions.db")

/** A bench whose store has these sessions, each a second younger than the one before. */
async function benchWithSessions(...ids: readonly string[]): Promise<Bench> {
  const bench = benchWith()
  mkdirSync(bench.home, { recursive: true })
  const store = await openStore(own(bench))
  for (const [i, id] of ids.entries()) {
    const at = 1_000 * i
    const model = { id: "anthropic/claude-opus-5-5" }
    await store.create({ cwd: "/work", title: `Title of ${id}` }, [
      { type: "opened", version: 1, id, agent: "build", model, seq: 0, at },
      { type: "noted", signal: { type: "x", pad: "y".repeat(10_000) }, seq: 1, at },
    ])
    await store.release(id)
  }
  await store.close()
  return bench
}

function change(path: string, sql: string): void {
  const sqlite = new Sqlite(path)
  sqlite.exec(sql)
  sqlite.close()
}

const idsOf = async (path: string) => {
  const store = await openStore(path)
  const ids = (await store.list()).map(({ id }) => id)
  await store.close()
  return ids
}

describe.concurrent("sotto store", () => {
  it("status says what the store is and holds, and makes none to find out", async () => {
    const bench = benchWith()
    const none = await finished(bench, ["store", "status"])
    expect(none).toMatchObject({ code: 0, err: "" })
    expect(none.out).toContain("there is no store yet")
    expect(existsSync(own(bench))).toBe(false)
    const used = await benchWithSessions("one", "two")
    const store = await openStore(own(used))
    await store.open("one")
    await store.post("two", { id: "p", command: {} })
    const { out } = await finished(used, ["store"])
    expect(out).toMatch(/^sessions +2, with 4 entries and 0 texts of files$/m)
    expect(out).toMatch(new RegExp(`^ +one {2}process ${process.pid} on `, "m"))
    expect(out).toMatch(/^waiting +1 session for a worker\n +two$/m)
    const json = JSON.parse((await finished(used, ["store", "status", "--json"])).out)
    expect(json).toMatchObject({
      ...{ store: own(used), kind: "sqlite", sessions: 2, entries: 4, waiting: ["two"], losses: [] },
      ...{ posts: { hearing: "files" }, open: [{ session: "one", pid: process.pid }] },
    })
    expect(json.schema.version).toBe(json.schema.known)
    await store.close()
  })

  it("status shows no password, of a store that cannot be reached either", async () => {
    const address = "postgres://me:hidden-word@127.0.0.1:1/db"
    for (const args of [["status"], ["verify"], ["migrate"], ["copy", address, "b.db"]]) {
      const { code, out, err } = await finished(benchWith(), ["store", ...args, "--store", address])
      expect(code).toBe(1)
      expect(err).toContain("postgres://me@127.0.0.1:1/db cannot be reached")
      expect(out + err).not.toContain("hidden-word")
    }
  })

  it("migrate brings an older schema up to date and says so, and does nothing the second time", async () => {
    const bench = await benchWithSessions("one")
    change(
      own(bench),
      "ALTER TABLE sessions DROP COLUMN workspace; ALTER TABLE sessions DROP COLUMN at_work; ALTER TABLE sessions DROP COLUMN labels; ALTER TABLE sessions DROP COLUMN metadata; PRAGMA user_version = 4",
    )
    const status = await finished(bench, ["store", "status"])
    expect(status.out).toMatch(/version 4; this Sotto knows version \d+\. `sotto store migrate`/)
    expect((await finished(bench, ["store", "migrate"])).out).toMatch(/from version 4 to version \d+\.$/m)
    expect((await finished(bench, ["store", "migrate"])).out).toMatch(/is up to date: version \d+\.$/m)
    expect((await finished(bench, ["export", "one"])).code).toBe(0)
  })

  it("copy takes sessions to another store, goes on when run again, and compares both", async () => {
    const bench = await benchWithSessions("one", "two")
    const dry = await finished(bench, ["store", "copy", "default", "new.db", "--dry-run"])
    expect(dry.out).toBe(
      "Would copy 2 sessions, continue 0, update 0, 0 there already, 0 refused: 4 new entries.\n",
    )
    expect(existsSync(bench.path("new.db"))).toBe(false)
    const first = await finished(bench, ["store", "copy", "default", "new.db", "--session", "two"])
    expect(first).toMatchObject({ code: 0, err: "" })
    expect(await idsOf(bench.path("new.db"))).toEqual(["two"])
    const json = await finished(bench, ["store", "copy", "default", "new.db", "--json"])
    expect(JSON.parse(json.out)).toMatchObject({
      sessions: [
        { id: "one", is: "copied", added: 2 },
        { id: "two", is: "equal", added: 0 },
      ],
      ...{ verified: 2, differences: [], dryRun: false },
    })
    const exported = async (...args: string[]) => (await finished(bench, ["export", "one", ...args])).out
    expect(await exported("--store", "new.db")).toBe(await exported())
  })

  it("copy names what it refuses, with exit code 1, and says what is wrong with a command line", async () => {
    const bench = await benchWithSessions("one", "two")
    await finished(bench, ["store", "copy", "default", "new.db"])
    change(bench.path("new.db"), "UPDATE entries SET body = replace(body, 'y', 'z') WHERE seq = 1")
    const refused = await finished(bench, ["store", "copy", "default", "new.db"])
    expect(refused.code).toBe(1)
    expect(refused.out).toContain("one  was not copied: entry 1 of its log is another one in the target.")
    expect(refused.out).toContain("2 refused")
    const missing = await finished(bench, ["store", "copy", "nowhere.db", "new.db"])
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("There is no store") })
    expect(existsSync(bench.path("nowhere.db"))).toBe(false)
    for (const args of [
      ["copy", "default"],
      ["copy", "default", own(bench)],
      ["burn"],
      ["copy", "a", "b", "c"],
    ])
      expect((await finished(bench, ["store", ...args])).code).toBe(2)
  })

  it("verify lists damage with the remedy and exit code 1; the remedy helps", async () => {
    const bench = await benchWithSessions("good", "bad")
    const whole = await finished(bench, ["store", "verify"])
    expect(whole).toEqual({
      ...{ code: 0, err: "" },
      out: "2 sessions, 4 entries, 0 texts of files: nothing is wrong.\n",
    })
    change(
      own(bench),
      "UPDATE entries SET body = '{' WHERE seq = 1 AND session = (SELECT key FROM sessions WHERE id = 'bad')",
    )
    const damaged = await finished(bench, ["store", "verify"])
    expect(damaged.code).toBe(1)
    expect(damaged.out).toMatch(/^bad {2}entry 1 is no JSON\. `sotto sessions repair bad`$/m)
    expect(damaged.out).toMatch(/: 1 problem\.$/m)
    expect((await finished(bench, ["sessions", "repair", "bad"])).code).toBe(0)
    expect((await finished(bench, ["store", "verify", "--json"])).code).toBe(0)
  })
})

describe.concurrent("retention", () => {
  it("moves the oldest sessions by size, keeps the latest, and only says so in a dry run", async () => {
    const bench = await benchWithSessions("a", "b", "c", "d")
    const archive = (...args: string[]) => finished(bench, ["sessions", "archive", ...args])
    const dry = await archive("--larger-than", "25kB", "--dry-run")
    expect(dry.out).toMatch(
      /^a {2}would go .*\nb {2}would go .*\nThe store held 4\d\.\d kB and holds 2\d\.\d kB\.$/m,
    )
    expect(await idsOf(own(bench))).toHaveLength(4)
    const kept = await archive("--older-than", "1h", "--keep-latest", "3", "--to", "away")
    expect(kept.out).toContain(`a  ${bench.path("away/a.jsonl.gz")}`)
    expect(await idsOf(own(bench))).toEqual(["d", "c", "b"])
    expect((await finished(bench, ["import", bench.path("away/a.jsonl.gz")])).code).toBe(0)
    for (const args of [
      ["--larger-than", "much"],
      ["--older-than", "soon"],
      ["--keep-latest", "-1"],
    ])
      expect((await archive(...args)).code).toBe(2)
  })

  it("is done by sotto serve as the user's own sotto.json says, with a line in its log", async () => {
    const bench = await benchWithSessions("a", "b", "c")
    const retention = { olderThan: "1h", keepLatest: 1, to: "old" }
    writeFileSync(join(bench.home, "sotto.json"), JSON.stringify({ retention }))
    const { run } = await serving(bench)
    await run.said(/sotto: retention: archived 2 sessions; the store holds .*\n/)
    expect(await idsOf(own(bench))).toEqual(["c"])
    expect(readdirSync(join(bench.home, "old")).sort()).toEqual(["a.jsonl.gz", "b.jsonl.gz"])
    run.signal("SIGTERM")
    expect((await run.ended).code).toBe(0)
  })

  it("says that a time of the configuration is none, with its place", async () => {
    const bench = await benchWithSessions("a")
    writeFileSync(join(bench.home, "sotto.json"), '{\n  "retention": { "olderThan": "soon" } }')
    const { code, err } = await finished(bench, ["sessions"])
    expect(code).not.toBe(0)
    expect(err).toMatch(/sotto\.json:2: retention\.olderThan: .*90d/)
  })
})

it("docs/store.md shows commands that work as they stand", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/store.md"), "utf8")
  const [, block = ""] = /<!-- run -->\n```sh\n([\s\S]*?)```/.exec(page) ?? []
  const lines = block.split("\n").filter((line) => line.startsWith("sotto "))
  expect(lines.length).toBeGreaterThan(4)
  const bench = await benchWithSessions("one", "two")
  for (const line of lines) {
    const [, ...args] = (line.split("#")[0] ?? "").trim().split(/\s+/)
    expect({ line, ...(await finished(bench, args)) }).toMatchObject({ line, code: 0, err: "" })
  }
})
