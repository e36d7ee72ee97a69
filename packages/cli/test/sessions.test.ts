import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import type { Rehearsal } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { type Bench, benchWith, finished, reaching, serverWith, talk } from "./support/sotto.js"

/** The SQLite of the harness: the command itself has none. */
const Sqlite = createRequire(new URL("../../harness/package.json", import.meta.url))("libsql")
const MODEL = ["--model", "anthropic/claude-opus-5-5"]

/** A session of one turn: its id. */
async function aSession(bench: Bench, server: Rehearsal, words = "Say something."): Promise<string> {
  const run = talk(bench, server, ...MODEL, words)
  const { id } = await run.wait({ type: "session" })
  await run.wait({ type: "turn-end", reason: "done" })
  expect((await run.end()).code).toBe(0)
  return id
}

function change(bench: Bench, sql: string): void {
  const sqlite = new Sqlite(join(bench.home, "sessions.db"))
  sqlite.exec(sql)
  sqlite.close()
}

async function twoSessions() {
  const server = await serverWith(Array.from({ length: 8 }, (_, i) => ({ text: `Answer ${i}.` })))
  const bench = benchWith()
  const good = await aSession(bench, server, "The good one.")
  const bad = await aSession(bench, server, "The bad one.")
  return { server, bench, good, bad }
}

/** Overwrites a text in SQLite's log where it first occurs. SQLite drops all that follows a damaged frame. */
function damageLog(path: string, text: string): void {
  const log = readFileSync(path)
  const frame = 24 + log.readUInt32BE(8)
  // Frames with another salt are left over from before the log was last begun anew.
  const salt = log.subarray(16, 24)
  for (let from = 32; log.subarray(from + 8, from + 16).equals(salt); from += frame) {
    const at = log.subarray(from, from + frame).indexOf(text)
    if (at < 0) continue
    writeFileSync(path, log.fill(0x5a, from + at, from + at + text.length))
    return
  }
  throw new Error(`"${text}" is not in the log`)
}

describe.concurrent("sotto sessions", () => {
  it("lists the others beside one whose title is damaged, which it marks with the remedy", async () => {
    const { bench, good, bad } = await twoSessions()
    change(bench, `UPDATE sessions SET title = CAST(x'41ff' AS TEXT) WHERE id = '${bad}'`)
    const list = await finished(bench, ["sessions"])
    expect(list).toMatchObject({ code: 0, err: "" })
    expect(list.out).toContain(good)
    expect(list.out).toContain(
      `${bad}  damaged: its title is not UTF-8 text. \`sotto sessions repair ${bad}\``,
    )
    expect((await finished(bench, ["show", bad])).code).toBe(0)
    expect((await finished(bench, ["sessions", "repair", bad])).out).toContain("No entry is lost.")
    expect((await finished(bench, ["sessions"])).out).not.toContain("damaged")
  })

  it("repair keeps the beginning of a session, saves the original and says what is lost", async () => {
    const { server, bench, good, bad } = await twoSessions()
    const key = `(SELECT key FROM sessions WHERE id = '${bad}')`
    const last = `(SELECT max(seq) FROM entries WHERE session = ${key})`
    change(
      bench,
      `UPDATE entries SET body = CAST(x'7bff7d' AS TEXT) WHERE session = ${key} AND seq = ${last}`,
    )
    for (const command of ["show", "asides", "export"]) {
      const refused = await finished(bench, [command, bad])
      expect(refused.code).toBe(1)
      expect(refused.err).toMatch(
        new RegExp(`entry \\d+ of session ${bad} cannot be read.*sessions repair ${bad}`),
      )
      expect((await finished(bench, [command, good])).code).toBe(0)
    }
    const going = await finished(bench, ["run", "On.", "--session", bad, ...MODEL], reaching(server.url))
    expect(going.code).toBe(1)
    expect(going.err).toContain(`sotto sessions repair ${bad}`)
    const repaired = await finished(bench, ["sessions", "repair", bad])
    expect(repaired.code).toBe(0)
    expect(repaired.out).toMatch(/Kept (\d+) of \d+ entries; the last 1 are lost\./)
    const saved = /original is in (.*)/.exec(repaired.out)?.[1] ?? ""
    expect(readFileSync(saved, "utf8")).toContain("The bad one.")
    expect((await finished(bench, ["show", bad])).out).toContain("The bad one.")
    const on = await finished(
      bench,
      ["run", "On.", "--session", bad, "--quiet", ...MODEL],
      reaching(server.url),
    )
    expect(on.code).toBe(0)
    expect((await finished(bench, ["sessions", "repair", good])).out).toBe(`Nothing is wrong with ${good}.\n`)
  })

  it("delete removes a session, and refuses while it is open", async () => {
    const { server, bench, good, bad } = await twoSessions()
    const open = talk(bench, server, "--session", bad)
    await open.wait({ type: "session" })
    const refused = await finished(bench, ["sessions", "delete", bad])
    expect(refused.code).toBe(1)
    expect(refused.err).toContain("is open in process")
    expect((await open.end()).code).toBe(0)
    expect(await finished(bench, ["sessions", "delete", bad])).toEqual({
      code: 0,
      out: `Deleted ${bad}.\n`,
      err: "",
    })
    const list = await finished(bench, ["sessions"])
    expect(list.out).toContain(good)
    expect(list.out).not.toContain(bad)
    expect((await finished(bench, ["sessions", "delete", bad])).err).toContain("There is no session")
    expect((await finished(bench, ["sessions", "delete"])).code).toBe(2)
    expect((await finished(bench, ["sessions", "frobnicate"])).code).toBe(2)
  })

  it("archive moves old sessions to files, and import brings one back", async () => {
    const { bench, good, bad } = await twoSessions()
    expect((await finished(bench, ["sessions", "archive"])).out).toBe("No session is older than 30 days.\n")
    const before = (await finished(bench, ["export", good])).out
    const archived = await finished(bench, ["sessions", "archive", "--older-than", "0"])
    expect(archived.code).toBe(0)
    for (const id of [good, bad])
      expect(archived.out).toContain(join(bench.home, "archive", `${id}.jsonl.gz`))
    expect((await finished(bench, ["sessions"])).out).toBe("No sessions yet.\n")
    const file = join(bench.home, "archive", `${good}.jsonl.gz`)
    expect((await finished(bench, ["import", file])).out).toBe(`${good}\n`)
    expect((await finished(bench, ["export", good])).out).toBe(before)
    expect((await finished(bench, ["sessions", "archive", "--older-than", "soon"])).code).toBe(2)
  })
})

describe.concurrent("sotto import", () => {
  it.each([
    [
      "an agent that is no text",
      (log: string) => log.replace(/"agent":"build"/, '"agent":true'),
      /Line 2 .*agent/,
    ],
    [
      "a time of no calendar",
      (log: string) => log.replace(/"at":\d+/, '"at":9e15'),
      /Line 2 .*at should be a time in milliseconds.*9000000000000000/,
    ],
    [
      "a step without outcomes",
      (log: string) => log.replace('"outcomes":', '"outcome":'),
      /Line \d+ .*outcomes/,
    ],
    [
      "an unknown entry",
      (log: string) => log.replace('"type":"said"', '"type":"dreamt"'),
      /Line \d+ .*"dreamt"/,
    ],
  ])("refuses %s, with the line and the field, and stores nothing", async (_, spoil, reason) => {
    const server = await serverWith([{ text: "Answer." }])
    const bench = benchWith()
    const id = await aSession(bench, server)
    const { out } = await finished(bench, ["export", id])
    writeFileSync(bench.path("log.jsonl"), spoil(out))
    const other = { ...bench, home: `${bench.home}-other` }
    const refused = await finished(other, ["import", "log.jsonl"])
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(reason)
    expect(refused.err).toContain("Nothing was imported.")
    expect(await finished(other, ["sessions"])).toEqual({ code: 0, out: "No sessions yet.\n", err: "" })
  })
})

describe.concurrent("a store", () => {
  it("whose log lost entries that had been on disk is told, and the rest can be gone on with", async () => {
    const { server, bench, good } = await twoSessions()
    const killed = talk(bench, server, ...MODEL, "Kill me after this.")
    const { id: bad } = await killed.wait({ type: "session" })
    await killed.wait({ type: "turn-end" })
    // The record of what is on disk is written a moment after the disk has it: for this message, before its turn ends.
    killed.say("And again.")
    await killed.wait({ type: "turn-end" }, 2)
    killed.signal("SIGKILL")
    await killed.ended
    damageLog(join(bench.home, "sessions.db-wal"), "And again.")
    const list = await finished(bench, ["sessions"])
    expect(list.err).toMatch(new RegExp(`sotto: The store was damaged or replaced: .*session ${bad}`))
    expect(list.out).toContain(good)
    const on = talk(bench, server, "--session", bad)
    const error = await on.wait({ type: "error" })
    expect(error.message).toContain("missing")
    on.say("Go on.")
    await on.wait({ type: "turn-end" })
    expect((await on.end()).code).toBe(0)
    expect(await finished(bench, ["sessions"])).toMatchObject({ code: 0, err: "" })
  })

  it("that is moved away while a conversation runs accepts nothing more, and says so", async () => {
    const server = await serverWith([{ text: "One." }, { text: "Two." }])
    const bench = benchWith()
    const run = talk(bench, server, ...MODEL)
    run.say("Begin.")
    await run.wait({ type: "turn-end" })
    renameSync(bench.home, `${bench.home}-elsewhere`)
    run.say("Again.", { id: "lost" })
    const error = await run.wait({ type: "error" })
    expect(error.message).toContain("removed, moved or replaced")
    const { code, out } = await run.end()
    expect(code).toBe(1)
    expect(out).not.toContain('"lost"')
    expect(server.requests).toHaveLength(1)
  })

  it("acknowledges a message that is sent again, and delivers it once", async () => {
    const server = await serverWith([{ text: "One." }])
    const run = talk(benchWith(), server, ...MODEL)
    run.say("Begin.", { id: "m" })
    run.say("Begin.", { id: "m" })
    await run.wait({ type: "queued", id: "m" }, 2)
    await run.wait({ type: "turn-end" })
    await run.end()
    expect(run.all({ type: "delivered" })).toHaveLength(1)
    expect(server.requests).toHaveLength(1)
  })
})
