export interface Bar {
  readonly label: string
  readonly value: number
  readonly text: string
}

const WIDTH = 720
const LABELS = 110
const ROOM_FOR_TEXT = 90
const ROW = 30
const TOP = 44

/** Horizontal bars as an SVG that can be read on light and dark pages. The first bar is the one that stands out. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value))
  const height = TOP + bars.length * ROW + 8
  const rows = bars.flatMap(({ label, value, text }, i) => {
    const y = TOP + i * ROW
    const width = Math.max(1, Math.round(((WIDTH - LABELS - ROOM_FOR_TEXT) * value) / most))
    return [
      `  <text class="label" x="${LABELS - 10}" y="${y + 16}" text-anchor="end">${escaped(label)}</text>`,
      `  <rect class="${i === 0 ? "own" : "other"}" x="${LABELS}" y="${y + 2}" width="${width}" height="20" rx="3"/>`,
      `  <text x="${LABELS + width + 8}" y="${y + 16}">${escaped(text)}</text>`,
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `  <title>${escaped(title)}</title>`,
    "  <style>",
    "    text { font: 13px system-ui, sans-serif; fill: #333 }",
    "    .title { font-weight: 600; font-size: 14px }",
    "    .own { fill: #2f7d5b }",
    "    .other { fill: #9aa5b1 }",
    "    @media (prefers-color-scheme: dark) {",
    "      text { fill: #ddd }",
    "      .own { fill: #5cc596 }",
    "      .other { fill: #6b7683 }",
    "    }",
    "  </style>",
    `  <text class="title" x="10" y="24">${escaped(title)}</text>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n")
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
