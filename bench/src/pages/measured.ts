import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { commitOfTree, digestOfTree } from "./sources.js"

/**
 * Parts of pages that hold figures. Each stands between two comments, the first of which says how it was measured:
 *
 *     <!-- measured: npm run bench -- peers --write -->
 *     <!-- of sources 0123456789 -->
 *
 *     Measured on 2026-11-16 with sotto 0.1.0 at commit `2f37dfc`: …
 *
 *     <!-- end of what is measured -->
 *
 * The digest tells whether the packages' code is still the measured one. If not, the part says so in a line of its own.
 */
export interface MeasuredPart {
  readonly line: number
  readonly text: string
  readonly digest: string | undefined
  readonly version: string | undefined
  readonly commit: string | undefined
  readonly saysOld: boolean
}

/** What a part says of its figures: the digest of the code as a comment; day, version and commit in words. */
export interface Stamp {
  readonly mark: string
  readonly words: string
}

export const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url))

const BEGIN = /^<!-- measured: .* -->$/m
const END = "<!-- end of what is measured -->"
const DIGEST = /^<!-- of sources ([0-9a-f]+) -->$/m
const STAMP = /Measured on \d{4}-\d\d-\d\d with sotto (\d+\.\d+\.\d+\S*) at commit `([0-9a-f]{7,40})`/
const OLD = "*Older than this tree: the code has changed since that commit.*"

/** Finds all parts of a page that hold figures. */
export function measuredParts(page: string): readonly MeasuredPart[] {
  return page.split(new RegExp(`(?=${BEGIN.source})`, "m")).flatMap((text, i, all): MeasuredPart[] => {
    if (!text.startsWith("<!-- measured: ")) return []
    const line = all.slice(0, i).join("").split("\n").length
    const part = text.slice(0, text.indexOf(END) + END.length)
    const [, version, commit] = STAMP.exec(part) ?? []
    return [
      { line, text: part, digest: DIGEST.exec(part)?.[1], version, commit, saysOld: part.includes(OLD) },
    ]
  })
}

/** Puts into a page which of its figures are older than the code with this digest, and takes it out of the others. */
export function withAges(page: string, digest: string): string {
  return measuredParts(page).reduce(
    (text, part) => text.replace(part.text, () => withAge(part, digest)),
    page,
  )
}

function withAge({ text, digest: measured }: MeasuredPart, digest: string): string {
  const plain = text.replace(`${OLD}\n\n`, "")
  return measured === digest ? plain : plain.replace(DIGEST, (line) => `${line}\n\n${OLD}`)
}

/** Gives a page other figures below the line `begin`; what was written around them stays. */
export function replacedIn(page: string, name: string, begin: string, figures: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(END, from)
  if (from === -1 || to === -1)
    throw new Error(`${name} has no place for figures. Put back the lines "${begin}" and "${END}".`)
  return `${page.slice(0, from)}${begin}\n${figures}\n\n${page.slice(to)}`
}

/** Makes the stamp of figures that are measured now. Throws if no commit has this code. */
export function stampOf(root: string): Stamp {
  const commit = commitOfTree(root)
  if (commit === undefined)
    throw new Error(
      "The packages' code is that of no commit, so a page could not say what was measured. Commit it first, then measure with --write.",
    )
  const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8")) as {
    version: string
  }
  const day = new Date().toISOString().slice(0, 10)
  return {
    mark: markOf(digestOfTree(root)),
    words: `Measured on ${day} with sotto ${version} at commit \`${commit}\``,
  }
}

/** Reads what docs/performance.md says of its figures, for pages that quote them. */
export function stampIn(performance: string): Stamp {
  const [part] = measuredParts(performance)
  const words = STAMP.exec(part?.text ?? "")?.[0]
  if (part?.digest === undefined || words === undefined)
    throw new Error(
      "docs/performance.md does not say what was measured. Measure anew: npm run bench -- peers --write",
    )
  return { mark: markOf(part.digest), words }
}

function markOf(digest: string): string {
  return `<!-- of sources ${digest} -->`
}

/** Lists the README and every page below docs, by their paths in the repository. */
export function pagesOf(root: string): readonly string[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  return ["README.md", ...docs.filter((path) => path.endsWith(".md")).map((path) => join("docs", path))]
}
