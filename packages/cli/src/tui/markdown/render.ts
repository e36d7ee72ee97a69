import type { Token, Tokens } from "marked"
import {
  BLANK,
  type ScreenLine,
  span,
  type TextSpan,
  type TextStyle,
  widthOfLine,
  wrap,
} from "../text/line.js"
import { clean } from "../text/width.js"
import { boundedParts, type MarkdownPart, tokensOf } from "./bounds.js"

/** Code in colours; undefined where the language is unknown or the colours are not there yet. */
export type Highlight = (code: string, language: string) => readonly ScreenLine[] | undefined

/** Renders Markdown as rows of a terminal. What cannot be laid out in the width is broken, never cut off. */
export function renderMarkdown(text: string, width: number, highlight?: Highlight): readonly ScreenLine[] {
  const room = { width: Math.max(1, width), highlight }
  const rows: ScreenLine[] = []
  for (const part of boundedParts(text)) {
    const shown = partLines(part, room)
    if (part.apart && rows.length > 0 && shown.length > 0) rows.push(BLANK)
    append(rows, shown)
  }
  return rows
}

function partLines({ text, plain }: MarkdownPart, room: Room): readonly ScreenLine[] {
  const tokens = plain ? undefined : tokensOf(text)
  if (tokens === undefined)
    return clean(text)
      .split("\n")
      .flatMap((one) => wrap([span(one)], room.width))
  return blocks(tokens, room)
}

/** Appends without spreading: a call takes only a limited number of arguments. */
function append(rows: ScreenLine[], more: readonly ScreenLine[]): void {
  for (const row of more) rows.push(row)
}

interface Room {
  readonly width: number
  readonly highlight: Highlight | undefined
}

function blocks(tokens: readonly Token[], room: Room): readonly ScreenLine[] {
  const rows: ScreenLine[] = []
  for (const token of tokens) {
    if (token.type === "space" || token.type === "def") continue
    const block = blockLines(token as Tokens.Generic, room)
    if (block.length === 0) continue
    if (rows.length > 0) rows.push(BLANK)
    append(rows, block)
  }
  return rows
}

function blockLines(token: Tokens.Generic, room: Room): readonly ScreenLine[] {
  switch (token.type) {
    case "heading":
      return heading(token as Tokens.Heading, room)
    case "code":
      return code(token as Tokens.Code, room)
    case "list":
      return list(token as Tokens.List, room)
    case "blockquote":
      if (room.width < NARROWEST + 2) return blocks(token.tokens ?? [], room)
      return indented(blocks(token.tokens ?? [], narrower(room, 2)), [span("│ ", { dim: true })])
    case "table":
      return tableLines(token as Tokens.Table, room.width)
    case "hr":
      return [[span("─".repeat(Math.min(room.width, 24)), { dim: true })]]
    case "html":
      return clean(token.text.trimEnd())
        .split("\n")
        .flatMap((one) => wrap([span(one, { dim: true })], room.width))
    default:
      return paragraph(token.tokens ?? [{ ...token, type: "escape" }], room)
  }
}

function paragraph(tokens: readonly Token[], { width }: Room, style: TextStyle = {}): readonly ScreenLine[] {
  return inlineLines(tokens, style).flatMap((one) => wrap(one, width))
}

function heading({ depth, tokens }: Tokens.Heading, room: Room): readonly ScreenLine[] {
  const style: TextStyle = depth <= 2 ? { bold: true, colour: "heading" } : { bold: true }
  return paragraph(tokens, room, style)
}

function code({ text, lang }: Tokens.Code, { width, highlight }: Room): readonly ScreenLine[] {
  const source = clean(text)
  const language = /^\S*/.exec(lang ?? "")?.[0] ?? ""
  const coloured = highlight?.(source, language) ?? source.split("\n").map((one) => [span(one)])
  const margin: ScreenLine = [span("▏ ", { dim: true })]
  return coloured.flatMap((one) => wrap(one, width, { first: margin, anywhere: true }))
}

function list({ ordered, start, items, loose }: Tokens.List, room: Room): readonly ScreenLine[] {
  const first = typeof start === "number" ? start : 1
  const widest = String(first + items.length - 1).length
  const rows: ScreenLine[] = []
  for (const [i, item] of items.entries()) {
    const mark = ordered ? `${String(first + i).padStart(widest)}. ` : "• "
    const box: readonly TextSpan[] = item.task ? [span(item.checked ? "☒ " : "☐ ")] : []
    const prefix = mark.length + box.length * 2
    if (room.width < NARROWEST + prefix) {
      append(rows, itemLines(item, room))
      continue
    }
    const inner = narrower(room, prefix)
    const content = itemLines(item, inner)
    if (loose && i > 0) rows.push(BLANK)
    const [head = BLANK, ...rest] = content
    rows.push([span(mark, { dim: !ordered }), ...box, ...head])
    append(rows, indented(rest, [span(" ".repeat(prefix))]))
  }
  return rows
}

/** Lists below an item follow its text at once, other blocks after a line. */
function itemLines({ tokens, loose }: Tokens.ListItem, room: Room): readonly ScreenLine[] {
  const rows: ScreenLine[] = []
  for (const token of tokens) {
    if (token.type === "space" || token.type === "checkbox") continue
    const block = blockLines(token as Tokens.Generic, room)
    if (loose && rows.length > 0 && token.type !== "list") rows.push(BLANK)
    append(rows, block)
  }
  return rows
}

function indented(rows: readonly ScreenLine[], prefix: ScreenLine): readonly ScreenLine[] {
  return rows.map((row) => [...prefix, ...row])
}

function narrower(room: Room, by: number): Room {
  return { ...room, width: room.width - by }
}

/** Where there is less room than this, what is nested deeper is no longer indented. */
const NARROWEST = 8

const CODE: TextStyle = { colour: "code" }
const LINK: TextStyle = { colour: "link", underline: true }

/** Lines, because a hard break may stand anywhere in a paragraph. */
function inlineLines(tokens: readonly Token[] | undefined, style: TextStyle = {}): readonly ScreenLine[] {
  const rows: TextSpan[][] = [[]]
  for (const one of spansOf(tokens ?? [], style)) {
    const [head = "", ...more] = one.text.split("\n")
    rows.at(-1)?.push(span(head, one.style))
    for (const text of more) rows.push([span(text, one.style)])
  }
  return rows
}

function spansOf(tokens: readonly Token[], style: TextStyle): readonly TextSpan[] {
  return tokens.flatMap((token) => inline(token as Tokens.Generic, style))
}

function inline(token: Tokens.Generic, style: TextStyle): readonly TextSpan[] {
  const inner = (more: TextStyle) => spansOf(token.tokens ?? [], { ...style, ...more })
  switch (token.type) {
    case "strong":
      return inner({ bold: true })
    case "em":
      return inner({ italic: true })
    case "del":
      return inner({ strike: true })
    case "codespan":
      return [span(clean(token.text), { ...style, ...CODE })]
    case "br":
      return [span("\n")]
    case "link":
      return link(token as Tokens.Link, style)
    case "image":
      return [span(`[image: ${clean(token.text || token.href)}]`, { ...style, dim: true })]
    case "text":
      if (token.tokens) return inner({})
      // A line break in the source of a paragraph is a space; a model that breaks lines on purpose is rare.
      return [span(clean(token.text).replaceAll("\n", " "), style)]
    default:
      return [span(clean(token.text ?? token.raw), style)]
  }
}

function link({ tokens, href, text }: Tokens.Link, style: TextStyle): readonly TextSpan[] {
  const address = clean(href)
  if (text === href || `mailto:${text}` === href) return [span(address, { ...style, ...LINK })]
  return [...spansOf(tokens, { ...style, ...LINK }), span(` (${address})`, { ...style, dim: true })]
}

const GAP = 3
/** Characters of the narrowest column of a table. */
const NARROWEST_COLUMN = 5
/** More columns than fit any window, and more than is worth fitting. */
const MOST_COLUMNS = 64

/** Columns where they fit, else every row as a list of its cells: a table that is cut off tells nothing. */
function tableLines({ header, rows }: Tokens.Table, width: number): readonly ScreenLine[] {
  const head = header.map((cell) => contentOf(cell, { bold: true }))
  const body = rows.map((row) => row.map((cell) => contentOf(cell, {})))
  const wanted = head.map((cell, i) =>
    Math.max(widthOfLine(cell), ...body.map((row) => widthOfLine(row[i] ?? []))),
  )
  const widths = head.length > MOST_COLUMNS ? undefined : fitted(wanted, width - GAP * (head.length - 1))
  if (widths === undefined) return stacked(head, body, width)
  const rule = span(widths.map((wide) => "─".repeat(wide)).join("─┼─"), { dim: true })
  return [...rowLines(head, widths), [rule], ...body.flatMap((row) => rowLines(row, widths))]
}

function contentOf(cell: Tokens.TableCell, style: TextSpan["style"]): ScreenLine {
  return inlineLines(cell.tokens, style).flat()
}

/** Takes from the widest until all fit. */
function fitted(wanted: readonly number[], room: number): readonly number[] | undefined {
  const widths = [...wanted]
  let over = widths.reduce((sum, wide) => sum + wide, 0) - room
  while (over > 0) {
    const widest = Math.max(...widths)
    if (widest <= NARROWEST_COLUMN) return undefined
    widths[widths.indexOf(widest)] = widest - 1
    over--
  }
  return widths
}

function rowLines(cells: readonly ScreenLine[], widths: readonly number[]): readonly ScreenLine[] {
  const wrapped = widths.map((wide, i) => wrap(cells[i] ?? [], wide))
  const height = Math.max(...wrapped.map((cell) => cell.length))
  return Array.from({ length: height }, (_, row) =>
    widths.flatMap((wide, i) => {
      const content = wrapped[i]?.[row] ?? []
      const padding = span(" ".repeat(Math.max(0, wide - widthOfLine(content))))
      const border = i === 0 ? [] : [span(" │ ", { dim: true })]
      return [...border, ...content, padding]
    }),
  )
}

function stacked(
  head: readonly ScreenLine[],
  body: readonly (readonly ScreenLine[])[],
  width: number,
): readonly ScreenLine[] {
  return body.flatMap((row, at) => [
    ...(at === 0 ? [] : [[span("─".repeat(Math.min(width, 8)), { dim: true })]]),
    ...row.flatMap((cell, i) =>
      wrap(cell, width, { first: [...(head[i] ?? []), span(": ")], rest: [span("  ")] }),
    ),
  ])
}
