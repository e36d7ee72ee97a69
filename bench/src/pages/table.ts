/** Reads the cells of a row of a Markdown table. */
export function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/** Reads docs/performance.md's first table: a column for each agent, by the labels of the rows. */
export function columnsOf(performance: string): readonly ReadonlyMap<string, string>[] {
  const lines = performance.split("\n")
  const first = lines.findIndex((line) => line.startsWith("|"))
  const after = lines.findIndex((line, i) => i > first && !line.startsWith("|"))
  const [heading = [], , ...rows] = lines.slice(first, after).map(cellsOf)
  return heading
    .slice(1)
    .map(
      (agent, i) =>
        new Map([
          ["", agent],
          ...rows.map((cells): [string, string] => [cells[0] ?? "", cells[i + 1] ?? ""]),
        ]),
    )
}
