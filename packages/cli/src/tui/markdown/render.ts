import type { Token, Tokens } from "marked"
import { BLANK, type ScreenLine, span, type TextSpan, type TextStyle, wrap } from "../text/line.js"
import { clean } from "../text/width.js"
import { boundedParts, type MarkdownPart, tokensOf } from "./bounds.js"
import { inlineLines } from "./inline.js"
import { tableLines } from "./table.js"

/** Code in colours; undefined where the language is unknown or the colours are not there yet. */
export type Highlight = (code: string, language: string) => readonly ScreenLine[] | undefined

/** Markdown as rows of a terminal. What cannot be laid out in the width is broken, never cut off. */
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

/** Not by spreading: a call takes only so many arguments. */
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
