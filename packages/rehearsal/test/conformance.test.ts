import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { rehearse } from "../src/index.js"
import { anthropic } from "./conformance/anthropic.js"
import { gemini } from "./conformance/gemini.js"
import { openai, openaiChat } from "./conformance/openai.js"
import type { Row, Table } from "./conformance/row.js"

const TABLES: readonly Table[] = [anthropic, openai, openaiChat, gemini]

describe.each(TABLES)("$title", ({ dialect, rows }) => {
  it.each(rows)("$rule: $verdict", ({ verdict, words, body, model, betas = [] }) => {
    const performance = rehearse(body, dialect, { betas, ...(model !== undefined && { model }) })
    expect(performance.is).toBe(verdict === "refused" ? "refused" : "answered")
    const severities = new Set(performance.problems.map(({ severity }) => severity))
    if (verdict === "accepted") return expect(performance.problems).toEqual([])
    expect([...severities]).toEqual([verdict === "refused" ? "error" : "note"])
    // Of several errors, the client hears of the first.
    const told = performance.is === "refused" ? performance.error.message : performance.problems[0]?.message
    expect(told).toContain(words)
  })
})

/** Every `<!-- conformance: dialect -->` of the page is followed by that dialect's table. */
it("docs/rehearsal.md has the tables that are tested (UPDATE_DOCS=1 writes them)", () => {
  const page = join(import.meta.dirname, "../../../docs/rehearsal.md")
  let shown = 0
  const current = readFileSync(page, "utf8").replace(
    /(<!-- conformance: (\S+) -->\n\n)(?:\|.*\n)*/g,
    (_, mark: string, name: string) => {
      const table = TABLES.find(({ dialect }) => dialect === name)
      if (table === undefined) throw new Error(`docs/rehearsal.md names no API "${name}"`)
      shown++
      return `${mark}${markdown(table)}`
    },
  )
  expect(shown).toBe(TABLES.length)
  if (process.env.UPDATE_DOCS === "1") writeFileSync(page, current)
  expect(readFileSync(page, "utf8")).toBe(current)
})

function markdown({ rows }: Table): string {
  const lines = rows.map(
    ({ rule, verdict, words, source }) =>
      `| ${rule} | ${verdict}${severityOf(verdict)} | ${words === undefined ? "" : code(words)} | ${source} |`,
  )
  return ["| what | verdict | in these words | source |", "| --- | --- | --- | --- |", ...lines, ""].join(
    "\n",
  )
}

function severityOf(verdict: Row["verdict"]): string {
  return verdict === "refused" ? " (error)" : verdict === "noted" ? " (note)" : ""
}

function code(words: string): string {
  const fence = words.includes("`") ? "``" : "`"
  return `${fence} ${words} ${fence}`.replace(/\|/g, "\\|")
}
