import { measuredParts, stampIn } from "./measured.js"
import { cellsOf, columnsOf } from "./table.js"

const FIGURE = /[\d,]+ (?:ms|MB|B)\b/g

/** What docs/comparison.md calls the agents that docs/performance.md has a column for. */
const NAMES: Readonly<Record<string, string>> = {
  sotto: "sotto",
  "codex cli": "codex",
  opencode: "opencode",
  pi: "pi",
  "gemini cli": "gemini-cli",
}

/**
 * Gives docs/comparison.md the new figures where it quotes the old ones of docs/performance.md. A figure that stood in two
 * rows, which now differ, stays as it is: a test then says that it was not measured.
 */
export function withFigures(page: string, before: string, after: string): string {
  const changes = new Map(
    Object.entries(NAMES).map(([name, agent]) => [name, changesOf(agent, before, after)]),
  )
  let heading: readonly string[] = []
  return page
    .split("\n")
    .map((line, i, lines) => {
      if (!line.startsWith("|")) return line
      if (!lines[i - 1]?.startsWith("|")) heading = cellsOf(line)
      const cells = cellsOf(line)
      if (cells.at(-1)?.startsWith("measured: [performance]"))
        return line.replace(
          FIGURE,
          (figure) => changes.get(cells[0]?.toLowerCase() ?? "")?.get(figure) ?? figure,
        )
      if (heading.at(-1) === "how we know") return line
      const changed = cells.map((cell, column) => {
        const [name = ""] = (heading[column] ?? "").toLowerCase().split(/ \d/)
        return cell.replace(FIGURE, (figure) => changes.get(name)?.get(figure) ?? figure)
      })
      return changed.join() === cells.join() ? line : `| ${changed.join(" | ")} |`
    })
    .join("\n")
}

function changesOf(agent: string, before: string, after: string): ReadonlyMap<string, string> {
  const columnOf = (page: string) => columnsOf(page).find((column) => column.get("")?.startsWith(`${agent} `))
  const [old, now] = [columnOf(before), columnOf(after)]
  const found = new Map<string, Set<string>>()
  for (const [row, cell] of old ?? []) {
    const next = now?.get(row)?.match(FIGURE) ?? []
    for (const [i, figure] of (cell.match(FIGURE) ?? []).entries())
      if (next[i] !== undefined) found.set(figure, (found.get(figure) ?? new Set()).add(next[i]))
  }
  return new Map([...found].flatMap(([figure, all]) => (all.size === 1 ? [[figure, [...all].join()]] : [])))
}

/** Has docs/comparison.md name the same measurement as docs/performance.md, whose figures it quotes. */
export function withStamp(page: string, performance: string): string {
  const [part] = measuredParts(page)
  if (part === undefined) return page
  const { mark, words } = stampIn(performance)
  const text = part.text
    .replace(/^<!-- of sources .* -->$/m, mark)
    .replace(/Measured on .* at commit `\w+`/, words)
  return page.replace(part.text, () => text)
}
