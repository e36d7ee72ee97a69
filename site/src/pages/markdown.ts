import { lexer, type Token, walkTokens } from "marked"
import { type Link, targetOf } from "./links.js"
import { slugger } from "./slug.js"

interface Heading {
  readonly depth: number
  readonly text: string
  readonly id: string
}

/** A page of the repository: what the checks of links and the site need of it. */
export interface Document {
  readonly title: string
  readonly headings: readonly Heading[]
  readonly links: readonly Link[]
}

/** Attributes of HTML that name an address; authors write such HTML for pictures. */
const ADDRESS = /\b(src|href|srcset)="([^"]*)"/g

/** Reads a Markdown page of the repository. */
export function readMarkdown(path: string, markdown: string): Document {
  const tokens = lexer(markdown)
  const slug = slugger()
  const headings: Heading[] = []
  const hrefs: string[] = []
  walkTokens(tokens, (token) => {
    if (token.type === "heading") {
      const text = plain(token.tokens ?? [])
      headings.push({ depth: token.depth, text, id: slug(text) })
    }
    if (token.type === "link" || token.type === "image") hrefs.push(token.href)
    if (token.type === "html") for (const [, , href = ""] of token.text.matchAll(ADDRESS)) hrefs.push(href)
  })
  return {
    title: headings.find(({ depth }) => depth === 1)?.text ?? path,
    headings,
    links: hrefs.map((href) => ({ href, line: lineOf(markdown, href), target: targetOf(path, href) })),
  }
}

/** Gives the words of a heading without its marks. */
function plain(tokens: readonly Token[]): string {
  const parts = tokens.map((token): string => {
    if (token.type === "html") return ""
    if ("tokens" in token && token.tokens !== undefined) return plain(token.tokens)
    return "text" in token ? String(token.text) : ""
  })
  return parts.join("").replace(/\s+/g, " ").trim()
}

/** Finds the line on which a page first names an address; 1 if it is put together differently there. */
function lineOf(markdown: string, href: string): number {
  const at = markdown.indexOf(href)
  return at < 0 ? 1 : markdown.slice(0, at).split("\n").length
}
