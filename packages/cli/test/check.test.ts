import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { FINDING_KINDS, type Report } from "@sotto/lens"
import { describe, expect, it } from "vitest"
import { type Bench, benchWith, finished, reaching, serverWith, sotto } from "./support/sotto.js"

const LONG = "Mind the manual. ".repeat(600)

/** A recording of calls in which each body follows the one before it. */
function recording(bodies: readonly object[], path = "/v1/messages"): string {
  return bodies
    .map((body, i) => {
      const request = { method: "POST", path, headers: {}, body: JSON.stringify(body) }
      return `${JSON.stringify({ at: 1_790_000_000_000 + i * 1_000, ms: 100, request })}\n`
    })
    .join("")
}

/** So many steps of a conversation, of which the system prompt changes before the third. */
function bodies(steps: number, isBroken: boolean): readonly object[] {
  const cache_control = { type: "ephemeral" }
  return Array.from({ length: steps }, (_, n) => ({
    model: "claude-opus-5-5",
    max_tokens: 100,
    system: [{ type: "text", text: `${LONG}Today is the ${isBroken && n >= 2 ? 17 : 16}th.`, cache_control }],
    messages: Array.from({ length: 2 * n + 1 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: `Message ${i}`, ...(i === 2 * n && { cache_control }) }],
    })),
  }))
}

const GOOD = recording(bodies(4, false))
const BROKEN = recording(bodies(4, true))

async function reportOf(bench: Bench, ...args: readonly string[]): Promise<Report> {
  const { out, code, err } = await finished(bench, ["check", "--json", ...args])
  expect([code, err]).toEqual([0, ""])
  return JSON.parse(out)
}

describe.concurrent("sotto check", () => {
  it("says first what it comes to, then the findings with what to do, then the threads", async () => {
    const { out, err, code } = await finished(benchWith({ "a.jsonl": BROKEN }), ["check", "a.jsonl"])
    expect([code, err]).toEqual([0, ""])
    expect(out).toMatch(/^4 calls in 1 thread\. 1 break of the prompt cache: [\d,]+ tokens/)
    const [findings, threads] = [out.indexOf("system-changed"), out.indexOf("\nThreads\n")]
    expect(findings).toBeGreaterThan(0)
    expect(threads).toBeGreaterThan(findings)
    expect(out.slice(findings, threads)).toContain("→ Keep the system prompt fixed")
    expect(out.slice(threads)).toMatch(/Call 3: system-changed, [\d,]+ tokens lost/)
    expect(out).toContain("16th.")
    expect(out).toContain("17th.")
    expect(out).not.toContain("\u001b")
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100)
  })

  it("has nothing to say of a conversation that only grows", async () => {
    const { out, code } = await finished(benchWith({ "a.jsonl": GOOD }), ["check", "a.jsonl"])
    expect(code).toBe(0)
    expect(out).toMatch(/^4 calls in 1 thread\. No break/)
    expect(out).toContain("Nothing was found that would have to be mended.")
  })

  it("colours where that is asked for, and not against NO_COLOR", async () => {
    const bench = benchWith({ "a.jsonl": BROKEN })
    const coloured = await finished(bench, ["check", "a.jsonl"], { FORCE_COLOR: "1" })
    expect(coloured.out).toContain("\u001b[1m")
    const plain = await finished(bench, ["check", "a.jsonl"], { FORCE_COLOR: "1", NO_COLOR: "1" })
    expect(plain.out).not.toContain("\u001b")
  })

  it("gives the report as JSON and as a page that needs nothing else", async () => {
    const evil = recording(bodies(3, true)).replaceAll("Message 0", "<script>alert(1)</script>")
    const bench = benchWith({ "a.jsonl": BROKEN, "evil.jsonl": evil })
    const report = await reportOf(bench, "a.jsonl", "--html", "page.html")
    expect(report).toMatchObject({
      version: 1,
      sources: [{ name: "a.jsonl", format: "calls", calls: 4 }],
      threads: [{ dialect: "anthropic", model: "claude-opus-5-5", calls: 4, purpose: "main" }],
    })
    expect(report.threads[0]?.breaks).toMatchObject([{ call: 3, cause: "system-changed" }])
    const page = readFileSync(bench.path("page.html"), "utf8")
    expect(page).toContain("system-changed")
    expect(page).not.toMatch(/(src|href)="(?!#)/)
    expect(statSync(bench.path("page.html")).mode & 0o077).toBe(0)
    await reportOf(bench, "evil.jsonl", "--html", "evil.html")
    expect(readFileSync(bench.path("evil.html"), "utf8")).not.toContain("<script>")
  })

  it("reads a compressed file that is cut off as far as it goes, and says where it ends", async () => {
    const bench = benchWith()
    // Stored, not squeezed: half of the file is half of the lines.
    const packed = gzipSync(GOOD, { level: 0 })
    writeFileSync(bench.path("cut.jsonl.gz"), packed.subarray(0, Math.floor(packed.length * 0.6)))
    const { sources, findings } = await reportOf(bench, "cut.jsonl.gz")
    expect(sources).toMatchObject([{ format: "calls", calls: 2 }])
    expect(findings).toContainEqual(expect.objectContaining({ id: "damaged-line" }))
  })

  it("reads standard input, compressed files, folders and several sources", async () => {
    const bench = benchWith({ "logs/a.jsonl": GOOD, "logs/deep/b.jsonl": BROKEN, "logs/package.json": "{}" })
    writeFileSync(bench.path("c.jsonl.gz"), gzipSync(GOOD))
    const run = sotto(bench, ["check", "--json"])
    run.write(BROKEN)
    const piped = await run.end()
    expect(JSON.parse(piped.out).sources).toEqual([{ name: "stdin", format: "calls", calls: 4 }])

    const { out, err, code } = await finished(bench, ["check", "--json", "logs", "c.jsonl.gz"])
    expect([code, err]).toEqual([0, "1 file passed over: no recordings or session files.\n"])
    expect((JSON.parse(out) as Report).sources.map(({ name }) => name)).toEqual([
      "logs/a.jsonl",
      join("logs", "deep", "b.jsonl"),
      "c.jsonl.gz",
    ])
  })

  it("reads the folder in which older versions of opencode keep sessions", async () => {
    const message = (role: string, more: object = {}) =>
      JSON.stringify({ role, sessionID: "ses_1", ...more }, null, 2)
    const tokens = { input: 1, output: 1, cache: { read: 0, write: 0 } }
    const bench = benchWith({
      "oc/storage/message/ses_1/msg_1.json": message("user"),
      "oc/storage/message/ses_1/msg_2.json": message("assistant", { modelID: "m", tokens }),
      "oc/storage/part/msg_1/prt_1.json": '{"type":"text","text":"Hello"}',
      "oc/storage/part/msg_2/prt_2.json": '{"type":"text","text":"Hi"}',
    })
    const report = await reportOf(bench, "oc")
    expect(report.sources).toEqual([{ name: "oc:ses_1", format: "opencode", calls: 1 }])
  })

  it("reads a session of Sotto by its id, and finds nothing wrong with it", async () => {
    const server = await serverWith([
      { calls: [{ name: "read", input: { path: "a.txt" } }] },
      { text: "One." },
      { text: "Two." },
    ])
    const bench = benchWith({ "a.txt": "A file.\n", "AGENTS.md": "Be brief.\n" })
    const run = (...args: readonly string[]) =>
      finished(bench, ["run", "--model", "anthropic/claude-opus-5-5", ...args], reaching(server.url))
    expect((await run("Read it.")).code).toBe(0)
    expect((await run("Again.", "--continue")).code).toBe(0)
    const id = /^\S+/.exec((await finished(bench, ["sessions"])).out)?.[0] ?? ""
    const report = await reportOf(bench, id, "--max-breaks", "0", "--fail-on", "warning")
    expect(report.sources).toEqual([{ name: id, format: "sotto", calls: 3 }])
    expect(report.threads).toMatchObject([{ calls: 3, breaks: [] }])
    // The same requests as went over the wire.
    writeFileSync(
      bench.path("sent.jsonl"),
      server.requests.map(({ body }) => `${JSON.stringify(body)}\n`).join(""),
    )
    const sent = await reportOf(bench, "sent.jsonl")
    expect(sent.threads).toMatchObject([{ calls: 3, breaks: [] }])
  })

  it("reports a damaged line with its number, and reads the rest", async () => {
    const [first = "", ...rest] = GOOD.trimEnd().split("\n")
    const bench = benchWith({ "a.jsonl": [first, '{"request": {"bo', ...rest].join("\n") })
    const { findings, sources } = await reportOf(bench, "a.jsonl")
    expect(sources).toMatchObject([{ calls: 4 }])
    expect(findings).toContainEqual(
      expect.objectContaining({ id: "damaged-line", message: expect.stringContaining("line 2") }),
    )
  })

  it("never shows a key from the environment, and writes nothing to the sources", async () => {
    const key = "abcd-efgh-1234-5678-secret"
    const leaky = BROKEN.replaceAll("Today is the 17th", `The key is ${key}`)
    const bench = benchWith({ "logs/a.jsonl": leaky })
    const before = statSync(bench.path("logs/a.jsonl")).mtimeMs
    for (const form of [[], ["--json"], ["--verbose"], ["--html", "../page.html"]]) {
      const args = ["check", "logs", ...form]
      const { out } = await finished(bench, args, { ANTHROPIC_API_KEY: key })
      expect(out).not.toContain(key)
    }
    expect(readdirSync(bench.path("logs"))).toEqual(["a.jsonl"])
    expect(statSync(bench.path("logs/a.jsonl")).mtimeMs).toBe(before)
  })

  it.each([
    [["--max-breaks", "0"], 1, /1 break; --max-breaks allows 0/],
    [["--max-breaks", "1"], 0, /^$/],
    [["--fail-on", "system-changed"], 1, /1 finding for --fail-on system-changed/],
    [["--fail-on", "tools-added,error"], 0, /^$/],
    [["--fail-on", "note"], 1, /findings for --fail-on note/],
    [["--max-reminders", "0%"], 0, /^$/],
    [["--fail-on", "nonsense"], 2, /there is no such finding.*system-changed/],
    [["--max-breaks", "few"], 2, /use a whole number/],
    [["--max-reminders", "-1"], 2, /--max-reminders needs a value/],
    [["--html", "a.jsonl"], 2, /that is a source/],
  ])("%j ends with %i", async (args, code, says) => {
    const ended = await finished(benchWith({ "a.jsonl": BROKEN }), ["check", "a.jsonl", ...args])
    expect([ended.code, ended.err]).toEqual([code, expect.stringMatching(says)])
  })

  it("fails on reminders beyond the limit", async () => {
    const reminder = "<system-reminder>Be careful with the files of others.</system-reminder>"
    const told = GOOD.replaceAll("Message 0", JSON.stringify(reminder).slice(1, -1).repeat(3))
    const bench = benchWith({ "a.jsonl": told })
    const ended = await finished(bench, ["check", "a.jsonl", "--max-reminders", "0.1"])
    expect([ended.code, ended.err]).toEqual([
      1,
      expect.stringMatching(/reminders are [\d.]+% .* allows 0.1%/),
    ])
  })

  it.each([
    ["no source", ["nowhere.jsonl"], /no file, folder or session "nowhere.jsonl"/],
    ["a file that is none", ["README.md"], /no format that Sotto can read/],
    ["an empty file", ["empty.jsonl"], /is empty/],
    ["an empty folder", ["void"], /holds no file/],
    ["a folder without any", ["other"], /None of the files/],
    ["another database", ["x.db"], /no database of opencode/],
  ])("%s: exit code 2", async (_, args, says) => {
    const bench = benchWith({
      "README.md": "# Hello\n",
      "empty.jsonl": "",
      "other/package.json": "{}",
      "x.db": "SQLite format 3\u0000",
    })
    mkdirSync(bench.path("void"))
    const ended = await finished(bench, ["check", ...args])
    expect([ended.code, ended.out]).toEqual([2, ""])
    expect(ended.err).toMatch(says)
  })
})

it("docs/check.md lists every finding", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/check.md"), "utf8")
  for (const { id, severity, meaning, remedy } of FINDING_KINDS)
    expect(page).toContain(`| \`${id}\` | ${severity} | ${meaning} | ${remedy} |`)
})
