import type { Agent } from "@sotto/core"
import type { Screen } from "../state/screen.js"
import { costIn, short } from "../state/tally.js"
import type { Ui } from "../state/ui.js"
import { cutLine, type ScreenLine, span, type TextSpan, widthOfLine } from "../text/line.js"
import { clean } from "../text/width.js"
import { colourOf, type Look } from "./look.js"

export interface StatusFacts {
  readonly ui: Ui
  readonly screen: Screen
  readonly agents: readonly Agent[]
}

/** A piece of the status line. */
interface StatusSegment {
  readonly name: string
  /** Undefined where there is nothing to say. */
  cell(facts: StatusFacts): readonly TextSpan[] | undefined
}

const dim = (text: string): readonly TextSpan[] => [span(text, { dim: true })]
const loud = (text: string): readonly TextSpan[] => [span(text, { colour: "attention", bold: true })]

const agent: StatusSegment = {
  name: "agent",
  cell: ({ screen, agents }) => [span(screen.agent, { colour: colourOf(screen.agent, agents), bold: true })],
}

const tour: StatusSegment = {
  name: "tour",
  cell: ({ ui }) => (ui.tour ? loud("tour: Esc leaves it") : undefined),
}

const mode: StatusSegment = {
  name: "mode",
  cell: ({ ui: { leave } }) =>
    leave === "ask" ? undefined : loud(leave === "auto" ? "auto" : "accept edits"),
}

const step: StatusSegment = {
  name: "step",
  cell: ({ screen: { turn, agent }, agents }) => {
    if (turn === undefined) return undefined
    const most = agents.find(({ name }) => name === agent)?.steps
    return dim(most === undefined ? `step ${turn.step}` : `step ${turn.step}/${most}`)
  },
}

const context: StatusSegment = {
  name: "context",
  cell: ({ screen: { tally } }) => {
    if (tally.context === 0) return undefined
    const share = tally.window ? ` (${Math.round((tally.context / tally.window) * 100)}%)` : ""
    return dim(`context ${short(tally.context)}${share}`)
  },
}

/** Without the provider, which is the same for all requests and long. */
const model: StatusSegment = {
  name: "model",
  cell: ({ screen: { model } }) => dim(clean(model.slice(model.indexOf("/") + 1))),
}

const think: StatusSegment = {
  name: "think",
  cell: ({ screen: { think } }) => (think === undefined ? undefined : dim(`think ${think}`)),
}

const cache: StatusSegment = {
  name: "cache",
  cell: ({ screen: { tally } }) =>
    tally.cacheRead > 0 ? dim(`${short(tally.cacheRead)} from cache`) : undefined,
}

const cost: StatusSegment = {
  name: "cost",
  cell: ({ screen: { tally } }) => {
    const cost = tally.account && costIn(tally.account)
    return cost === undefined ? undefined : dim(cost)
  },
}

const background: StatusSegment = {
  name: "background",
  cell: ({ screen }) => (screen.background > 0 ? dim(`${screen.background} in the background`) : undefined),
}

const asides: StatusSegment = {
  name: "asides",
  cell: ({ ui }) => (ui.shows.asides ? dim("asides") : undefined),
}

const unfolded: StatusSegment = {
  name: "unfolded",
  cell: ({ ui }) => (ui.shows.unfolded ? dim("calls in full") : undefined),
}

/** By importance: the first that fit are shown. */
const SEGMENTS: readonly StatusSegment[] = [
  agent,
  tour,
  mode,
  step,
  background,
  asides,
  unfolded,
  context,
  model,
  think,
  cache,
  cost,
]

/** Draws the segments that have something to say; what has no room is left out. */
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
