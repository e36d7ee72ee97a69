import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Entry, INDEX, navigationProblems, pagesOf, readNavigation } from "./navigation.js"
import { addressOf, pictureAddressOf } from "./pages/address.js"
import { markdownOf, readRepository } from "./pages/repository.js"

/** The documentation has mistakes that a reader would run into. */
export class SiteError extends Error {
  override readonly name = "SiteError"
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"))
  }
}

/** What the generator is given beside the pages. */
export interface Prepared {
  /** The file of the repository that each page was made from, by the page's path. */
  readonly sources: Readonly<Record<string, string>>
  readonly sidebar: readonly SidebarItem[]
  /** Addresses of other sites. */
  readonly outside: readonly string[]
}

/** As VitePress takes it. */
interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly items?: readonly SidebarItem[]
}

/** Says what is wrong with the navigation and with links, in the repository at `root`. */
export function documentationProblems(root: string): readonly string[] {
  const sections = readNavigation(root)
  const problems = navigationProblems(sections, root)
  // A line of the index that names no file is told once.
  return problems.length > 0 ? problems : readRepository(root, listedPages(root)).problems
}

/** Lays every page and picture where the site has it, for the generator to build. Writes nothing if a link leads nowhere. */
export function preparePages(root: string, out: string): Prepared {
  const problems = documentationProblems(root)
  if (problems.length > 0) throw new SiteError(problems)
  const { documents, pictures, outside } = readRepository(root, listedPages(root))
  const place = (address: string) => {
    mkdirSync(dirname(join(out, address)), { recursive: true })
    return join(out, address)
  }
  rmSync(out, { recursive: true, force: true })
  for (const path of documents.keys()) writeFileSync(place(pageOf(path)), markdownOf(root, path))
  for (const path of pictures) copyFileSync(join(root, path), place(pictureAddressOf(path)))
  return {
    sources: Object.fromEntries([...documents.keys()].map((path) => [pageOf(path), path])),
    sidebar: readNavigation(root).map(({ title, entries }) => ({ text: title, items: entries.map(itemOf) })),
    outside: [...outside].toSorted(),
  }
}

function listedPages(root: string): readonly string[] {
  return [...pagesOf(readNavigation(root)).map(({ path }) => path), INDEX]
}

function pageOf(path: string): string {
  return addressOf(path).replace(/\.html$/, ".md")
}

function itemOf({ title, path, entries }: Entry): SidebarItem {
  return {
    // The generator shows titles as text: marks of code would be seen.
    text: title.replaceAll("`", ""),
    link: `/${addressOf(path)}`,
    ...(entries.length > 0 && { items: entries.map(itemOf) }),
  }
}
