import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { withStamp } from "./comparison.js"
import { pagesOf, REPOSITORY, withAges } from "./measured.js"
import { withFiveLines } from "./readme.js"
import { digestOfTree } from "./sources.js"

/** Pages that quote figures of docs/performance.md. */
const QUOTING: Readonly<Record<string, (page: string, performance: string) => string>> = {
  "README.md": withFiveLines,
  "docs/comparison.md": withStamp,
}

/** Measures nothing: `npm run docs` runs it. */
export async function run(): Promise<void> {
  refreshPages()
}

/** Takes what pages quote from docs/performance.md, and says of old figures that they are old. */
export function refreshPages(): void {
  const digest = digestOfTree(REPOSITORY)
  const performance = readFileSync(join(REPOSITORY, "docs/performance.md"), "utf8")
  for (const path of pagesOf(REPOSITORY)) {
    const before = readFileSync(join(REPOSITORY, path), "utf8")
    const quoting = QUOTING[path]?.(before, performance) ?? before
    const after = withAges(quoting, digest)
    if (after === before) continue
    writeFileSync(join(REPOSITORY, path), after)
    console.log(`Written: ${path}`)
  }
}
