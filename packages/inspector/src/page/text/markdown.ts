/** A block of Markdown, as far as plans use it. HTML is no part of it: it stays the text that it is. */
export type Block =
  | { readonly is: "heading"; readonly level: number; readonly text: string }
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "code"; readonly text: string }
  | { readonly is: "rule" }
  | { readonly is: "quote"; readonly blocks: readonly Block[] }
  | { readonly is: "list"; readonly start?: number; readonly items: readonly (readonly Block[])[] }
  | { readonly is: "table"; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

/** A piece of a line. A link has its address as text: nothing on the page leads to where a model points. */
export type InlinePart =
  | { readonly is: "text" | "code"; readonly text: string }
  | { readonly is: "strong" | "em" | "del"; readonly parts: readonly InlinePart[] }
  | { readonly is: "link"; readonly parts: readonly InlinePart[]; readonly to: string }

/** Deeper lists and quotes stay text: a text that nests without end must not exhaust the stack. */
const DEEPEST = 12

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(.*)$/
const QUOTE = /^ {0,3}>\s?/
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

export function parseMarkdown(text: string, depth = 0): readonly Block[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  if (depth > DEEPEST) return [{ is: "text", text }]
  const blocks: Block[] = []
  let at = 0
  /** Takes lines while they fit. */
  const take = (fits: (line: string) => boolean): string[] => {
    const from = at
    while (at < lines.length && fits(lines[at] ?? "")) at++
    return lines.slice(from, at)
  }
  while (at < lines.length) {
    const line = lines[at] ?? ""
    const heading = HEADING.exec(line)
    const item = ITEM.exec(line)
    const fence = FENCE.exec(line)?.[1]
    if (line.trim() === "") at++
    else if (fence !== undefined) {
      at++
      const code = take((one) => !one.trimStart().startsWith(fence))
      at++
      blocks.push({ is: "code", text: code.join("\n") })
    } else if (heading) {
      at++
      blocks.push({ is: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" })
    } else if (RULE.test(line)) {
      at++
      blocks.push({ is: "rule" })
    } else if (QUOTE.test(line)) {
      const quoted = take((one) => QUOTE.test(one)).map((one) => one.replace(QUOTE, ""))
      blocks.push({ is: "quote", blocks: parseMarkdown(quoted.join("\n"), depth + 1) })
    } else if (item) {
      const indent = item[1]?.length ?? 0
      const own = take((one) => one.trim() === "" || indentOf(one) > indent || isItem(one, indent))
      blocks.push(listOf(own, indent, item[2] ?? "-", depth))
    } else if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "")) {
      const [head = "", , ...rows] = take((one) => one.includes("|"))
      blocks.push({ is: "table", head: cellsIn(head), rows: rows.map(cellsIn) })
    } else {
      const words = take((one) => one.trim() !== "" && !isBlock(one))
      blocks.push({ is: "text", text: words.map((one) => one.trim()).join("\n") })
    }
  }
  return blocks
}

function isBlock(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || ITEM.test(line) || RULE.test(line)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function isItem(line: string, indent: number): boolean {
  return indentOf(line) === indent && ITEM.test(line)
}

function listOf(lines: readonly string[], indent: number, mark: string, depth: number): Block {
  const items: string[][] = []
  for (const line of lines) {
    const found = isItem(line, indent) ? ITEM.exec(line) : undefined
    if (found) items.push([found[4] ?? ""])
    else items.at(-1)?.push(line)
  }
  const start = Number.parseInt(mark, 10)
  return {
    is: "list",
    ...(!Number.isNaN(start) && { start }),
    items: items.map(([first = "", ...rest]) => {
      const inner = Math.min(...rest.filter((line) => line.trim() !== "").map(indentOf))
      const text = [boxed(first), ...rest.map((line) => line.slice(Number.isFinite(inner) ? inner : 0))]
      return parseMarkdown(text.join("\n"), depth + 1)
    }),
  }
}

/** Writes the box of a task as a sign. */
function boxed(text: string): string {
  return text.replace(/^\[([ xX])\]\s/, (_, mark: string) => (mark === " " ? "☐ " : "☑ "))
}

function cellsIn(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim())
}

const INLINE =
  /(?<tick>`+)(?<code>[^`]+)\k<tick>(?!`)|\*\*(?<strong>[^*\n]+)\*\*|~~(?<del>[^~\n]+)~~|\*(?<em>[^*\s][^*\n]*)\*|(?<!\w)_(?<also>[^_\n]+)_(?!\w)|!?\[(?<label>[^[\]\n]*)\]\((?<to>[^()\s]*)\)/g

export function parseInline(text: string): readonly InlinePart[] {
  const parts: InlinePart[] = []
  let from = 0
  for (const found of text.matchAll(INLINE)) {
    if (found.index > from) parts.push({ is: "text", text: text.slice(from, found.index) })
    from = found.index + found[0].length
    const { code, strong, del, em, also, label, to } = found.groups ?? {}
    if (code !== undefined) parts.push({ is: "code", text: code })
    else if (strong !== undefined) parts.push({ is: "strong", parts: parseInline(strong) })
    else if (del !== undefined) parts.push({ is: "del", parts: parseInline(del) })
    else if (to !== undefined) parts.push({ is: "link", parts: parseInline(label ?? ""), to })
    else parts.push({ is: "em", parts: parseInline(em ?? also ?? "") })
  }
  if (from < text.length) parts.push({ is: "text", text: text.slice(from) })
  return parts
}
