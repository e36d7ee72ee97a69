import type { Token, Tokens } from "marked"
import { type ScreenLine, span, type TextSpan, type TextStyle } from "../text/line.js"
import { clean } from "../text/width.js"

const CODE: TextStyle = { colour: "code" }
const LINK: TextStyle = { colour: "link", underline: true }

/** Lines, because a hard break may stand anywhere in a paragraph. */
export function inlineLines(
  tokens: readonly Token[] | undefined,
  style: TextStyle = {},
): readonly ScreenLine[] {
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
