import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { PassThrough } from "node:stream"
import { describe, expect, it, onTestFinished } from "vitest"
import { configuredServers } from "../src/sources/diagnostics/configured.js"
import { Frames } from "../src/sources/diagnostics/frames.js"
import { findProgram, isOwn, rootOf } from "../src/sources/diagnostics/places.js"
import { type DiagnosticProblem, newOf, problemsOf, stillIn } from "../src/sources/diagnostics/problems.js"

const problem = (line: number, message: string): DiagnosticProblem => ({ line, severity: "error", message })
const raw = (line: number, more: object = {}) => ({
  range: { start: { line, character: 0 }, end: { line, character: 1 } },
  message: "Oh.",
  ...more,
})

describe("a report of a language server", () => {
  it("is read as lines from 1, errors before warnings, without hints and information", () => {
    const report = [
      raw(9, { severity: 2, source: "lint", code: "no-x" }),
      raw(4, { severity: 1, source: "ts", code: 2322 }),
      raw(1, { severity: 3 }),
      raw(2, { severity: 4 }),
      raw(7),
    ]
    expect(problemsOf(report)).toEqual([
      { line: 5, severity: "error", message: "Oh.", source: "ts 2322" },
      { line: 8, severity: "error", message: "Oh." },
      { line: 10, severity: "warning", message: "Oh.", source: "lint no-x" },
    ])
  })

  it("loses what makes no sense, and what is too much", () => {
    const nonsense = [null, 7, {}, { message: "no range" }, raw(-1), raw(0.5), raw(0, { message: 7 })]
    expect(problemsOf(nonsense)).toEqual([])
    expect(problemsOf("problems")).toEqual([])
    expect(problemsOf(Array.from({ length: 20_000 }, (_, i) => raw(i)))).toHaveLength(10_000)
    const [long] = problemsOf([raw(0, { message: "x".repeat(5_000), source: "y".repeat(500) })])
    expect(long?.message).toHaveLength(1_000)
    expect(long?.source).toHaveLength(60)
  })
})

describe("problems are new", () => {
  const known = [problem(1, "a"), problem(5, "b")]

  it("unless they are known, wherever they have moved", () => {
    expect(newOf([problem(1, "a"), problem(9, "b")], known)).toEqual([])
    expect(newOf([problem(1, "c"), problem(5, "b")], known)).toEqual([problem(1, "c")])
  })

  it("if there are more of them than before: those at the places that are new", () => {
    expect(newOf([problem(1, "a"), problem(3, "a"), problem(5, "b")], known)).toEqual([problem(3, "a")])
  })

  it("if they come back after they were gone", () => {
    const still = stillIn([problem(8, "b")], known)
    expect(still).toEqual([problem(5, "b")])
    expect(newOf([problem(1, "a"), problem(8, "b")], still)).toEqual([problem(1, "a")])
  })
})

describe("what a server prints", () => {
  const framed = (body: string) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

  async function passed(chunks: readonly string[], largest = 1_000) {
    const dropped: number[] = []
    const frames = new Frames({ largest, dropped: (bytes) => dropped.push(bytes) })
    const input = new PassThrough()
    for (const chunk of chunks) input.write(chunk)
    input.end()
    const out: Buffer[] = []
    for await (const chunk of input.pipe(frames)) out.push(chunk)
    return { text: Buffer.concat(out).toString(), dropped }
  }

  it("is let through message by message, however it is cut", async () => {
    const text = framed('{"a":"ä"}') + framed("{}")
    expect((await passed([text])).text).toBe(text)
    expect((await passed([...text])).text).toBe(text)
  })

  it("is skipped where it is no message", async () => {
    const typed = `Content-Type: x\r\nContent-Length: 2\r\nMore: y\r\n\r\n{}`
    const { text } = await passed([
      `Hello!\n${framed("{}")}`,
      "No header\r\n\r\n",
      typed,
      "noise".repeat(10_000),
    ])
    expect(text).toBe(framed("{}") + framed("{}"))
  })

  it("is skipped where it is too much, and reported", async () => {
    const { text, dropped } = await passed([framed("x".repeat(2_000)) + framed("{}")])
    expect({ text, dropped }).toEqual({ text: framed("{}"), dropped: [2_000] })
  })
})

describe("the settings of language servers", () => {
  it("are filled in for those that are known, and may say something else", () => {
    const initialization = { deep: { list: [1, null] } }
    const { specs, wrong } = configuredServers({
      python: true,
      yaml: { initialization },
      own: { command: ["own", "--stdio"], extensions: ["OWN", ".x"] },
      go: false,
      rust: { disable: true },
    })
    expect(wrong).toEqual([])
    expect(specs).toMatchObject([
      { name: "python", command: ["pyright-langserver", "--stdio"], extensions: [".py", ".pyi"] },
      { name: "yaml", command: ["yaml-language-server", "--stdio"], initialization },
      { name: "own", command: ["own", "--stdio"], extensions: [".own", ".x"] },
    ])
  })

  it("are refused, with what is known, where something is missing", () => {
    const { specs, wrong } = configuredServers({ cobol: true, own: { command: ["own"] } })
    expect(specs).toEqual([])
    expect(wrong).toEqual([
      expect.stringMatching(/^lsp\.cobol in sotto\.json: .*`command` and `extensions`.*typescript, python/),
      expect.stringMatching(/^lsp\.own in sotto\.json: /),
    ])
  })
})

describe("the place of a language server", () => {
  function folderWith(...files: readonly string[]): string {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-lsp-")))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    for (const file of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), "")
      chmodSync(join(root, file), 0o755)
    }
    return root
  }

  it("is the nearest folder with a marker, and never above the workspace", () => {
    const root = folderWith("package.json", "work/lib/package.json", "work/lib/src/deep/a.ts", "work/b.ts")
    const cwd = join(root, "work")
    expect(rootOf(join(cwd, "lib/src/deep/a.ts"), ["package.json"], cwd)).toBe(join(cwd, "lib"))
    expect(rootOf(join(cwd, "b.ts"), ["package.json"], cwd)).toBe(cwd)
    expect(rootOf(join(cwd, "lib/src/deep/a.ts"), [], cwd)).toBe(cwd)
  })

  it("is not outside, nor where things are installed", () => {
    const cwd = "/work"
    expect(["/work/a.ts", "/work/src/..a.ts"].map((path) => isOwn(path, cwd))).toEqual([true, true])
    const others = ["/worker/a.ts", "/a.ts", "/work/x/node_modules/y/a.ts", "/work/.git/a.ts"]
    expect(others.map((path) => isOwn(path, cwd))).toEqual([false, false, false, false])
  })

  it("has its program on PATH, else in the project", () => {
    const root = folderWith(
      ".git/x",
      "path/both",
      "node_modules/.bin/both",
      "node_modules/.bin/above",
      "work/node_modules/.bin/here",
      "work/lib/node_modules/.bin/here",
      "work/script.sh",
    )
    const cwd = join(root, "work")
    const place = { cwd, trusted: true, env: { PATH: join(root, "path"), HOME: "/nowhere" } }
    const find = (program: string) => findProgram(program, join(cwd, "lib"), place)
    expect(find("both")).toBe(join(root, "path/both"))
    expect(find("above")).toBe(join(root, "node_modules/.bin/above"))
    expect(find("here")).toBe(join(cwd, "lib/node_modules/.bin/here"))
    expect(find("./script.sh")).toBe(join(cwd, "script.sh"))
    expect([find("nowhere"), find("./lib")]).toEqual([undefined, undefined])
  })
})
