import { Marked, type Token, type Tokens, walkTokens } from "marked"
import { coded, escaped } from "./code.js"
import { type Link, targetOf } from "./links.js"
import { slugger } from "./slug.js"

interface Heading {
  readonly depth: number
  readonly text: string
  readonly id: string
}

/** What stands under one heading, for the search. */
interface Passage {
  readonly heading: string
  readonly id: string
  readonly text: string
}

export interface Document {
  readonly title: string
  readonly headings: readonly Heading[]
  readonly links: readonly Link[]
  readonly passages: readonly Passage[]
  /** The page's HTML; `to` says where a link or picture leads on the site, and `words` turns a text into HTML. */
  html(to: (href: string) => string, words?: (text: string) => string): string
}

/** Attributes of HTML that name an address; authors write such HTML for pictures. */
const ADDRESS = /\b(src|href|srcset)="([^"]*)"/g

/** Reads a Markdown page of the repository. */
export function readMarkdown(path: string, markdown: string): Document {
  const marked = new Marked({ gfm: true })
  const tokens = marked.lexer(markdown)
  const slug = slugger()
  const ids = new Map<Token, Heading>()
  const hrefs: string[] = []
  walkTokens(tokens, (token) => {
    if (token.type === "heading") {
      const text = plain(token.tokens ?? [])
      ids.set(token, { depth: token.depth, text, id: slug(text) })
    }
    if (token.type === "link" || token.type === "image") hrefs.push(token.href)
    if (token.type === "html") for (const [, , href = ""] of token.text.matchAll(ADDRESS)) hrefs.push(href)
  })
  const headings = [...ids.values()]
  return {
    title: headings.find(({ depth }) => depth === 1)?.text ?? path,
    headings,
    links: hrefs.map((href) => ({ href, line: lineOf(markdown, href), target: targetOf(path, href) })),
    passages: passagesOf(tokens, ids),
    html: (to, words = escaped) => {
      marked.use({ renderer: { ...renderer(ids, to), text: textRenderer(tokens, words) } })
      return marked.parser(tokens)
    },
  }
}

const PICTURE = /<a class="picture"[^>]*>(<img[^>]*>)<\/a>/g

function renderer(ids: ReadonlyMap<Token, Heading>, to: (href: string) => string) {
  return {
    heading(this: { parser: { parseInline(tokens: Token[]): string } }, token: Tokens.Heading): string {
      const { depth, id = "", text = "" } = ids.get(token) ?? { depth: token.depth }
      const inner = this.parser.parseInline(token.tokens)
      if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`
      return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to ${escaped(text)}">#</a></h${depth}>\n`
    },
    code({ text, lang = "" }: Tokens.Code): string {
      return coded(text, lang)
    },
    link(this: { parser: { parseInline(tokens: Token[]): string } }, token: Tokens.Link): string {
      // A picture that leads somewhere is no link to itself: links cannot be nested.
      const inner = this.parser.parseInline(token.tokens).replace(PICTURE, "$1")
      return `<a href="${escaped(to(token.href))}">${inner}</a>`
    },
    image({ href, text }: Tokens.Image): string {
      // On a small screen the picture by itself can be enlarged.
      const url = escaped(to(href))
      return `<a class="picture" href="${url}"><img src="${url}" alt="${escaped(text)}" loading="lazy"></a>`
    },
    html({ text }: Tokens.HTML | Tokens.Tag): string {
      return text.replace(ADDRESS, (_, name, href) => `${name}="${escaped(to(href))}"`)
    },
    table(
      this: { parser: { parseInline(tokens: Token[]): string } },
      { header, rows }: Tokens.Table,
    ): string {
      const cell = (tag: string) => (one: Tokens.TableCell) =>
        `<${tag}${one.align ? ` class="${one.align}"` : ""}>${this.parser.parseInline(one.tokens)}</${tag}>`
      const body = rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("\n")
      // A wide table scrolls by itself, also with the keyboard.
      return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${header
        .map((one) => (one.text === "" ? "<td></td>" : cell("th")(one)))
        .join("")}</tr></thead><tbody>${body}</tbody></table></div>\n`
    },
  }
}

/** Words in headings and links stay as they are: they lead somewhere already. */
function textRenderer(tokens: Token[], words: (text: string) => string) {
  const taken = new Set<Token>()
  walkTokens(tokens, (token) => {
    if (token.type !== "heading" && token.type !== "link") return
    walkTokens(token.tokens ?? [], (inner) => void taken.add(inner))
  })
  return function text(
    this: { parser: { parseInline(tokens: Token[]): string } },
    token: Tokens.Text | Tokens.Escape,
  ): string {
    if ("tokens" in token && token.tokens !== undefined) return this.parser.parseInline(token.tokens)
    const isEscaped = "escaped" in token && token.escaped === true
    return isEscaped ? token.text : taken.has(token) ? escaped(token.text) : words(token.text)
  }
}

function passagesOf(tokens: readonly Token[], ids: ReadonlyMap<Token, Heading>): readonly Passage[] {
  const passages: { heading: string; id: string; text: string }[] = []
  for (const token of tokens) {
    const heading = ids.get(token)
    if (heading !== undefined) passages.push({ heading: heading.text, id: heading.id, text: "" })
    else if (passages.length > 0) {
      const last = passages[passages.length - 1]
      if (last !== undefined) last.text = `${last.text} ${plain([token])}`.trim()
    }
  }
  return passages
}

const INLINE = new Set(["text", "strong", "em", "del", "codespan", "link", "image", "br", "escape", "html"])

/** The words of some Markdown without its marks. */
function plain(tokens: readonly Token[]): string {
  const parts = tokens.map((token): string => {
    if (token.type === "html") return ""
    if (token.type === "table") {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows].map((row) => row.map((one) => plain(one.tokens)).join(" ")).join(" ")
    }
    if (token.type === "list") return (token as Tokens.List).items.map((item) => plain(item.tokens)).join(" ")
    if ("tokens" in token && token.tokens !== undefined) return plain(token.tokens)
    return "text" in token ? String(token.text) : ""
  })
  const isInline = tokens.every(({ type }) => INLINE.has(type))
  return parts
    .join(isInline ? "" : " ")
    .replace(/\s+/g, " ")
    .trim()
}

/** The line on which a page first names an address; 1 if it is put together differently there. */
function lineOf(markdown: string, href: string): number {
  const at = markdown.indexOf(href)
  return at < 0 ? 1 : markdown.slice(0, at).split("\n").length
}
