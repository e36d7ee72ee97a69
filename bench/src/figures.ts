export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

export function micros(milliseconds: number): string {
  return `${(milliseconds * 1_000).toFixed(1)} µs`
}

export function millis(milliseconds: number): string {
  return `${rounded(milliseconds, milliseconds < 10 ? 2 : 0)} ms`
}

export function megabytes(bytes: number): string {
  return `${rounded(bytes / 1e6, 0)} MB`
}

export function bytes(count: number): string {
  return `${rounded(count, 0)} B`
}

export function times(ratio: number): string {
  return `${rounded(ratio, ratio < 10 ? 2 : 0)} ×`
}

function rounded(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Rows under their headings, every column as wide as it needs and flush right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = headings.map((heading, i) =>
    Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) => cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join("   ")
  return [line(headings), line(widths.map((width) => "─".repeat(width))), ...rows.map(line)]
}

/** The same for a page. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)]
}
