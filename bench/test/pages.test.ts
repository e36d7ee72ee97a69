import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { withFigures, withStamp } from "../src/pages/comparison.js"
import { measuredParts, pagesOf, REPOSITORY, withAges } from "../src/pages/measured.js"
import { withFiveLines } from "../src/pages/readme.js"
import { commitOfTree, digestOfCommit, digestOfTree, versionOfCommit } from "../src/pages/sources.js"
import { columnsOf } from "../src/pages/table.js"

const pages = pagesOf(REPOSITORY).map((path) => ({
  path,
  text: readFileSync(join(REPOSITORY, path), "utf8"),
}))
const textOf = (path: string) => pages.find((page) => page.path === path)?.text ?? ""

/** Tables with numbers that are no measurements of this tree, and why. */
const NOT_MEASURED: Readonly<Record<string, string>> = {
  "docs/decisions": "a decision is a record of its day",
  "docs/faults.md": "exit codes, written from the code",
  "docs/integrations.md": "lines of examples, which a test counts",
  "docs/promises.md": "faults that are seeded, written from the code",
  "docs/reference": "written from the code",
  "docs/sources/diagnostics.md": "limits",
  "docs/trust.md": "sizes of corpora, which a test counts",
}

/** Finds the tables of a page in which at least one cell in six begins with a number, by their lines. */
function tablesOfFigures(page: string): readonly { readonly line: number; readonly text: string }[] {
  return [...page.matchAll(/(?:^\|.*\n)+/gm)].flatMap(({ 0: text, index }) => {
    const [, , ...rows] = text.trim().split("\n")
    const cells = rows.flatMap((row) => row.split("|").slice(2, -1))
    const figures = cells.filter((cell) => /^ \$?\d(?!\d{3}-)/.test(cell))
    if (figures.length < 2 || figures.length * 6 < cells.length) return []
    return [{ line: page.slice(0, index).split("\n").length, text }]
  })
}

/** Finds the parts whose figures a test works out anew, and the test that they name. */
function computedParts(page: string): readonly { readonly test: string; readonly text: string }[] {
  const parts = page.matchAll(/<!-- computed: (\S+) -->\n([\s\S]*?)<!-- end of what is computed -->/g)
  return [...parts].map(([, test = "", text = ""]) => ({ test, text }))
}

/** True for a table that names for each of its figures the page that measured it. */
function quotes(table: string): boolean {
  const rows = table.split("\n").filter((row) => /^\|[^|]*\| \d/.test(row))
  return rows.length > 0 && rows.every((row) => row.includes("| measured: [performance](performance.md)"))
}

describe("every table of figures", () => {
  const tables = pages
    .filter(({ path }) => !Object.keys(NOT_MEASURED).some((start) => path.startsWith(start)))
    .flatMap(({ path, text }) => tablesOfFigures(text).map((table) => ({ path, ...table })))

  it("stands in a part that says how it was measured", () => {
    expect(tables.length).toBeGreaterThan(8)
    const outside = tables.filter(
      ({ path, text }) =>
        !quotes(text) &&
        ![...measuredParts(textOf(path)), ...computedParts(textOf(path))].some((part) =>
          part.text.includes(text),
        ),
    )
    expect(outside.map(({ path, line }) => `${path}:${line}`)).toEqual([])
  })

  it("that is computed names the test that reads the page", () => {
    for (const { path, text } of pages)
      for (const { test } of computedParts(text))
        expect(readFileSync(join(REPOSITORY, test), "utf8")).toContain(path)
  })
})

describe("every part that was measured", () => {
  const parts = pages.flatMap(({ path, text }) => measuredParts(text).map((part) => ({ path, ...part })))

  it.each(parts)("$path:$line names the version and the commit that it is of", (part) => {
    expect(part).toMatchObject({
      digest: expect.any(String),
      version: expect.any(String),
      commit: expect.any(String),
    })
    const commit = part.commit ?? ""
    // A shallow clone may not have the commit. The digest is compared with the code in any case.
    expect([part.digest, undefined]).toContain(digestOfCommit(REPOSITORY, commit))
    expect([part.version, undefined]).toContain(versionOfCommit(REPOSITORY, commit))
  })

  it("says that it is old if the code has changed since, and only then: else run `npm run docs`", () => {
    const digest = digestOfTree(REPOSITORY)
    const wrong = pages.filter(({ text }) => withAges(text, digest) !== text)
    expect(wrong.map(({ path }) => path)).toEqual([])
  })
})

describe("docs/comparison.md", () => {
  it("names the measurement, the programs and the days of docs/performance.md, whose figures it quotes", () => {
    const performance = textOf("docs/performance.md")
    const page = textOf("docs/comparison.md")
    const stamped = withStamp(page, performance)
    expect(withAges(stamped, digestOfTree(REPOSITORY))).toBe(page)
    const [heading = ""] = /^\| \| sotto .*$/m.exec(page) ?? []
    for (const column of columnsOf(performance).slice(1)) {
      const [, version = ""] = column.get("")?.split(" ") ?? []
      expect(heading).toContain(`${version} of ${column.get("released")}`)
      expect(page).toContain(`| **${column.get("")}** |`)
    }
  })
})

describe("the README", () => {
  it("has five lines of docs/performance.md's figures: else run `npm run docs`", () => {
    const readme = textOf("README.md")
    const written = withFiveLines(readme, textOf("docs/performance.md"))
    expect(withAges(written, digestOfTree(REPOSITORY))).toBe(readme)
    const [part] = measuredParts(readme)
    expect(part?.text.match(/^\| \S+ \d.* \|$/gm)).toHaveLength(5)
  })
})

describe("the age of figures", () => {
  const page = [
    "<!-- measured: npm run bench -- x -->",
    "<!-- of sources 0123456789 -->",
    "",
    "Measured on 2026-01-02 with sotto 0.1.0 at commit `abcdef0`: here.",
    "",
    "| | a |",
    "",
    "<!-- end of what is measured -->",
  ].join("\n")

  it("is said once when the code differs, and taken out again when it is the same", () => {
    const old = withAges(page, "9876543210")
    expect(old).toMatch(/^<!-- of sources 0123456789 -->\n\n\*Older than this tree: /m)
    expect(measuredParts(old)).toMatchObject([{ saysOld: true, commit: "abcdef0", version: "0.1.0" }])
    expect(withAges(old, "9876543210")).toBe(old)
    expect(withAges(old, "0123456789")).toBe(page)
  })

  it("goes by files as git has them", () => {
    const commit = commitOfTree(REPOSITORY)
    if (commit !== undefined) expect(digestOfCommit(REPOSITORY, commit)).toBe(digestOfTree(REPOSITORY))
    expect(digestOfCommit(REPOSITORY, "0000000")).toBeUndefined()
  })
})

describe("new figures", () => {
  const performance = (start: string, memory: string) =>
    `|  | sotto 1.0.0 | codex 2.0.0 |\n| --- | --- | --- |\n| start | ${start} (1–2 ms) | 9 ms |\n| memory | ${memory} | 8 MB |\n\n`
  const comparison = [
    "| | sotto 1.0.0 | Codex CLI 2.0.0 |",
    "| --- | --- | --- |",
    "| start | 5 ms | 9 ms |",
    "",
    "| | | how we know |",
    "| --- | --- | --- |",
    "| sotto | 5 ms, 7 MB | measured: [performance](performance.md) |",
    "| Codex CLI | 9 ms | measured: [performance](performance.md) |",
    "| sotto | 5 ms | tried: `x` |",
  ].join("\n")

  it("are put into docs/comparison.md where it quotes the old ones of the same agent", () => {
    const page = withFigures(comparison, performance("5 ms", "7 MB"), performance("6 ms", "4 MB"))
    expect(page).toBe(
      comparison.replace("| 5 ms | 9 ms |", "| 6 ms | 9 ms |").replace("5 ms, 7 MB", "6 ms, 4 MB"),
    )
  })
})
