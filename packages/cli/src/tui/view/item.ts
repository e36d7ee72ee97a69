import { renderMarkdown } from "../markdown/render.js"
import type { Item, Told } from "../state/screen.js"
import { short } from "../state/tally.js"
import { BLANK, type Colour, cutLine, type Line, lines, type Span, span, wrap } from "../text/line.js"
import { clean } from "../text/width.js"
import { subjectLines } from "./ask.js"
import { callLines } from "./call.js"
import { count, duration, type Look } from "./look.js"

/** What is over, as rows to be printed for good, apart from what came before it. `colour` is the agent's. */
export function printedLines(
  items: readonly Item[],
  index: number,
  look: Look,
  colour: Colour,
): readonly Line[] {
  const [item, before] = [items[index], items[index - 1]]
  if (item === undefined) return []
  const rows = itemLines(item, look, colour)
  return before !== undefined && standsApart(item, before) ? [BLANK, ...rows] : rows
}

/** What belongs to the agent's work stands together; words stand apart. */
function standsApart(item: Item, before: Item): boolean {
  return !(isWork(item) && isWork(before)) && item.is !== "turn"
}

export function isWork({ is }: Item): boolean {
  return is === "call" || is === "aside" || is === "reasoning" || is === "notice"
}

function itemLines(item: Item, look: Look, colour: Colour): readonly Line[] {
  switch (item.is) {
    case "user":
      return userLines(item.text, look.width, colour, item.step)
    case "text":
      return renderMarkdown(item.text, look.width, look.highlight)
    case "reasoning":
      return reasoningLines(item, look)
    case "call":
      return callLines(item, look)
    case "aside":
      return asideLines(item.told, look.width)
    case "notice":
      return noticeLines(item, look.width)
    case "page":
      return renderMarkdown(item.markdown, look.width, look.highlight)
    case "question":
      return subjectLines(item.question, look)
    case "turn":
      return [turnLine(item)].map((row) => cutLine(row, look.width))
  }
}

/** The user's own words, with where they came in if that was in the middle of a turn. */
function userLines(text: string, width: number, colour: Colour, step: number | undefined): readonly Line[] {
  const bar: Line = [span("▌ ", { colour })]
  const rows = lines(clean(text), { bold: true }).flatMap((row) => wrap(row, width, { first: bar }))
  const where =
    step === undefined
      ? []
      : [cutLine([...bar, span(`↳ reached the agent at step ${step}`, { dim: true })], width)]
  return [...rows, ...where]
}

function reasoningLines(
  { text, seconds, unfolded }: Extract<Item, { is: "reasoning" }>,
  { width }: Look,
): readonly Line[] {
  const head = cutLine([span(`  ∴ thought for ${duration(seconds)}`, { dim: true, italic: true })], width)
  if (!unfolded) return [head]
  const body = lines(clean(text), { dim: true, italic: true })
  return [head, ...body.flatMap((row) => wrap(row, width, { first: [span("    ")] }))]
}

/** Kind, carrier and tokens, then the text as the model got it. */
function asideLines({ kind, carrier, tokens, text, step }: Told, width: number): readonly Line[] {
  const bar: Line = [span("  ╎ ", { dim: true })]
  const label: readonly Span[] = [
    span("told ", { dim: true }),
    span(kind, { dim: true, underline: true }),
    span(` · ${carrier} · ${count(tokens, "token")} · step ${step}`, { dim: true }),
  ]
  const body = lines(clean(text), { dim: true })
  return [...wrap(label, width, { first: bar }), ...body.flatMap((row) => wrap(row, width, { first: bar }))]
}

function noticeLines({ tone, text }: Extract<Item, { is: "notice" }>, width: number): readonly Line[] {
  const isError = tone === "error"
  const mark: Line = [isError ? span("✗ ", { colour: "red", bold: true }) : span("  · ", { dim: true })]
  const rest: Line = [span(isError ? "  " : "    ")]
  const style = isError ? { colour: "red" } : { dim: true }
  return lines(clean(text), style).flatMap((row, i) =>
    wrap(row, width, { first: i === 0 ? mark : rest, rest }),
  )
}

function turnLine({ reason, steps, seconds, output }: Extract<Item, { is: "turn" }>): Line {
  const facts = [
    count(steps, "step"),
    duration(seconds),
    ...(output > 0 ? [`${short(output)} tokens written`] : []),
  ].join(" · ")
  const head = {
    done: "",
    "max-steps": "stopped: the most steps it may take; say more to go on · ",
    length: "cut at the model's limit on output; say something to go on · ",
    refused: "the model refused to go on · ",
    filtered: "the provider's filter withheld the answer · ",
    overflow: "stopped: the context is full · ",
    limit: "stopped at a limit; say something to go on · ",
    interrupted: "interrupted; say something to go on · ",
    error: "stopped · ",
  }[reason]
  return [span(`── ${head}${facts}`, { dim: true })]
}
