import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { withFigures } from "../pages/comparison.js"
import { refreshPages } from "../pages/index.js"
import { replacedIn } from "../pages/measured.js"
import { chartsOf, pageReport, type Report } from "./report.js"

const ROOT = new URL("../../../", import.meta.url)
const BEGIN = "<!-- measured: npm run bench -- peers --write -->"

/**
 * Puts the figures and charts into docs/performance.md, five lines of them into the README, and those that
 * docs/comparison.md quotes there. `mark` is the digest of the measured code.
 */
export function writePages(report: Report, mark: string): void {
  const before = read("docs/performance.md")
  const performance = replaced(before, `${mark}\n\n${pageReport(report)}`)
  write("docs/performance.md", performance)
  write("docs/comparison.md", withFigures(read("docs/comparison.md"), before, performance))
  for (const { file, svg } of chartsOf(report)) write(`docs/${file}`, svg)
  refreshPages()
  console.log("\nWritten to docs/performance.md, docs/comparison.md and README.md.")
}

/** Gives the page other figures; what was written around them stays. */
export function replaced(page: string, figures: string): string {
  return replacedIn(page, "docs/performance.md", BEGIN, figures)
}

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8")
}

function write(path: string, text: string): void {
  writeFileSync(fileURLToPath(new URL(path, ROOT)), text)
}
