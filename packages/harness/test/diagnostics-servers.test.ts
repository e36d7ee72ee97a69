import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { LanguageServers } from "../src/sources/diagnostics/servers.js"

const FAKE = fileURLToPath(new URL("diagnostics-server.mjs", import.meta.url))
const PATIENT = { timeout: 60_000 }

interface Verdict {
  readonly file: string
  readonly messages: readonly string[]
}

/** The servers of a workspace, with one for `.fake` files, and somebody who listens. */
function open(habits: readonly string[] = [], lsp: object = {}) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-lsp-")))
  const log = join(cwd, "lsp.log")
  const gate = join(cwd, "gate")
  execFileSync("mkfifo", [gate])
  const fake = {
    command: [process.execPath, FAKE, ...habits],
    extensions: [".fake"],
    env: { LSP_LOG: log, LSP_GATE: gate },
  }
  const servers = new LanguageServers({ cwd, trusted: true, env: process.env, lsp: { fake, ...lsp } })
  const verdicts: Verdict[] = []
  const reports: string[] = []
  servers.listen({
    judged: (_, path, problems) =>
      verdicts.push({ file: basename(path), messages: problems.map(({ message }) => message) }),
    report: (message) => reports.push(message),
  })
  onTestFinished(async () => {
    await servers.close()
    rmSync(cwd, { recursive: true, force: true })
  })
  const server = (file: string) => {
    const [found] = servers.for(join(cwd, file))
    if (found === undefined) throw new Error(`no server for ${file}`)
    return found
  }
  return {
    verdicts,
    reports,
    server,
    read: (file: string, text: string) => server(file).sync(join(cwd, file), text, "read"),
    written: (file: string, text: string) => server(file).sync(join(cwd, file), text, "written"),
    verdictOn: (file: string) =>
      server(file)
        .verdictOn(join(cwd, file))
        ?.map(({ message }) => message),
    forget: (file: string) => server(file).forget(join(cwd, file)),
    openGate: () => writeFile(gate, "open\n"),
    /** Everything that the server was told, with the file it was about. */
    heard: (): readonly (readonly [method: string, file: string])[] =>
      (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []).map((line) => {
        const { method, params } = JSON.parse(line)
        return [method, basename(params?.textDocument?.uri ?? "")]
      }),
    /** What the server's own requests were answered with. */
    answers: () =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .flatMap(({ method, params }) => (method === "answered" ? [params.result] : [])),
    until: (verdict: Verdict) => vi.waitFor(() => expect(verdicts).toContainEqual(verdict), PATIENT),
  }
}

describe("a language server", () => {
  it("is shown a file as it was read before any change of it, so that old problems are known", async () => {
    const bench = open()
    bench.read("a.fake", "BAD: old")
    bench.written("a.fake", "BAD: old\nBAD: new")
    expect(bench.verdictOn("a.fake")).toBeUndefined()
    await bench.until({ file: "a.fake", messages: ["old", "new"] })
    expect(bench.verdicts).toEqual([
      { file: "a.fake", messages: ["old"] },
      { file: "a.fake", messages: ["old", "new"] },
    ])
    expect(bench.heard().map(([method]) => method)).toEqual([
      "initialize",
      "initialized",
      "textDocument/didOpen",
      "published",
      "textDocument/didChange",
      "published",
      "textDocument/didSave",
    ])
  })

  it("that asks for settings gets an object for every section, also for all and for one without settings", async () => {
    const bench = open(["asks"])
    bench.read("a.fake", "BAD: old")
    await bench.until({ file: "a.fake", messages: ["old"] })
    await vi.waitFor(() => expect(bench.answers()).toEqual([[{}, {}, {}, {}]]), PATIENT)
  })

  it("is not believed about a version that is long gone", async () => {
    const bench = open(["slow"])
    bench.written("a.fake", "BAD: long gone")
    await vi.waitFor(() => expect(bench.heard()).toHaveLength(3), PATIENT)
    bench.written("a.fake", "BAD: as it is now")
    await bench.openGate()
    await vi.waitFor(
      () => expect(bench.heard().at(-1)).toEqual(["textDocument/didChange", "a.fake"]),
      PATIENT,
    )
    await bench.openGate()
    await bench.until({ file: "a.fake", messages: ["as it is now"] })
    expect(bench.verdicts).toHaveLength(1)
    expect(bench.heard().filter(([method]) => method === "published")).toHaveLength(2)
  })

  it("may say it in pieces, without versions: the last word counts", async () => {
    const bench = open(["pieces", "unversioned"])
    bench.written("a.fake", "BAD: in the end")
    await bench.until({ file: "a.fake", messages: ["in the end"] })
    expect(bench.verdicts).toHaveLength(1)
  })

  it("is asked, where it wants to be, about every file that a change may concern", async () => {
    const bench = open(["pull", "all"])
    bench.read("a.fake", "fine")
    bench.read("b.fake", "fine")
    bench.written("a.fake", "BAD: for all")
    await bench.until({ file: "a.fake", messages: ["for all"] })
    await bench.until({ file: "b.fake", messages: ["for all"] })
    expect(bench.verdictOn("b.fake")).toEqual(["for all"])
  })

  it("has a hundred files open at most: the one not touched for longest is closed", async () => {
    const bench = open()
    for (let i = 0; i < 100; i++) bench.read(`${i}.fake`, "fine")
    bench.read("0.fake", "fine")
    bench.read("last.fake", "BAD: last")
    await bench.until({ file: "last.fake", messages: ["last"] })
    bench.written("more.fake", "BAD: more")
    await bench.until({ file: "more.fake", messages: ["more"] })
    const closed = bench.heard().filter(([method]) => method === "textDocument/didClose")
    // The first was closed before the server had started: it has never heard of it.
    expect(closed).toEqual([["textDocument/didClose", "2.fake"]])
    expect(bench.heard().some(([, file]) => file === "1.fake")).toBe(false)
    expect(bench.verdictOn("2.fake")).toBeUndefined()
    expect(bench.verdictOn("0.fake")).toEqual([])
  })

  it("closes a file that is gone", async () => {
    const bench = open()
    bench.read("a.fake", "BAD: a")
    await bench.until({ file: "a.fake", messages: ["a"] })
    bench.forget("a.fake")
    await vi.waitFor(() => expect(bench.heard().at(-1)).toEqual(["textDocument/didClose", "a.fake"]), PATIENT)
    expect(bench.verdictOn("a.fake")).toBeUndefined()
  })

  it("that refuses to start is given up with what it says", async () => {
    const bench = open(["refuses"])
    bench.written("a.fake", "fine")
    await vi.waitFor(() => expect(bench.reports).toHaveLength(1), PATIENT)
    expect(bench.reports[0]).toContain('The language server "fake" refused to start: There is no licence.')
    await bench.server("a.fake").settled(60_000, new AbortController().signal)
  })

  it("is one process for all files of a folder", async () => {
    const bench = open()
    bench.read("a.fake", "BAD: a")
    bench.read("sub/b.fake", "BAD: b")
    await bench.until({ file: "b.fake", messages: ["b"] })
    expect(bench.server("a.fake")).toBe(bench.server("sub/b.fake"))
    expect(bench.heard().filter(([method]) => method === "initialize")).toHaveLength(1)
  })
})
