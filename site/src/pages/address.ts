import { posix } from "node:path"

/** Where the page of a file of the repository is on the site. */
export function addressOf(path: string): string {
  if (path === "README.md") return "index.html"
  if (path === "docs/README.md") return "contents.html"
  const inDocs = path.startsWith("docs/") ? path.slice("docs/".length) : undefined
  if (inDocs?.endsWith(".md")) return inDocs.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html")
  if (!path.includes("/") && path.endsWith(".md")) return path.toLowerCase().replace(/\.md$/, ".html")
  return `repository/${path.replace(/\.md$/, "")}.html`
}

/** Where a picture is on the site. */
export function pictureAddressOf(path: string): string {
  return path.startsWith("docs/") ? path.slice("docs/".length) : `repository/${path}`
}

/** The way from one page of the site to another place on it. It works below any folder, and without a server. */
export function way(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to)
}
