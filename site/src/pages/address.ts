import { posix } from "node:path"
import { isPicture, targetOf } from "./links.js"

/** Says where the page of a file of the repository is on the site. */
export function addressOf(path: string): string {
  if (path === "README.md") return "index.html"
  if (path === "docs/README.md") return "contents.html"
  const inDocs = path.startsWith("docs/") ? path.slice("docs/".length) : undefined
  if (inDocs?.endsWith(".md")) return inDocs.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html")
  if (!path.includes("/") && path.endsWith(".md")) return path.toLowerCase().replace(/\.md$/, ".html")
  return `repository/${path.replace(/\.md$/, "")}.html`
}

/** Says where a picture is on the site. */
export function pictureAddressOf(path: string): string {
  return path.startsWith("docs/") ? path.slice("docs/".length) : `repository/${path}`
}

/** Says where a link of a page leads on the site, from that page. Addresses of other sites stay as they are. */
export function linkFrom(path: string, href: string): string {
  const target = targetOf(path, href)
  if (target.is === "outside") return href
  const hash = target.anchor === undefined ? "" : `#${target.anchor}`
  if (target.path === path && hash !== "") return hash
  const address = isPicture(target.path) ? pictureAddressOf(target.path) : addressOf(target.path)
  return `./${posix.relative(posix.dirname(addressOf(path)), address)}${hash}`
}
