import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { chartsOf, pageReport, type Report } from "./report.js"

const DOCS = new URL("../../../docs/", import.meta.url)
const BEGIN = "<!-- measured: npm run bench -- peers --write -->"
const END = "<!-- end of what is measured -->"

/** Puts the figures into docs/performance.md and the charts beside it. */
export function writePage(report: Report): void {
  const path = fileURLToPath(new URL("performance.md", DOCS))
  writeFileSync(path, replaced(readFileSync(path, "utf8"), pageReport(report)))
  for (const { file, svg } of chartsOf(report)) writeFileSync(fileURLToPath(new URL(file, DOCS)), svg)
  console.log("\nWritten to docs/performance.md.")
}

/** The page with other figures; what was written around them stays. */
export function replaced(page: string, figures: string): string {
  return replacedIn(page, "docs/performance.md", BEGIN, figures)
}

/** The same for any page, by the line before its figures. */
export function replacedIn(page: string, name: string, begin: string, figures: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(END)
  if (from === -1 || to < from)
    throw new Error(`${name} has no place for figures. Put back the lines "${begin}" and "${END}".`)
  return `${page.slice(0, from)}${begin}\n\n${figures}\n\n${page.slice(to)}`
}
