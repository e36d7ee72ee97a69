import type { Attributes } from "./html-tokens.js"

/** What the writer has to know of the page. */
interface Surroundings {
  /** The absolute address of a link; undefined if it leads nowhere. */
  link(href: string | undefined): string | undefined
  /** True for a table that only places things. */
  readonly isLayout: boolean
}

/** Something around words of a line: what is put before and after them. */
interface Wrap {
  readonly before: string
  readonly after: string
  /** Where in the line it begins, and how many characters the line had then. */
  from: number
  ink: number
  readonly isCode: boolean
}

/** What all lines of a block begin with: the first time, and from then on. */
interface Margin {
  readonly first: string
  readonly rest: string
  isUsed: boolean
}

interface List {
  readonly isOrdered: boolean
  next: number
  hasItems: boolean
}

interface Table {
  cells: string[] | undefined
  /** Columns of its first row; none before it; LAYOUT in a table that only places things. */
  columns: number
}

const LAYOUT = -1

/** Characters of a page that are converted. Links are longer in Markdown than they need be in a page. */
const LARGEST = 2_000_000
/** Deeper ones are written like these. */
const DEEPEST = 12
const MOST_WRAPS = 12

/** Writes Markdown, a line at a time. Nothing in it goes back over what was written before. */
export class MarkdownWriter {
  readonly #lines: string[] = []
  readonly #margins: Margin[] = []
  readonly #lists: List[] = []
  readonly #tables: Table[] = []
  readonly #wraps: Wrap[] = []
  #line: string[] = []
  /** Characters in the line that are no white space. */
  #ink = 0
  /** Empty lines to be written before the next line: 0 or 1. */
  #gap = 0
  #size = 0
  #pre: string[] | undefined

  /** True once no more fits. */
  get isFull(): boolean {
    return this.#size > LARGEST
  }

  /** Begins an element. Returns what ends it, where that does something. */
  enter(name: string, attributes: Attributes, around: Surroundings): (() => void) | undefined {
    if (this.#pre !== undefined) {
      if (name === "br") this.#pre.push("\n")
      return undefined
    }
    if (this.#tables.at(-1)?.cells !== undefined && !/^(table|tr|td|th)$/.test(name))
      return this.#inline(name, attributes, around) ?? this.#spaced(name)
    const heading = /^h([1-6])$/.exec(name)?.[1]
    if (heading !== undefined) return this.#within({ first: `${"#".repeat(Number(heading))} `, rest: "" })
    switch (name) {
      case "br":
        this.#flush()
        return undefined
      case "hr":
        this.block()
        this.#write("---")
        this.block()
        return undefined
      case "pre":
        return this.#preformatted(languageOf(attributes))
      case "blockquote":
        return this.#within({ first: "> ", rest: "> " })
      case "ul":
      case "menu":
      case "ol":
        return this.#list(name === "ol", Number(attributes.get("start") ?? 1))
      case "li":
        return this.#item()
      case "dd":
        return this.#within({ first: "  ", rest: "  " })
      case "table":
        return this.#table(around.isLayout)
      case "tr":
        return this.#row()
      case "td":
      case "th":
        return this.#cell()
      case "code":
        // In a `pre` it is part of that.
        return this.#inline(name, attributes, around)
      default:
        return BLOCK.test(name) ? this.#within() : this.#inline(name, attributes, around)
    }
  }

  text(text: string): void {
    if (this.#pre !== undefined) {
      this.#pre.push(text)
      this.#size += text.length
      return
    }
    const words = text.replace(/[\s\u00a0]+/g, " ")
    const isFirst = this.#ink === 0 || this.#endsWithSpace()
    const shown = isFirst && words.startsWith(" ") ? words.slice(1) : words
    if (shown === "") return
    this.#line.push(shown)
    if (shown !== " ") this.#ink++
    this.#size += shown.length
  }

  /** Ends the line, and has an empty line follow. */
  block(): void {
    this.#flush()
    // Nothing stands between the mark of an item and its first line.
    const isBegun = this.#lists.length === 0 || this.#margins.at(-1)?.isUsed !== false
    if (isBegun && this.#tables.at(-1)?.cells === undefined) this.#gap = 1
  }

  end(): string {
    this.block()
    return this.#lines.join("\n").slice(0, LARGEST)
  }

  #endsWithSpace(): boolean {
    const last = this.#line.findLast((piece) => piece !== "")
    return last === undefined || last.endsWith(" ")
  }

  /** Ends the line. What is around words goes on in the next one. */
  #flush(): void {
    const cells = this.#tables.at(-1)?.cells
    if (cells !== undefined) {
      this.text(" ")
      return
    }
    for (const wrap of this.#wraps.toReversed()) this.#close(wrap)
    const text = this.#line.join("").trim()
    this.#line = []
    this.#ink = 0
    for (const wrap of this.#wraps) this.#open(wrap)
    if (text !== "") this.#write(text)
  }

  #write(text: string): void {
    if (this.#gap > 0 && this.#lines.length > 0) this.#push(this.#margin(false).trimEnd())
    this.#gap = 0
    this.#push(this.#margin(true) + text)
  }

  #push(line: string): void {
    this.#lines.push(line)
    this.#size += line.length + 1
  }

  /** Gives what a line begins with, or an empty line before what has not begun yet. */
  #margin(isWritten: boolean): string {
    let text = ""
    for (const margin of this.#margins) {
      text += margin.isUsed ? margin.rest : isWritten ? margin.first : ""
      margin.isUsed ||= isWritten
    }
    return text
  }

  #within(margin?: Pick<Margin, "first" | "rest">): () => void {
    this.block()
    if (margin === undefined || this.#margins.length >= DEEPEST) return () => this.block()
    this.#margins.push({ ...margin, isUsed: false })
    return () => {
      this.block()
      this.#margins.pop()
    }
  }

  #list(isOrdered: boolean, start: number): () => void {
    this.#flush()
    if (this.#lists.length === 0) this.#gap = 1
    const isDeep = this.#lists.length >= DEEPEST
    if (!isDeep)
      this.#lists.push({ isOrdered, next: Number.isSafeInteger(start) ? start : 1, hasItems: false })
    return () => {
      this.#flush()
      if (!isDeep) this.#lists.pop()
      if (this.#lists.length === 0) this.#gap = 1
    }
  }

  #item(): () => void {
    const list = this.#lists.at(-1)
    this.#flush()
    if (list?.hasItems || this.#lists.length > 1) this.#gap = 0
    const mark = list?.isOrdered ? `${list.next}. ` : "- "
    if (list !== undefined) {
      list.next++
      list.hasItems = true
    }
    if (this.#margins.length >= DEEPEST) return () => this.#flush()
    this.#margins.push({ first: mark, rest: " ".repeat(mark.length), isUsed: false })
    return () => {
      this.#flush()
      this.#margins.pop()
    }
  }

  #preformatted(language: string): () => void {
    this.block()
    const lines: string[] = []
    this.#pre = lines
    return () => {
      this.#pre = undefined
      const text = lines.join("").replace(/^\n/, "").trimEnd()
      if (text === "") return
      const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length))
      const fence = "`".repeat(Math.min(longest + 1, 80))
      this.#write(`${fence}${language}`)
      for (const line of text.split("\n")) this.#write(line)
      this.#write(fence)
      this.block()
    }
  }

  #table(isLayout: boolean): (() => void) | undefined {
    // In a cell of a table that shows data it is part of the cell's text.
    if (this.#tables.at(-1)?.cells !== undefined) return undefined
    this.block()
    this.#tables.push({ cells: undefined, columns: isLayout ? LAYOUT : 0 })
    return () => {
      this.block()
      this.#tables.pop()
    }
  }

  #row(): (() => void) | undefined {
    const table = this.#tables.at(-1)
    if (table === undefined || table.columns === LAYOUT) return this.#within()
    if (table.cells !== undefined) return undefined
    this.#flush()
    const cells: string[] = []
    table.cells = cells
    return () => {
      this.#endCell(table)
      table.cells = undefined
      if (cells.every((cell) => cell === "")) return
      this.#write(`| ${cells.join(" | ")} |`)
      if (table.columns === 0) this.#write(`|${" --- |".repeat(cells.length)}`)
      table.columns = cells.length
    }
  }

  #cell(): (() => void) | undefined {
    const table = this.#tables.at(-1)
    if (table === undefined || table.columns === LAYOUT) return this.#within()
    if (table.cells === undefined) return undefined
    this.#endCell(table)
    return () => this.#endCell(table, true)
  }

  /** Takes what the line holds as a cell, if it holds anything or the cell ends here. */
  #endCell(table: Table, isEnd = false): void {
    for (const wrap of this.#wraps.splice(0).reverse()) this.#close(wrap)
    const text = this.#line.join("").trim().replaceAll("|", "\\|")
    this.#line = []
    this.#ink = 0
    if (isEnd || text !== "") table.cells?.push(text)
  }

  #spaced(name: string): (() => void) | undefined {
    if (!BLOCK.test(name) && !/^(h[1-6]|br|hr|pre|blockquote|ul|ol|li|dd)$/.test(name)) return undefined
    this.text(" ")
    return () => this.text(" ")
  }

  #inline(name: string, attributes: Attributes, around: Surroundings): (() => void) | undefined {
    if (name === "img") {
      const alt = (attributes.get("alt") ?? "").replace(/\s+/g, " ").trim()
      const source = around.link(attributes.get("src"))
      if (alt !== "") this.text(source === undefined ? `[image: ${alt}]` : `![${alt}](${source})`)
      return undefined
    }
    const marks = marksOf(name, attributes, around)
    const isTaken = this.#wraps.length >= MOST_WRAPS || this.#wraps.at(-1)?.isCode === true
    if (marks === undefined || isTaken || this.#wraps.some(({ before }) => before === marks[0]))
      return undefined
    const [before, after] = marks
    const wrap: Wrap = { before, after, from: 0, ink: 0, isCode: name !== "a" && before === "`" }
    this.#open(wrap)
    this.#wraps.push(wrap)
    return () => {
      const place = this.#wraps.indexOf(wrap)
      if (place < 0) return
      for (const inner of this.#wraps.splice(place).reverse()) this.#close(inner)
    }
  }

  #open(wrap: Wrap): void {
    wrap.from = this.#line.length
    wrap.ink = this.#ink
    this.#line.push("")
  }

  /** Puts the marks around what came since; white space stays outside of them. */
  #close({ before, after, from, ink, isCode }: Wrap): void {
    const line = this.#line
    if (this.#ink === ink || line.length <= from + 1) return
    const first = line[from + 1] ?? ""
    const last = line[line.length - 1] ?? ""
    const isDouble = isCode && line.slice(from + 1).some((piece) => piece.includes("`"))
    line[from] = `${first.startsWith(" ") ? " " : ""}${isDouble ? "`` " : before}`
    if (first.startsWith(" ")) line[from + 1] = first.slice(1)
    const ends = last.endsWith(" ") && line.length > from + 2 ? last : (line[line.length - 1] ?? "")
    if (ends.endsWith(" ")) line[line.length - 1] = ends.slice(0, -1)
    const mark = isDouble ? " ``" : after
    this.#size += before.length + mark.length
    line.push(ends.endsWith(" ") ? `${mark} ` : mark)
  }
}

const BLOCK =
  /^(address|article|aside|body|center|details|div|dl|dt|fieldset|figcaption|figure|footer|form|header|hgroup|html|legend|main|p|section|summary|caption)$/

function marksOf(
  name: string,
  attributes: Attributes,
  { link }: Surroundings,
): readonly [string, string] | undefined {
  switch (name) {
    case "a": {
      const address = link(attributes.get("href"))
      return address === undefined ? undefined : ["[", `](${address.replace(/[()\s]/g, encodeURIComponent)})`]
    }
    case "b":
    case "strong":
      return ["**", "**"]
    case "i":
    case "em":
      return ["*", "*"]
    case "del":
    case "s":
      return ["~~", "~~"]
    case "code":
    case "kbd":
    case "samp":
    case "tt":
      return ["`", "`"]
    default:
      return undefined
  }
}

function languageOf(attributes: Attributes): string {
  return (
    /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]{1,30})/.exec(attributes.get("class") ?? "")?.[1] ??
    ""
  )
}
