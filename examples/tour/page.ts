import { across, type Layout, type Line, rule, sideBySide } from "./columns.js"
import { ledgerLine, seenLines, toldLines } from "./lines.js"
import { changedBytes, type Moment, type Played, play } from "./play.js"
import { SCRIPT } from "./script.js"

const TAKES_SYSTEM_MESSAGES = "claude-opus-5-5"
const SMOOSHES = "claude-sonnet-5"
/** The user's share of the page: the model is told more than the user sees. */
const SHARE = 0.4

/** The whole tour, line by line. */
export function tourLines(layout: Layout): readonly string[] {
  const played = play(TAKES_SYSTEM_MESSAGES, SCRIPT)
  const other = play(SMOOSHES, SCRIPT)
  return [
    "",
    ...opening(layout),
    "",
    ...sideBySide([HEADINGS.seen], [HEADINGS.told], layout, SHARE),
    ...played.moments.flatMap((moment) => [...momentLines(moment, layout), ""]),
    ...ending(played, layout),
    "",
    ...comparison(played, other, layout),
    "",
    ...summary([played, other], layout),
    "",
  ]
}

const HEADINGS = {
  seen: { text: "WHAT THE USER SEES", tone: "strong" },
  told: { text: "WHAT THE MODEL IS TOLD", tone: "strong" },
} as const satisfies Record<string, Line>

function opening(layout: Layout): readonly string[] {
  return across(
    [
      { text: "Sotto: a tour of the engine", tone: "title" },
      {
        text: "One turn, step by step. No model is called: the replies and the tools are a script, and a stand-in plays it. Everything in the right column is what @sotto/core made of it; a bar (▌) marks what the harness itself says.",
        tone: "plain",
      },
    ],
    layout,
  )
}

function momentLines(moment: Moment, layout: Layout): readonly string[] {
  const { step, agent, meanwhile, seen, told, ledger, last } = moment
  const first: readonly Line[] = step === 1 ? [{ text: moment.pinned, tone: "dim" }] : []
  return [
    rule(`step ${step} · ${agent}${last ? " · the last one" : ""}`, layout),
    ...across(
      meanwhile.map((what): Line => ({ text: what, tone: "title" })),
      layout,
    ),
    ...sideBySide(seenLines(seen), [...first, ...toldLines(told)], layout, SHARE),
    ...across([{ text: ledgerLine(ledger), tone: "dim" }], layout),
  ]
}

function ending({ end }: Played, layout: Layout): readonly string[] {
  const nothing: Line = { text: "nothing: the turn is over", tone: "dim" }
  return [rule("the answer", layout), ...sideBySide(seenLines(end), [nothing], layout, SHARE)]
}

function comparison(played: Played, other: Played, layout: Layout): readonly string[] {
  const [ours, theirs] = [played, other].map(({ moments }) => moments.slice(-1))
  const column = (title: string, moments: readonly Moment[] = []): readonly Line[] => [
    { text: title, tone: "strong" },
    ...moments.flatMap(({ told }) => toldLines(told)),
  ]
  return [
    rule("the same last step for two models", layout),
    ...across([{ text: "The user sees no difference. What changes is the carrier.", tone: "title" }], layout),
    ...sideBySide(
      column(`${TAKES_SYSTEM_MESSAGES}: system messages`, ours),
      column(`${SMOOSHES}: in the last tool result`, theirs),
      layout,
      0.5,
    ),
  ]
}

function summary(turns: readonly Played[], layout: Layout): readonly string[] {
  const moments = turns.flatMap((turn) => turn.moments)
  const told = moments.flatMap(({ ledger }) => ledger.filter(({ outcome }) => outcome === "spoke"))
  const figures = {
    "requests, over both models": moments.length,
    "reminders told": told.length,
    "tokens of reminders": told.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    "bytes already sent that changed": turns.reduce(
      (sum, turn) => sum + changedBytes(turn.moments.map(({ sent }) => sent)),
      0,
    ),
  }
  return [
    rule("in all", layout),
    ...Object.entries(figures).map(([name, figure]) => `${name.padEnd(34)}${String(figure).padStart(6)}`),
  ]
}
