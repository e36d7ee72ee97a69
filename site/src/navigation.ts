import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { lexer, type Tokens } from "marked"

/** The page that lists all others. Its sections and lists are the navigation of the site. */
export const INDEX = "docs/README.md"

/** Pages outside docs/ that a reader of the site looks for. */
const BESIDE_DOCS = ["README.md", "SECURITY.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]

/** One line of the index: a page, and the pages that belong to it. */
export interface Entry {
  readonly title: string
  /** From the root of the repository. */
  readonly path: string
  readonly about: string
  readonly entries: readonly Entry[]
}

export interface Section {
  readonly title: string
  readonly entries: readonly Entry[]
}

/** The navigation, as the headings and lists of links of a Markdown page say it. */
export function navigationOf(markdown: string, path = INDEX): readonly Section[] {
  const sections: { title: string; entries: Entry[] }[] = []
  for (const token of lexer(markdown)) {
    if (token.type === "heading" && token.depth === 2) sections.push({ title: token.text, entries: [] })
    if (token.type === "list") sections.at(-1)?.entries.push(...entriesOf(token as Tokens.List, path))
  }
  return sections
}

function entriesOf({ items }: Tokens.List, path: string): readonly Entry[] {
  return items.map((item) => {
    const line = item.tokens.find(({ type }) => type === "text" || type === "paragraph") as
      | Tokens.Text
      | undefined
    const link = line?.tokens?.find(({ type }) => type === "link") as Tokens.Link | undefined
    if (line === undefined || link === undefined)
      throw new Error(`${path}: a list is for pages, and this line has no link: ${item.raw.trim()}`)
    const about = line.text.slice(line.text.indexOf(link.raw) + link.raw.length).replace(/^:\s*/, "")
    const below = item.tokens.filter(({ type }) => type === "list") as Tokens.List[]
    return {
      title: link.text,
      path: posix.join(posix.dirname(path), link.href),
      about: about.replace(/\s+/g, " ").trim(),
      entries: below.flatMap((list) => entriesOf(list, path)),
    }
  })
}

/** All pages of a navigation, in the order in which a reader goes through them. */
export function pagesOf(sections: readonly Section[]): readonly Entry[] {
  const flat = (entry: Entry): readonly Entry[] => [entry, ...entry.entries.flatMap(flat)]
  return sections.flatMap(({ entries }) => entries.flatMap(flat))
}

/** Reads the navigation of a repository. */
export function readNavigation(root: string): readonly Section[] {
  return navigationOf(readFileSync(join(root, INDEX), "utf8"))
}

/** What is wrong between the navigation and the files: a page that nobody lists, a line without its page. */
export function navigationProblems(sections: readonly Section[], root: string): readonly string[] {
  const listed = pagesOf(sections).map(({ path }) => path)
  const missing = listed
    .filter((path) => !existsSync(join(root, path)))
    .map((path) => `${INDEX} lists ${path}, which does not exist. Remove the line, or mend its link.`)
  const twice = listed
    .filter((path, i) => listed.indexOf(path) !== i)
    .map((path) => `${INDEX} lists ${path} twice. Remove one of the lines.`)
  const unlisted = [...BESIDE_DOCS, ...markdownUnder(root, "docs")]
    .filter((path) => path !== INDEX && !listed.includes(path))
    .map(
      (path) =>
        `${path} is in no section of ${INDEX}. Add a line where a reader would look for it: - [Title](${posix.relative("docs", path)}): what it tells`,
    )
  return [...missing, ...twice, ...unlisted]
}

function markdownUnder(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => posix.join(folder, path))
    .toSorted()
}
