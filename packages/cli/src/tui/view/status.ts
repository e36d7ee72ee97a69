import type { Agent } from "@sotto/core"
import type { Screen } from "../state/screen.js"
import { dollars, short } from "../state/tally.js"
import { cutLine, type Line, type Span, span, widthOfLine } from "../text/line.js"
import { clean } from "../text/width.js"
import { colourOf, type Look } from "./look.js"

export type Mode = "ask" | "auto" | "plan"

export interface StatusFacts {
  readonly screen: Screen
  readonly agents: readonly Agent[]
  readonly mode: Mode
}

/** Agent, model, mode, step, context, cache, cost; what has no room is left out from the end of the list. */
export function statusLine({ screen, agents, mode }: StatusFacts, { width }: Look): Line {
  const { agent, model, turn, tally } = screen
  const most = agents.find(({ name }) => name === agent)?.steps
  const dim = (text: string): Span => span(text, { dim: true })
  const share = tally.window ? ` (${Math.round((tally.context / tally.window) * 100)}%)` : ""
  // By importance: the first that fit are shown.
  const cells: readonly (readonly Span[])[] = [
    [span(agent, { colour: colourOf(agent, agents), bold: true })],
    ...(mode === "auto" ? [[span("auto", { colour: "yellow", bold: true })]] : []),
    ...(turn ? [[dim(most === undefined ? `step ${turn.step}` : `step ${turn.step}/${most}`)]] : []),
    ...(tally.context > 0 ? [[dim(`context ${short(tally.context)}${share}`)]] : []),
    [dim(clean(nameOf(model)))],
    ...(tally.cacheRead > 0 ? [[dim(`${short(tally.cacheRead)} from cache`)]] : []),
    ...(tally.cost === undefined ? [] : [[dim(dollars(tally.cost))]]),
    ...(screen.background > 0 ? [[dim(`${screen.background} in the background`)]] : []),
    ...(screen.asides.shown ? [[dim("asides")]] : []),
  ]
  let row: readonly Span[] = cells[0] ?? []
  for (const cell of cells.slice(1)) {
    const longer = [...row, dim(" · "), ...cell]
    if (widthOfLine(longer) <= width) row = longer
  }
  return cutLine(row, width)
}

/** Without the provider, which is the same for all requests and long. */
function nameOf(model: string): string {
  return model.slice(model.indexOf("/") + 1)
}
