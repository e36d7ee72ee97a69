import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const DOCS = join(import.meta.dirname, "../../../docs")
const AGENTS = ["sotto", "Claude Code", "Codex CLI", "opencode", "pi", "Gemini CLI"]
/** The section whose questions and further agents come from the seeds, and its rows. */
const SEEDED = "How each tells a running model something"
const SEEDED_AGENTS = [...AGENTS, "Aider", "Cline", "AutoGPT"]
const SEEDED_ROWS = [
  "What becomes of a mid-turn message",
  "XML wrapping",
  "Step-aware",
  "Where it is injected",
  "Kinds of reminders",
  "Configuration of reminders",
  "Throttle",
]
const WAYS = /^(?:measured|tried|documented|source|seed|test|page): /
/** A link to a file at a commit, or to one version of a package. */
const PINNED =
  /\]\(https:\/\/(?:github\.com\/[^/)]+\/[^/)]+\/blob\/[0-9a-f]{40}\/[^)]+|www\.npmjs\.com\/package\/[^)]+\/v\/\d+\.\d+\.\d+)\)/g

const page = readFileSync(join(DOCS, "comparison.md"), "utf8")
const performance = readFileSync(join(DOCS, "performance.md"), "utf8")

interface Cell {
  readonly title: string
  readonly agent: string
  readonly says: string
  readonly source: string
}

const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())
const tableIn = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map(cellsOf)

interface Row {
  readonly section: string
  readonly title: string
  readonly cells: readonly Cell[]
}

function rowsOf(markdown: string): readonly Row[] {
  return markdown.split(/^## /m).flatMap((text) => {
    const [head = "", ...questions] = text.split(/^### /m)
    const [section = ""] = head.split("\n")
    return questions.map((question) => {
      const [title = ""] = question.split("\n")
      const cells = tableIn(question).map(([agent = "", says = "", source = ""]) => ({
        title,
        agent,
        says,
        source,
      }))
      return { section, title, cells }
    })
  })
}

const rows = rowsOf(page)
const cells = rows.flatMap((row) => row.cells)
const name = ({ title, agent }: Cell) => `${agent}: ${title}`

/** Why a reader could not find out how we know; undefined if he can. */
function fault({ says, source }: Pick<Cell, "says" | "source">): string | undefined {
  if (says === "") return "says nothing"
  if (source === "not checked") return says === "not checked" ? undefined : "says more than was checked"
  if (says === "not checked") return "has a source and says nothing"
  const parts = source.split("; ")
  if (!parts.every((part) => WAYS.test(part))) return "does not say how we know"
  if (!parts.every((part) => /\]\([^)]+\)|`[^`]+`/.test(part))) return "names no place and no command"
  const sources = parts.filter((part) => part.startsWith("source: "))
  if (sources.some((part) => part.replaceAll(PINNED, "").includes("](")))
    return "links source that may change"
  const seeds = parts.filter((part) => part.startsWith("seed: "))
  return seeds.every((part) => /^seed: `00[0-3]`$/.test(part)) ? undefined : "names no seed"
}

describe("docs/comparison.md", () => {
  it("has a cell for every agent in every row", () => {
    expect(rows.length).toBeGreaterThan(20)
    for (const { section, title, cells } of rows)
      expect([title, ...cells.map(({ agent }) => agent)]).toEqual([
        title,
        ...(section === SEEDED ? SEEDED_AGENTS : AGENTS),
      ])
  })

  it("answers every question of the seeds", () => {
    const seeded = rows.filter(({ section }) => section === SEEDED)
    expect(seeded.map(({ title }) => title)).toEqual(SEEDED_ROWS)
  })

  it("says of every cell how we know", () => {
    expect(
      cells.filter((cell) => fault(cell) !== undefined).map((cell) => [name(cell), fault(cell)]),
    ).toEqual([])
  })

  it("shows what it says of Sotto by a test, a page or a measurement", () => {
    const own = cells.filter(({ agent }) => agent === "sotto")
    expect(own.filter(({ source }) => !/^(?:test|page|measured): /.test(source)).map(name)).toEqual([])
  })

  it("says of Claude Code only what is documented, or what a seed says, by its number", () => {
    const claude = cells.filter(({ agent }) => agent === "Claude Code")
    const other = claude.filter(
      ({ source }) => !source.split("; ").every((part) => /^(?:documented: |seed: |not checked$)/.test(part)),
    )
    expect(other.map(name)).toEqual([])
  })

  it("names in the text every seed that a cell relies on for Claude Code", () => {
    const seeded = cells.filter(({ agent, source }) => agent === "Claude Code" && source.includes("seed: "))
    expect(seeded.length).toBeGreaterThan(0)
    expect(seeded.filter(({ says }) => !/\bseed 00[0-3]:|\bSeed 00[0-3]\b/.test(says)).map(name)).toEqual([])
  })

  it("links files that are there", () => {
    const links = [...page.matchAll(/\]\((?!https:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path)
    expect(links.length).toBeGreaterThan(50)
    expect(links.filter((path) => !existsSync(join(DOCS, path)))).toEqual([])
  })

  it("links headings that are there", () => {
    const links = [...page.matchAll(/\]\((?!https:)([^)#]+)#([^)]+)\)/g)]
    const missing = links.filter(([, path = "", heading = ""]) => {
      const headings = readFileSync(join(DOCS, path), "utf8").match(/^#+ .*$/gm) ?? []
      return !headings.map(anchorOf).includes(heading)
    })
    expect(missing.map(([link]) => link)).toEqual([])
  })

  it("names the versions that were measured", () => {
    const [, versions = ""] = /^\| {2}\| (sotto .*) \|$/m.exec(performance) ?? []
    const named = [...page.matchAll(/\*\*([a-z-]+ \d+\.\d+\.\d+)\*\*/g)].map(([, version = ""]) => version)
    expect(named.sort()).toEqual(versions.split(" | ").sort())
  })

  it("gives the figures that were measured", () => {
    const measured = cells.filter(({ source }) => source.startsWith("measured: [performance]"))
    const figures = measured.flatMap((cell) =>
      [...cell.says.matchAll(/[\d,]+ (?:ms|MB|B)\b/g)].map(([figure]) => ({ cell, figure })),
    )
    expect(figures.length).toBeGreaterThan(20)
    const wrong = figures.filter(({ cell, figure }) => !measuredOf(cell.agent).includes(figure))
    expect(wrong.map(({ cell, figure }) => [name(cell), figure])).toEqual([])
  })
})

describe("its short form", () => {
  const [, short = ""] = /<!-- short -->\n([\s\S]*?)<!-- end of short -->/.exec(page) ?? []
  const table = tableIn(short)

  it("has 10 to 14 of the rows, whole", () => {
    expect(table.length).toBeGreaterThanOrEqual(10)
    expect(table.length).toBeLessThanOrEqual(14)
    for (const row of table) expect(row.filter((cell) => cell !== "")).toHaveLength(1 + AGENTS.length)
    const titles = rows.map(({ title }) => title)
    expect(table.map(([title = ""]) => title).filter((title) => !titles.includes(title))).toEqual([])
  })

  it("says no more than the long one has checked, and gives the same figures", () => {
    for (const [title = "", ...said] of table) {
      const long = rows.find((row) => row.title === title)?.cells ?? []
      for (const [i, says] of said.entries()) {
        const place = `${AGENTS[i]}: ${title}`
        if (long[i]?.source === "not checked") expect([place, says]).toEqual([place, "not checked"])
        for (const [figure] of says.matchAll(/[\d,]+ (?:ms|MB|B)\b/g))
          expect([place, long[i]?.says.includes(figure)]).toEqual([place, true])
      }
    }
  })
})

describe("what finds a cell without a source", () => {
  const FILE = `[x](https://github.com/a/b/blob/${"0a".repeat(20)}/src/x.ts)`

  it.each([
    ["yes", "", "does not say how we know"],
    ["yes", "we think so", "does not say how we know"],
    ["yes", "documented: somewhere", "names no place and no command"],
    ["yes", "tried: `codex --help`; [a page](https://example.org)", "does not say how we know"],
    ["yes", "not checked", "says more than was checked"],
    ["", "tried: `codex --help`", "says nothing"],
    ["not checked", "tried: `codex --help`", "has a source and says nothing"],
    ["yes", "source: [x](https://github.com/a/b/blob/main/x.ts)", "links source that may change"],
    ["yes", `source: ${FILE}, [y](https://github.com/a/b)`, "links source that may change"],
    ["yes", "source: [b](https://www.npmjs.com/package/b)", "links source that may change"],
    ["yes", "seed: `004`", "names no seed"],
  ])("%j by %j", (says, source, why) => {
    expect(fault({ says, source })).toBe(why)
  })

  it.each([
    ["yes", "documented: [hooks](https://example.org)"],
    ["yes", "tried: `codex --help`; documented: [hooks](https://example.org)"],
    ["not checked", "not checked"],
    ["yes", `source: ${FILE}, [b](https://www.npmjs.com/package/@a/b/v/1.2.3); seed: \`002\``],
  ])("and takes %j by %j", (says, source) => {
    expect(fault({ says, source })).toBeUndefined()
  })
})

/** The agent's column of the measured table. */
function measuredOf(agent: string): string {
  const lines = performance.split("\n").filter((line) => line.startsWith("|"))
  const [heading = "", ...rest] = lines
  const called = agent
    .toLowerCase()
    .replace(/^codex cli$/, "codex")
    .replaceAll(" ", "-")
  const column = cellsOf(heading).findIndex((version) => version.startsWith(`${called} `))
  return rest.map((line) => cellsOf(line)[column] ?? "").join("\n")
}

/** What GitHub makes of a heading. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")
}
