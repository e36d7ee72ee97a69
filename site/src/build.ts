import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build as bundle } from "esbuild"
import { pageHtml } from "./layout.js"
import { INDEX, navigationProblems, pagesOf, readNavigation } from "./navigation.js"
import { addressOf, pictureAddressOf, way } from "./pages/address.js"
import { escaped } from "./pages/code.js"
import { GLOSSARY, type Term, termFinder, termsOf } from "./pages/glossary.js"
import { isPicture, targetOf } from "./pages/links.js"
import { type Document, readMarkdown } from "./pages/markdown.js"
import { readRepository } from "./pages/repository.js"
import { searchScript } from "./search/build.js"

/** The documentation has mistakes that a reader would run into. */
export class SiteError extends Error {
  override readonly name = "SiteError"
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"))
  }
}

export interface Built {
  readonly pages: number
  readonly pictures: number
  readonly outside: readonly string[]
}

/** Scripts and styles of the pages: a folder beside this one. */
const BROWSER = fileURLToPath(new URL("../browser/", import.meta.url))

const SEARCH_PAGE = `# Search

<div id="found" aria-live="polite"><p>The search needs JavaScript. <a href="docs/README.md">All pages</a> are in one list.</p></div>
`

/** What is wrong with the navigation and with links, in the repository at `root`. */
export function documentationProblems(root: string): readonly string[] {
  const sections = readNavigation(root)
  const problems = navigationProblems(sections, root)
  // A line of the index that names no file is told once.
  return problems.length > 0 ? problems : readRepository(root, allPages(root)).problems
}

function allPages(root: string): readonly string[] {
  return [...pagesOf(readNavigation(root)).map(({ path }) => path), INDEX]
}

/** Builds the site into a folder, which is emptied first. Writes nothing if a link leads nowhere. */
export async function buildSite(root: string, out: string): Promise<Built> {
  const problems = documentationProblems(root)
  if (problems.length > 0) throw new SiteError(problems)
  const sections = readNavigation(root)
  const { documents, pictures, outside } = readRepository(root, allPages(root))

  const glossary = documents.get(GLOSSARY)
  const terms = glossary === undefined ? [] : termsOf(glossary)
  rmSync(out, { recursive: true, force: true })
  const write = (url: string, text: string) => {
    mkdirSync(dirname(join(out, url)), { recursive: true })
    writeFileSync(join(out, url), text)
  }
  const show = (path: string, url: string, document: Document) => {
    const words = path === GLOSSARY ? escaped : explained(url, terms)
    const html = document.html((href) => addressFrom(url, path, href), words)
    write(url, pageHtml({ path, url, document, html }, sections))
  }
  for (const [path, document] of documents) show(path, addressOf(path), document)
  show("search.html", "search.html", readMarkdown("search.html", SEARCH_PAGE))
  for (const path of pictures) {
    mkdirSync(dirname(join(out, pictureAddressOf(path))), { recursive: true })
    copyFileSync(join(root, path), join(out, pictureAddressOf(path)))
  }
  const indexed = sections.flatMap((section) =>
    pagesOf([section]).flatMap(({ path }) => {
      const document = documents.get(path)
      return document === undefined ? [] : [{ url: addressOf(path), section: section.title, document }]
    }),
  )
  write("assets/index.js", searchScript(indexed))
  write("assets/site.css", readFileSync(join(BROWSER, "site.css"), "utf8"))
  write("external-links.txt", `${[...outside].toSorted().join("\n")}\n`)
  await bundle({
    entryPoints: [join(BROWSER, "site.ts"), join(BROWSER, "theme.ts")],
    outdir: join(out, "assets"),
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    logLevel: "silent",
  })
  return { pages: documents.size, pictures: pictures.size, outside: [...outside].toSorted() }
}

/** Text of one page as HTML, the first use of each word of the glossary linked to its line there. */
function explained(url: string, terms: readonly Term[]): (text: string) => string {
  const find = termFinder(terms)
  const link = ({ id, meaning }: Term, used: string) =>
    `<a class="term" href="${way(url, addressOf(GLOSSARY))}#${id}" title="${escaped(meaning)}">${escaped(used)}</a>`
  return (text) =>
    find(text)
      .map((part) => (typeof part === "string" ? escaped(part) : link(part.term, part.used)))
      .join("")
}

/** Where a link on the page of a file leads on the site. */
function addressFrom(url: string, path: string, href: string): string {
  const target = targetOf(path, href)
  if (target.is === "outside") return target.url
  const address = isPicture(target.path) ? pictureAddressOf(target.path) : addressOf(target.path)
  const hash = target.anchor === undefined ? "" : `#${target.anchor}`
  return target.path === path && hash !== "" ? hash : `${way(url, address)}${hash}`
}
