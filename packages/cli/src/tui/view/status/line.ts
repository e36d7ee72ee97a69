import { cutLine, type ScreenLine, span, type TextSpan, widthOfLine } from "../../text/line.js"
import type { Look } from "../look.js"
import type { StatusFacts } from "./segment.js"
import { SEGMENTS } from "./segments.js"

/** The segments that have something to say; what has no room is left out. */
export function statusLine(facts: StatusFacts, { width }: Look): ScreenLine {
  const cells = SEGMENTS.flatMap(({ cell }) => {
    const spans = cell(facts)
    return spans === undefined ? [] : [spans]
  })
  let row: readonly TextSpan[] = cells[0] ?? []
  for (const cell of cells.slice(1)) {
    const longer = [...row, span(" · ", { dim: true }), ...cell]
    if (widthOfLine(longer) <= width) row = longer
  }
  return cutLine(row, width)
}
