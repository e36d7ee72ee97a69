import { rowAt } from "./terminal.mjs"

const CELL = { width: 8.4, height: 18 }
const MARGIN = 14
const FONT = 14
const INK = "#d8dee9"
const PAPER = "#1b1f27"
const COLOURS = [
  ...["#3b4252", "#e06c75", "#98c379", "#e5c07b", "#6cb0f2", "#c78ddb", "#56c2cf", "#d8dee9"],
  ...["#7b8494", "#f0808a", "#b5d99c", "#f2d59a", "#8cc4f7", "#d8a8e8", "#7fd6e0", "#ffffff"],
]

/** What is on a screen, cell by cell, as a picture. */
export function svgOf({ screen, isCursorShown }, title) {
  const { cols, rows } = screen
  const width = Math.ceil(cols * CELL.width + 2 * MARGIN)
  const height = Math.ceil(rows * CELL.height + 2 * MARGIN)
  const body = Array.from({ length: rows }, (_, y) => rowOf(screen, y)).join("")
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}" fill="${INK}">
${body}${isCursorShown() ? cursorOf(screen) : ""}</g>
</svg>
`
}

function rowOf(screen, y) {
  const row = rowAt(screen, y)
  const runs = []
  for (let x = 0; x < screen.cols; x++) {
    const cell = row?.getCell(x)
    if (cell === undefined || cell.getWidth() === 0) continue
    const style = styleOf(cell)
    const text = cell.getChars() || " "
    const last = runs.at(-1)
    if (last && last.key === style.key && isPlain(text) && isPlain(last.text)) {
      last.text += text
      last.cells += cell.getWidth()
    } else runs.push({ ...style, text, x, cells: cell.getWidth() })
  }
  return runs
    .map(
      (run) =>
        groundOf(run, y) +
        words(run)
          .map((one) => drawn(one, y))
          .join(""),
    )
    .join("")
}

/**
 * The pieces of a run between wider gaps, each in its place. Browsers drop spaces at the ends of a text and all but one
 * within, and would stretch what is left over the whole length.
 */
function words(run) {
  return [...run.text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({
    ...run,
    text,
    x: run.x + index,
    cells: isPlain(text) ? text.length : run.cells,
  }))
}

function groundOf({ x, cells, colour, inverse }, y) {
  if (!inverse) return ""
  const [left, top] = [place(MARGIN + x * CELL.width), MARGIN + y * CELL.height]
  return `<rect x="${left}" y="${top}" width="${place(cells * CELL.width)}" height="${CELL.height}" fill="${colour ?? INK}"/>`
}

/** Anything else might be wider in the reader's font, and is placed by itself. */
function isPlain(text) {
  return /^[\x20-\x7e]+$/.test(text)
}

function styleOf(cell) {
  const style = {
    colour: colourOf(cell),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    inverse: cell.isInverse() !== 0,
    strike: cell.isStrikethrough() !== 0,
    underline: cell.isUnderline() !== 0,
  }
  return { ...style, key: JSON.stringify(style) }
}

function colourOf(cell) {
  if (cell.isFgDefault()) return undefined
  const code = cell.getFgColor()
  if (cell.isFgRGB()) return `#${code.toString(16).padStart(6, "0")}`
  if (code < COLOURS.length) return COLOURS[code]
  const level = (value) => (value === 0 ? 0 : 55 + 40 * value)
  const [red, green, blue] = [Math.floor((code - 16) / 36), Math.floor((code - 16) / 6) % 6, (code - 16) % 6]
  return `rgb(${level(red)},${level(green)},${level(blue)})`
}

function drawn({ text, x, cells, colour, bold, dim, italic, inverse, strike, underline }, y) {
  const left = place(MARGIN + x * CELL.width)
  const top = MARGIN + y * CELL.height
  const lines = [strike && "line-through", underline && "underline"].filter(Boolean).join(" ")
  const attributes = [
    `x="${left}" y="${place(top + FONT)}"`,
    isPlain(text) && text.length > 1
      ? `textLength="${place(cells * CELL.width)}" lengthAdjust="spacingAndGlyphs"`
      : "",
    inverse ? `fill="${PAPER}"` : colour ? `fill="${colour}"` : "",
    bold ? 'font-weight="bold"' : "",
    dim ? 'opacity="0.6"' : "",
    italic ? 'font-style="italic"' : "",
    lines === "" ? "" : `text-decoration="${lines}"`,
  ]
  return `<text ${attributes.filter((one) => one !== "").join(" ")}>${escaped(text)}</text>\n`
}

function cursorOf({ buffer: { active } }) {
  const [x, y] = [MARGIN + active.cursorX * CELL.width, MARGIN + active.cursorY * CELL.height]
  return `<rect x="${place(x)}" y="${y}" width="2" height="${CELL.height}" fill="${INK}"/>\n`
}

function place(value) {
  return Math.round(value * 100) / 100
}

function escaped(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
