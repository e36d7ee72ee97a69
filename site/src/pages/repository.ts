import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { coded } from "./code.js"
import { isPicture } from "./links.js"
import { type Document, readMarkdown } from "./markdown.js"

/** Everything that the site shows: pages by their path in the repository, and pictures. */
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
  if (statSync(join(root, path)).isDirectory()) return folderDocument(root, path)
  const text = readFileSync(join(root, path), "utf8")
  return path.endsWith(".md") ? readMarkdown(path, text) : fileDocument(path, text)
}

/** A source file, as its own page. */
function fileDocument(path: string, text: string): Document {
  const { headings, links } = readMarkdown(path, `# ${path}`)
  const ending = posix.extname(path).slice(1)
  return {
    title: path,
    headings,
    links,
    passages: [],
    html: () => `<h1 class="path">${path}</h1>\n${coded(text, ending)}`,
  }
}

/** A folder: its README if it has one, and the files in it. */
function folderDocument(root: string, path: string): Document {
  const names = readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => !/^(?:\.|node_modules$|dist$)/.test(name))
    .map((entry) => `- [${entry.name}](${posix.basename(path)}/${encodeURI(entry.name)})`)
  return readMarkdown(path, `# ${path}\n\n${names.join("\n")}\n`)
}
