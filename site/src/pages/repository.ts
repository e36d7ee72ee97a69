import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { isPicture } from "./links.js"
import { type Document, readMarkdown } from "./markdown.js"

/** What the site shows: pages by their path in the repository, and pictures. */
export interface Repository {
  readonly documents: ReadonlyMap<string, Document>
  readonly pictures: ReadonlySet<string>
  readonly outside: ReadonlySet<string>
  /** Links that lead nowhere, each with its file and line. */
  readonly problems: readonly string[]
}

/**
 * Reads the given pages and everything they link to, and checks every link and anchor. A file or folder that is no page of the
 * navigation gets a page of its own, so that a reader never leaves the site for the repository.
 */
export function readRepository(root: string, paths: readonly string[]): Repository {
  const documents = new Map<string, Document>()
  const pictures = new Set<string>()
  const outside = new Set<string>()
  const problems: string[] = []
  const pending = [...paths]
  for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
    if (documents.has(path)) continue
    const document = readDocument(root, path)
    documents.set(path, document)
    for (const { href, line, target } of document.links) {
      if (target.is === "outside") outside.add(target.url)
      else if (target.path.startsWith("..") || !existsSync(join(root, target.path)))
        problems.push(`${path}:${line}: ${href} leads nowhere: there is no ${target.path}.`)
      else if (isPicture(target.path)) pictures.add(target.path)
      else pending.push(target.path)
    }
  }
  for (const [path, document] of documents)
    for (const { href, line, target } of document.links) {
      if (target.is === "outside" || target.anchor === undefined) continue
      const headings = documents.get(target.path)?.headings ?? []
      if (documents.has(target.path) && !headings.some(({ id }) => id === target.anchor))
        problems.push(
          `${path}:${line}: ${href} leads nowhere: ${target.path} has no heading with the anchor #${target.anchor}.`,
        )
    }
  return { documents, pictures, outside, problems }
}

function readDocument(root: string, path: string): Document {
  return readMarkdown(path, markdownOf(root, path))
}

/** Reads a page, or makes one of a source file or a folder. */
export function markdownOf(root: string, path: string): string {
  if (statSync(join(root, path)).isDirectory()) return folderPage(root, path)
  const text = readFileSync(join(root, path), "utf8")
  return path.endsWith(".md") ? text : filePage(path, text)
}

function filePage(path: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length))
  const fence = "`".repeat(longest + 1)
  return `# ${path}\n\n${fence}${posix.extname(path).slice(1)}\n${text.replace(/\n?$/, "\n")}${fence}\n`
}

function folderPage(root: string, path: string): string {
  const names = readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => !/^(?:\.|node_modules$|dist$)/.test(name))
    .map(({ name }) => `- [${name}](${posix.basename(path)}/${encodeURI(name)})`)
  return `# ${path}\n\n${names.join("\n")}\n`
}
