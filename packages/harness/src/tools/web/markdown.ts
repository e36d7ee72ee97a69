import { type HtmlToken, htmlTokens } from "./html-tokens.js"
import { MarkdownWriter } from "./markdown-writer.js"

/** A page as Markdown. */
export interface MarkdownPage {
  readonly title: string
  readonly text: string
  /** True if the page has more than is converted. */
  readonly isCut: boolean
}

type Open = Extract<HtmlToken, { is: "open" }>

/** What is left out with all that is in it: what a reader of the page does not see, or does not read. */
const DROPPED = new Set(
  "script style noscript template svg math iframe object embed canvas audio video nav button select textarea datalist dialog noembed noframes".split(
    " ",
  ),
)
const BLOCKS = new Set(
  "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
)
const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** What ends an element that was not closed: those that end, and those behind which they are not looked for. */
const IMPLIED: Readonly<Record<string, readonly [ended: ReadonlySet<string>, within: ReadonlySet<string>]>> =
  {
    li: [words("li"), words("ul ol menu table td th")],
    dt: [words("dt dd"), words("dl table td th")],
    dd: [words("dt dd"), words("dl table td th")],
    td: [words("td th"), words("tr table")],
    th: [words("td th"), words("tr table")],
    tr: [words("tr"), words("table")],
    tbody: [words("tbody thead tr"), words("table")],
    tfoot: [words("tbody thead tr"), words("table")],
  }
const PARAGRAPH = [words("p"), words("table td th caption button li blockquote")] as const
/** What a closing tag does not reach through, unless it is of a table too. */
const CELLS = words("table td th caption")
const TABLE_PARTS = words("table td th caption tr tbody thead tfoot")
/** How far back an element is looked for: nothing that people write has so much left open in between. */
const FARTHEST = 40

/** Converts a page to Markdown, in time that grows with its length alone. Links are made absolute. */
export function markdownOf(html: string, address: URL): MarkdownPage {
  const tokens = [...htmlTokens(html)]
  const layout = layoutTables(tokens)
  const writer = new MarkdownWriter()
  const open = new OpenElements()
  let title = ""
  let base = address

  for (let i = 0; i < tokens.length && !writer.isFull; i++) {
    const token = tokens[i]
    if (token === undefined) break
    if (token.is === "text") {
      if (open.isDropped) continue
      if (open.last === "title") title ||= token.text.replace(/\s+/g, " ").trim()
      else writer.text(token.text)
    } else if (token.is === "close") {
      open.close(token.name)
      if (token.name === "p" || token.name === "br") writer.block()
    } else {
      open.endImplied(token.name)
      if (token.name === "base" && base === address)
        base = absolute(token.attributes.get("href"), address) ?? base
      const isDropped = DROPPED.has(token.name) || isHidden(token)
      const leave =
        open.isDropped || isDropped
          ? undefined
          : writer.enter(token.name, token.attributes, {
              link: (href) => absolute(href, base)?.href,
              isLayout: layout.has(i),
            })
      if (token.isEmpty) leave?.()
      else open.push(token.name, isDropped, leave)
    }
  }
  open.closeTo(0)
  return { title, text: writer.end(), isCut: writer.isFull }
}

/** The elements that are open at a place of the page, outermost first. */
class OpenElements {
  readonly #names: string[] = []
  readonly #leave = new Map<number, () => void>()
  /** How many of each there are: to look for one that is not there would take long. */
  readonly #counts = new Map<string, number>()
  /** How many are open outside of what is left out. */
  #droppedFrom: number | undefined

  get last(): string | undefined {
    return this.#names.at(-1)
  }

  /** True inside of what is left out. */
  get isDropped(): boolean {
    return this.#droppedFrom !== undefined
  }

  push(name: string, isDropped: boolean, leave: (() => void) | undefined): void {
    if (isDropped) this.#droppedFrom ??= this.#names.length
    if (leave !== undefined) this.#leave.set(this.#names.length, leave)
    this.#names.push(name)
    this.#counts.set(name, this.#countOf(name) + 1)
  }

  /** Ends the nearest element of the name, and what is in it. */
  close(name: string): void {
    if (this.#countOf(name) === 0) return
    const isTablePart = TABLE_PARTS.has(name)
    for (let i = this.#names.length - 1; i >= this.#farthest; i--) {
      const one = this.#names[i] ?? ""
      if (one === name) {
        this.closeTo(i)
        return
      }
      if (isTablePart ? one === "table" : CELLS.has(one)) break
    }
    // What is left out may have any number of elements that nobody closes: it ends with its own closing tag all the same.
    const dropped = this.#droppedFrom
    if (dropped !== undefined && this.#names[dropped] === name) this.closeTo(dropped)
  }

  /** Ends what an element that begins puts an end to: a paragraph, the item before it. */
  endImplied(name: string): void {
    const implied = IMPLIED[name] ?? (BLOCKS.has(name) ? PARAGRAPH : undefined)
    if (implied === undefined) return
    const [ended, within] = implied
    if (![...ended].some((one) => this.#countOf(one) > 0)) return
    let found: number | undefined
    for (let i = this.#names.length - 1; i >= this.#farthest; i--) {
      const one = this.#names[i] ?? ""
      if (ended.has(one)) found = i
      else if (within.has(one)) break
    }
    if (found !== undefined) this.closeTo(found)
  }

  closeTo(length: number): void {
    while (this.#names.length > length) {
      const name = this.#names.pop() ?? ""
      const place = this.#names.length
      this.#counts.set(name, this.#countOf(name) - 1)
      this.#leave.get(place)?.()
      this.#leave.delete(place)
      if (this.#droppedFrom !== undefined && place <= this.#droppedFrom) this.#droppedFrom = undefined
    }
  }

  get #farthest(): number {
    return Math.max(0, this.#names.length - FARTHEST)
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0
  }
}

/** Finds the tables that only place things: those with a table or a heading in them, by their place in the list. */
function layoutTables(tokens: readonly HtmlToken[]): ReadonlySet<number> {
  const found = new Set<number>()
  const open: number[] = []
  tokens.forEach((token, i) => {
    if (token.is === "text") return
    const outer = open.at(-1)
    if (token.is === "close") {
      if (token.name === "table") open.pop()
    } else {
      const isTable = token.name === "table"
      if (outer !== undefined && (isTable || /^h[1-6]$/.test(token.name))) found.add(outer)
      if (isTable) open.push(i)
      if (isTable && token.attributes.get("role") === "presentation") found.add(i)
    }
  })
  return found
}

function isHidden({ attributes }: Open): boolean {
  if (attributes.size === 0) return false
  return (
    attributes.has("hidden") ||
    attributes.get("aria-hidden") === "true" ||
    attributes.get("role") === "navigation" ||
    /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attributes.get("style") ?? "")
  )
}

const LONGEST_LINK = 2_000

function absolute(href: string | undefined, base: URL): URL | undefined {
  const text = href?.trim() ?? ""
  if (text === "" || text.startsWith("#") || text.length > LONGEST_LINK || !URL.canParse(text, base.href))
    return undefined
  const url = new URL(text, base)
  return /^(https?|mailto):$/.test(url.protocol) ? url : undefined
}
