import type { Deed, TerminalContext } from "../context.js"
import { named } from "../keys/bindings.js"
import { DEEDS } from "../keys/deeds.js"
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

/** Makes the text of `sotto help keys`, with the names by which settings give an action other keys. */
export function keysText(): string {
  const rows = DEEDS.filter(({ help, keys }) => help !== undefined && keys.length > 0).map(
    ({ name, keys, shown, help }) =>
      `  ${(shown ?? keys.map(named).join(", ")).padEnd(26)}${name.padEnd(20)}${help}`,
  )
  return [
    "Keys of the terminal, with the name and the meaning of what each does",
    "",
    ...rows,
    "",
    'Your own sotto.json gives an action other keys: { "terminal": { "keys": { "transcript": ["ctrl+e"] } } }',
    "",
  ].join("\n")
}
