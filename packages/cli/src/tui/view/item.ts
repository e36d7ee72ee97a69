import { compactedText, endingOf } from "../../output/words.js"
import { hasCode } from "../markdown/highlight.js"
import { renderMarkdown } from "../markdown/render.js"
import type { ScreenItem, Told } from "../state/screen.js"
import { short } from "../state/tally.js"
import {
  BLANK,
  type Colour,
  cutLine,
  lines,
  type ScreenLine,
  span,
  type TextSpan,
  type TextStyle,
  wrap,
} from "../text/line.js"
import { clean } from "../text/width.js"
import { asksAboutDiff, subjectLines } from "./ask.js"
import { callLines, showsCode, typedLines } from "./call.js"
import { count, duration, type Look } from "./look.js"

/** The most rows of a diff that is asked about: about a screen. */
const FOLDED_QUESTION = 40

/** Draws what is over, as rows to be printed for good, apart from what came before it. `colour` is the agent's. */
export function printedLines(
  items: readonly ScreenItem[],
  index: number,
  look: Look,
  colour: Colour,
): readonly ScreenLine[] {
  const item = items[index]
  if (item === undefined || isHidden(item, look)) return []
  const before = previous(items, index, look)
  const rows = itemLines(item, look, colour)
  return before !== undefined && standsApart(item, before) ? [BLANK, ...rows] : rows
}

/** Asides are in their place among the items all the time, and in sight only if they are wanted. */
function isHidden({ is }: ScreenItem, { shows }: Look): boolean {
  return is === "aside" && shows?.asides !== true
}

function previous(items: readonly ScreenItem[], index: number, look: Look): ScreenItem | undefined {
  for (let i = index - 1; i >= 0; i--) {
    const item = items[i]
    if (item !== undefined && !isHidden(item, look)) return item
  }
  return undefined
}

/** Keeps together what belongs to the agent's work; words stand apart. */
function standsApart(item: ScreenItem, before: ScreenItem): boolean {
  if (item.is === "text" && item.joined && before.is === "text") return false
  return !(isWork(item) && isWork(before)) && item.is !== "turn" && item.is !== "attached"
}

export function isWork({ is }: ScreenItem): boolean {
  return (
    is === "call" ||
    is === "aside" ||
    is === "compacted" ||
    is === "reasoning" ||
    is === "notice" ||
    is === "task"
  )
}

function itemLines(item: ScreenItem, look: Look, colour: Colour): readonly ScreenLine[] {
  switch (item.is) {
    case "user":
      return userLines(item.text, look.width, colour, item.step)
    case "attached":
      return attachedLines(item, look.width)
    case "text":
      return renderMarkdown(item.text, look.width, look.highlight)
    case "reasoning":
      return reasoningLines(item, look)
    case "call":
      return callLines(item.call, look)
    case "typed":
      return typedLines(item.ran, look)
    case "task":
      return taskLines(item, look.width)
    case "aside":
      return asideLines(item.told, look.width)
    case "compacted":
      return compactedLines(item.done, look)
    case "notice":
      return noticeLines(item, look.width)
    case "page":
      return renderMarkdown(item.markdown, look.width, look.highlight)
    case "question":
      return subjectLines(item.question, look, look.shows?.unfolded ? undefined : FOLDED_QUESTION)
    case "turn":
      return turnLines(item, look.width)
  }
}

function userLines(
  text: string,
  width: number,
  colour: Colour,
  step: number | undefined,
): readonly ScreenLine[] {
  const bar: ScreenLine = [span("▌ ", { colour })]
  const rows = lines(clean(text), { bold: true }).flatMap((row) => wrap(row, width, { first: bar }))
  const where =
    step === undefined
      ? []
      : [cutLine([...bar, span(`↳ reached the agent at step ${step}`, { dim: true })], width)]
  return [...rows, ...where]
}

function attachedLines(
  { name, what }: Extract<ScreenItem, { is: "attached" }>,
  width: number,
): readonly ScreenLine[] {
  return wrap([span(clean(`with ${name}: ${what}`), { dim: true })], width, {
    first: [span("  ↳ ", { dim: true })],
    rest: [span("    ")],
  })
}

function reasoningLines(
  { text, seconds }: Extract<ScreenItem, { is: "reasoning" }>,
  { width, shows }: Look,
): readonly ScreenLine[] {
  const head = cutLine([span(`  ∴ thought for ${duration(seconds)}`, { dim: true, italic: true })], width)
  if (!shows?.unfolded) return [head]
  const body = lines(clean(text), { dim: true, italic: true })
  return [head, ...body.flatMap((row) => wrap(row, width, { first: [span("    ")] }))]
}

function asideLines({ kind, carrier, tokens, text, step }: Told, width: number): readonly ScreenLine[] {
  const bar: ScreenLine = [span("  ╎ ", { dim: true })]
  const label: readonly TextSpan[] = [
    span("told ", { dim: true }),
    span(kind, { dim: true, underline: true }),
    span(` · ${carrier} · ${count(tokens, "token")} · step ${step}`, { dim: true }),
  ]
  const body = lines(clean(text), { dim: true })
  return [...wrap(label, width, { first: bar }), ...body.flatMap((row) => wrap(row, width, { first: bar }))]
}

/** Says what a compaction did; with asides in sight, also what now stands for the conversation. */
function compactedLines(
  done: Extract<ScreenItem, { is: "compacted" }>["done"],
  { width, shows }: Look,
): readonly ScreenLine[] {
  const notice = noticeLines({ is: "notice", tone: "quiet", text: compactedText(done) }, width)
  if (shows?.asides !== true) return notice
  const bar: ScreenLine = [span("  ╎ ", { dim: true })]
  const label = [
    span("the model is told the ", { dim: true }),
    span("summary", { dim: true, underline: true }),
  ]
  const body = lines(clean(done.summary), { dim: true })
  return [
    ...notice,
    ...wrap(label, width, { first: bar }),
    ...body.flatMap((row) => wrap(row, width, { first: bar })),
  ]
}

function noticeLines(
  { tone, text }: Extract<ScreenItem, { is: "notice" }>,
  width: number,
): readonly ScreenLine[] {
  const isError = tone === "error"
  const mark: ScreenLine = [
    isError ? span("✗ ", { colour: "error", bold: true }) : span("  · ", { dim: true }),
  ]
  const rest: ScreenLine = [span(isError ? "  " : "    ")]
  const style = isError ? { colour: "error" } : { dim: true }
  return lines(clean(text), style).flatMap((row, i) =>
    wrap(row, width, { first: i === 0 ? mark : rest, rest }),
  )
}

function taskLines(
  { task, failed, text }: Extract<ScreenItem, { is: "task" }>,
  width: number,
): readonly ScreenLine[] {
  const mark = failed ? span("✗ ", { colour: "error" }) : span("✓ ", { colour: "success" })
  const head: ScreenLine = [span("  "), mark, span(`background ${task} `, { bold: true })]
  // The kind stands before it already.
  const [first = "", ...rest] = clean(text)
    .replace(/^The (?:command|agent) /, "")
    .split("\n")
  return [
    ...wrap([...head, span(first)], width, { rest: [span("    ")] }),
    ...rest.flatMap((row) => wrap([span(row, { dim: true })], width, { first: [span("    ")] })),
  ]
}

/** Draws the end of a turn. An answer that is not whole says so, and what can be done, in words that are never cut. */
function turnLines(
  { reason, steps, seconds, output }: Extract<ScreenItem, { is: "turn" }>,
  width: number,
): readonly ScreenLine[] {
  const facts = [
    count(steps, "step"),
    duration(seconds),
    ...(output > 0 ? [`${short(output)} tokens written`] : []),
  ].join(" · ")
  const ending = endingOf(reason, steps)
  if (ending === undefined) return [cutLine([span(`── ${facts}`, { dim: true })], width)]
  const isWished = reason === "interrupted"
  const style: TextStyle = isWished ? { dim: true } : { colour: "attention" }
  return wrap([span(ending.what, style), span(`; ${ending.remedy} · ${facts}`, { dim: true })], width, {
    first: [span("── ", { dim: true })],
    rest: [span("   ")],
  })
}

/** True if the item has code: it is printed in its colours, once the highlighter is ready. */
export function needsHighlighter(item: ScreenItem): boolean {
  switch (item.is) {
    case "text":
      return hasCode(item.text)
    case "page":
      return hasCode(item.markdown)
    case "call":
      return showsCode(item.call)
    case "question":
      return asksAboutDiff(item.question)
    default:
      return false
  }
}
