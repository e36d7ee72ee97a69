import type { Tokens } from "marked"
import { type ScreenLine, span, type TextSpan, widthOfLine, wrap } from "../text/line.js"
import { inlineLines } from "./inline.js"

const GAP = 3
const NARROWEST = 5
/** More columns than fit any window, and more than is worth fitting. */
const MOST_COLUMNS = 64

/** Columns where they fit, else every row as a list of its cells: a table that is cut off tells nothing. */
export function tableLines({ header, rows }: Tokens.Table, width: number): readonly ScreenLine[] {
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
    if (widest <= NARROWEST) return undefined
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
