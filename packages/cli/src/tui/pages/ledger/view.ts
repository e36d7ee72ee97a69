import { short } from "../../state/tally.js"
import { BLANK, cutLine, lines, type ScreenLine, span, type TextStyle, wrap } from "../../text/line.js"
import { clean, cut, visible, widthOf } from "../../text/width.js"
import { count } from "../../view/look.js"
import type { Ledger, LedgerKind } from "./state.js"

/** The ledger as a page of so many rows: by kind, how often, how much, and why a rule kept silent. */
export function ledgerLines(ledger: Ledger, width: number, rows: number): readonly ScreenLine[] {
  const { kinds, context, message } = ledger
  const told = kinds.reduce((sum, { times }) => sum + times, 0)
  const tokens = kinds.reduce((sum, kind) => sum + kind.tokens, 0)
  const head: readonly ScreenLine[] = [
    [span("Asides", { bold: true }), span(": what the model was told and you were not")],
    [span(`${count(told, "reminder")}, ${short(tokens)} tokens${ofContext(tokens, context)}`, { dim: true })],
    BLANK,
  ]
  const help = ledger.asks ? WHERE : (message ?? KEYS)
  const foot = [BLANK, ...wrap([span(help, { dim: help === KEYS })], width)]
  const room = Math.max(1, rows - head.length - foot.length - 1)
  const body = kindRows(ledger, width, room)
  return [...head, ...body, ...foot].map((row) => cutLine(row, width))
}

const KEYS = "↑↓ choose · Enter its texts · s off/on for this session · f off/on for good · Esc back"
const WHERE = "Write that to p the project's sotto.json, or u your own? · Esc neither"

function kindRows({ kinds, context, chosen }: Ledger, width: number, room: number): readonly ScreenLine[] {
  if (kinds.length === 0) return [[span("Nothing yet: say something first.", { dim: true })]]
  const longest = Math.max(4, ...kinds.map(({ kind }) => widthOf(kind)))
  const columns = { kind: Math.min(longest, Math.floor(width * 0.45)), share: width >= 60 }
  const most = Math.max(1, room - 1)
  const from = Math.max(0, Math.min(chosen - Math.floor(most / 2), kinds.length - most))
  const shown = kinds.slice(from, from + most)
  const part = shown.length < kinds.length ? `   (${from + 1}–${from + shown.length} of ${kinds.length})` : ""
  const heading = [`  ${"kind".padEnd(columns.kind)}`, "times", "tokens", ...(columns.share ? ["share"] : [])]
  return [
    [span(`${heading.join("  ")}  now${part}`, { dim: true })],
    ...shown.map((kind, i) => kindRow(kind, context, columns, from + i === chosen)),
  ]
}

function kindRow(
  { kind, times, tokens, on, newest }: LedgerKind,
  context: number,
  columns: { readonly kind: number; readonly share: boolean },
  isChosen: boolean,
): ScreenLine {
  const name = cut(visible(kind), columns.kind).padEnd(columns.kind)
  const share = tokens > 0 && context > 0 ? percent(tokens, context) : ""
  const cells = [
    (times > 0 ? String(times) : "").padStart(5),
    (tokens > 0 ? short(tokens) : "").padStart(6),
    ...(columns.share ? [share.padStart(5)] : []),
  ]
  return [
    span(isChosen ? "❯ " : "  ", { bold: true }),
    span(name, isChosen ? { inverse: true } : nameStyle(on, times > 0)),
    span(`  ${cells.join("  ")}  `),
    span(newest, on ? { dim: true } : { colour: "attention" }),
  ]
}

function nameStyle(on: boolean, spoke: boolean): TextStyle {
  if (!on) return { strike: true, dim: true }
  return spoke ? { bold: true } : { dim: true }
}

export function kindTitle({ kind, texts }: LedgerKind): ScreenLine {
  return [span(kind, { bold: true }), span(`: told ${count(texts.length, "time")}`, { dim: true })]
}

/** Every text of a kind as the model got it, the newest first. */
export function textLines({ texts }: LedgerKind, width: number): readonly ScreenLine[] {
  if (texts.length === 0) return [[span("It was never told.", { dim: true })]]
  return texts
    .toReversed()
    .flatMap(({ text, carrier, tokens, turn, step }) => [
      [
        span(`turn ${turn}, step ${step}`, { bold: true }),
        span(` · ${carrier} · ${count(tokens, "token")}`, { dim: true }),
      ],
      ...lines(clean(text)).flatMap((row) => wrap(row, width, { first: [span("  ")] })),
    ])
}

function ofContext(tokens: number, context: number): string {
  return context > 0 ? `, ${percent(tokens, context)} of the context` : ""
}

function percent(part: number, whole: number): string {
  const value = (part / whole) * 100
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)}%`
}
