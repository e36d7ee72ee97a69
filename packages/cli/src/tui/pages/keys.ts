import type { Deed, TerminalContext } from "../context.js"
import { named } from "../keys/bindings.js"
import { cutLine, type ScreenLine, span } from "../text/line.js"
import type { ScreenPage } from "./page.js"
import { textPage } from "./text-page.js"

/** Shows the keys alone: they fit a window of 24 rows. */
export function keysPage({ bindings }: TerminalContext): ScreenPage {
  return textPage({
    title: () => [span("Keys; /help has the commands too", { bold: true })],
    lines: (width) => keyLines(bindings.deeds, width),
  })
}

/** Lists the keys, a row each. */
function keyLines(deeds: readonly Deed[], width: number): readonly ScreenLine[] {
  const rows = deeds.flatMap(({ help: what, keys, shown }): (readonly [string, string])[] =>
    what === undefined || keys.length === 0 ? [] : [[shown ?? keys.map(named).join(", "), what]],
  )
  const column = Math.max(...rows.map(([keys]) => keys.length)) + 2
  return rows.map(([keys, what]) =>
    cutLine([span(keys.padEnd(column), { bold: true }), span(what, { dim: true })], width),
  )
}
