import type { HLJSApi } from "highlight.js"
import { type ScreenLine, span, type TextSpan, type TextStyle } from "../text/line.js"

const STYLES: Readonly<Record<string, TextStyle>> = {
  keyword: { colour: "syntax-keyword" },
  literal: { colour: "syntax-keyword" },
  operator: { colour: "syntax-keyword" },
  built_in: { colour: "syntax-type" },
  type: { colour: "syntax-type" },
  class: { colour: "syntax-type" },
  title: { colour: "syntax-name" },
  section: { colour: "syntax-name", bold: true },
  attr: { colour: "syntax-name" },
  attribute: { colour: "syntax-name" },
  property: { colour: "syntax-name" },
  name: { colour: "syntax-name" },
  tag: { colour: "syntax-name" },
  string: { colour: "syntax-string" },
  regexp: { colour: "syntax-string" },
  symbol: { colour: "syntax-string" },
  addition: { colour: "added" },
  number: { colour: "syntax-number" },
  variable: { colour: "syntax-number" },
  meta: { colour: "syntax-number" },
  deletion: { colour: "removed" },
  comment: { dim: true, italic: true },
  quote: { dim: true, italic: true },
}

/** The library's patterns may go over a line many times. What is longer stays without colours. */
const LONGEST_CODE = 40_000
const LONG_LINE = /[^\n]{2000}/

/** Colours for code. The library is large, and is loaded when there is the first code to colour. */
export class Highlighter {
  #library: HLJSApi | undefined
  #loading: Promise<void> | undefined

  get isReady(): boolean {
    return this.#library !== undefined
  }

  load(): Promise<void> {
    this.#loading ??= import("highlight.js/lib/common").then((module) => {
      this.#library = module.default
    })
    return this.#loading
  }

  readonly highlight = (code: string, language: string): readonly ScreenLine[] | undefined => {
    const library = this.#library
    if (code.length > LONGEST_CODE || LONG_LINE.test(code)) return undefined
    if (library === undefined || library.getLanguage(language) === undefined) return undefined
    return linesOfHtml(library.highlight(code, { language, ignoreIllegals: true }).value)
  }
}

export function hasCode(markdown: string): boolean {
  return /^ {0,3}(```|~~~)/m.test(markdown)
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
}

/** Reads what highlight.js writes, which is HTML: spans with classes, and five entities. */
function linesOfHtml(html: string): readonly ScreenLine[] {
  const rows: TextSpan[][] = [[]]
  const styles: TextStyle[] = [{}]
  for (const [piece, name] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (name !== undefined) styles.push({ ...styles.at(-1), ...styleOf(name) })
    else if (piece === "</span>") styles.pop()
    else {
      const text = piece.replaceAll(/&[#\w]+;/g, (entity) => ENTITIES[entity] ?? entity)
      const [head = "", ...more] = text.split("\n")
      rows.at(-1)?.push(span(head, styles.at(-1)))
      for (const one of more) rows.push([span(one, styles.at(-1))])
    }
  }
  return rows
}

function styleOf(names: string): TextStyle {
  for (const name of names.split(" ")) {
    const style = STYLES[name.replace(/^hljs-/, "")]
    if (style) return style
  }
  return {}
}
