import { dollars, short } from "../../state/tally.js"
import { type Span, span } from "../../text/line.js"
import { clean } from "../../text/width.js"
import { colourOf } from "../look.js"
import type { Segment } from "./segment.js"

const dim = (text: string): readonly Span[] => [span(text, { dim: true })]
const loud = (text: string): readonly Span[] => [span(text, { colour: "attention", bold: true })]

const agent: Segment = {
  name: "agent",
  cell: ({ screen, agents }) => [span(screen.agent, { colour: colourOf(screen.agent, agents), bold: true })],
}

const tour: Segment = {
  name: "tour",
  cell: ({ ui }) => (ui.tour ? loud("tour: Esc leaves it") : undefined),
}

const mode: Segment = {
  name: "mode",
  cell: ({ ui: { leave } }) =>
    leave === "ask" ? undefined : loud(leave === "auto" ? "auto" : "accept edits"),
}

const step: Segment = {
  name: "step",
  cell: ({ screen: { turn, agent }, agents }) => {
    if (turn === undefined) return undefined
    const most = agents.find(({ name }) => name === agent)?.steps
    return dim(most === undefined ? `step ${turn.step}` : `step ${turn.step}/${most}`)
  },
}

const context: Segment = {
  name: "context",
  cell: ({ screen: { tally } }) => {
    if (tally.context === 0) return undefined
    const share = tally.window ? ` (${Math.round((tally.context / tally.window) * 100)}%)` : ""
    return dim(`context ${short(tally.context)}${share}`)
  },
}

/** Without the provider, which is the same for all requests and long. */
const model: Segment = {
  name: "model",
  cell: ({ screen: { model } }) => dim(clean(model.slice(model.indexOf("/") + 1))),
}

const think: Segment = {
  name: "think",
  cell: ({ screen: { think } }) => (think === undefined ? undefined : dim(`think ${think}`)),
}

const cache: Segment = {
  name: "cache",
  cell: ({ screen: { tally } }) =>
    tally.cacheRead > 0 ? dim(`${short(tally.cacheRead)} from cache`) : undefined,
}

const cost: Segment = {
  name: "cost",
  cell: ({ screen: { tally } }) => (tally.cost === undefined ? undefined : dim(dollars(tally.cost))),
}

const background: Segment = {
  name: "background",
  cell: ({ screen }) => (screen.background > 0 ? dim(`${screen.background} in the background`) : undefined),
}

const asides: Segment = {
  name: "asides",
  cell: ({ ui }) => (ui.shows.asides ? dim("asides") : undefined),
}

const unfolded: Segment = {
  name: "unfolded",
  cell: ({ ui }) => (ui.shows.unfolded ? dim("calls in full") : undefined),
}

/** By importance: the first that fit are shown. */
export const SEGMENTS: readonly Segment[] = [
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
