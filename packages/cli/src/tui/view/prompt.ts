import { isEmpty } from "../input/buffer.js"
import { layoutOf } from "../input/layout.js"
import type { Draft, Picker } from "../state/ui.js"
import { type Colour, cutLine, type ScreenLine, span } from "../text/line.js"
import { cut, visible, widthOf } from "../text/width.js"
import type { Panel } from "./ask.js"
import type { Look } from "./look.js"

const BAR = 2

export function inputWidth(columns: number): number {
  // One column stays free for the cursor after the last character.
  return Math.max(4, columns - BAR - 1)
}

export function promptPanel(
  { buffer, editing }: Draft,
  {
    colour,
    placeholder,
    most,
  }: { readonly colour: Colour; readonly placeholder: string; readonly most: number },
  { width }: Look,
): Panel {
  const isShell = editing === undefined && buffer.text.startsWith("!")
  const bar = isShell
    ? span("$ ", { colour: "attention" })
    : span(editing === undefined ? "▌ " : "✎ ", { colour })
  if (isEmpty(buffer))
    return {
      rows: [[bar, span(cut(placeholder, inputWidth(width)), { dim: true })]],
      cursor: { row: 0, column: BAR },
    }
  const { rows, cursor } = layoutOf(buffer, inputWidth(width))
  const from = Math.max(0, Math.min(cursor.row - Math.floor(most / 2), rows.length - most))
  const shown = rows.slice(from, from + most)
  return {
    rows: shown.map(({ text }) => [bar, span(text)]),
    cursor: { row: cursor.row - from, column: cursor.column + BAR },
  }
}

export function offerLines(
  offer: NonNullable<Draft["offer"]>,
  most: number,
  { width }: Look,
): readonly ScreenLine[] {
  const { items, chosen } = offer
  const from = Math.max(0, Math.min(chosen - Math.floor(most / 2), items.length - most))
  const shown = items.slice(from, from + most)
  const widest = Math.min(Math.floor(width * 0.6), Math.max(0, ...shown.map(({ text }) => widthOf(text))))
  return shown.map(({ text, detail = "" }, i) => {
    const isChosen = from + i === chosen
    const name = cut(visible(text), widest)
    const padding = " ".repeat(Math.max(0, widest - widthOf(name)))
    return cutLine(
      [
        span(isChosen ? "  ❯ " : "    ", { bold: true }),
        span(name, isChosen ? { bold: true, inverse: true } : {}),
        span(`${padding}  ${visible(detail)}`, { dim: true }),
      ],
      width,
    )
  })
}

export function pickerPanel({ title, items, filter, chosen }: Picker, most: number, { width }: Look): Panel {
  const room = Math.max(1, most - 2)
  const from = Math.max(0, Math.min(chosen - Math.floor(room / 2), items.length - room))
  const bar = span("┃ ", { colour: "choice" })
  const shown = items.slice(from, from + room)
  // Details stand in a column where the labels leave room for one.
  const widest = Math.max(0, ...shown.map(({ label }) => widthOf(visible(label))))
  const column = widest <= width / 2 ? widest : 0
  const rows = shown.map(({ label, detail = "" }, i): ScreenLine => {
    const isChosen = from + i === chosen
    const style = isChosen ? { bold: true, inverse: true } : {}
    const name = visible(label)
    const gap = " ".repeat(Math.max(0, column - widthOf(name)) + 2)
    return cutLine(
      [
        bar,
        span(isChosen ? "❯ " : "  "),
        span(name, style),
        span(detail === "" ? "" : `${gap}${visible(detail)}`, { dim: true }),
      ],
      width,
    )
  })
  const head = `${title} `
  const none = items.length === 0 ? [[bar, span("  nothing by that name", { dim: true })]] : []
  return {
    rows: [
      cutLine([bar, span(head, { bold: true }), span(filter)], width),
      ...rows,
      ...none,
      cutLine([bar, span("↑↓ and Enter · type to narrow · Esc back", { dim: true })], width),
    ],
    cursor: { row: 0, column: Math.min(width - 1, BAR + widthOf(head) + widthOf(filter)) },
  }
}
