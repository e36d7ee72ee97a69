import type { Ledger, LedgerKind } from "../state/ledger.js"
import { short } from "../state/tally.js"
import { BLANK, cutLine, type Line, lines, span, wrap } from "../text/line.js"
import { clean, cut, widthOf } from "../text/width.js"
import { count } from "./look.js"

/** The ledger as a page of so many rows: by kind, how often, how much, and why a rule kept silent. */
export function ledgerLines(ledger: Ledger, width: number, rows: number): readonly Line[] {
  const { kinds, context, chosen, message } = ledger
  const told = kinds.reduce((sum, { times }) => sum + times, 0)
  const tokens = kinds.reduce((sum, kind) => sum + kind.tokens, 0)
  const head: readonly Line[] = [
    [span("Asides", { bold: true }), span(": what the model was told and you were not")],
    [span(`${count(told, "reminder")}, ${short(tokens)} tokens${ofContext(tokens, context)}`, { dim: true })],
    BLANK,
  ]
  const foot: readonly Line[] = [
    BLANK,
    [span(ledger.asks ? WHERE : (message ?? KEYS), { dim: !ledger.asks && message === undefined })],
  ]
  const room = Math.max(1, rows - head.length - foot.length - 1)
  const body = ledger.open ? textRows(kinds[chosen], width, room) : kindRows(ledger, width, room)
  return [...head, ...body, ...foot].map((row) => cutLine(row, width))
}

const KEYS = "↑↓ choose · Enter its texts · s off/on for this session · f off/on for good · Esc back"
const WHERE = "Write that to p the project's sotto.json, or u your own? · Esc neither"

function kindRows({ kinds, context, chosen }: Ledger, width: number, room: number): readonly Line[] {
  if (kinds.length === 0) return [[span("Nothing yet: say something first.", { dim: true })]]
  const widest = Math.min(26, Math.max(4, ...kinds.map(({ kind }) => widthOf(kind))))
  const wide = width >= 60
  const heading = [
    `  ${"kind".padEnd(widest)}`,
    "times".padStart(6),
    "tokens".padStart(7),
    ...(wide ? ["share".padStart(6)] : []),
    " now",
  ]
  const most = Math.max(1, room - 1)
  const from = Math.max(0, Math.min(chosen - Math.floor(most / 2), kinds.length - most))
  const shown = kinds.slice(from, from + most)
  const part = shown.length < kinds.length ? `   (${from + 1}–${from + shown.length} of ${kinds.length})` : ""
  return [
    [span(`${heading.join(" ")}${part}`, { dim: true })],
    ...shown.map((kind, i) => kindRow(kind, context, widest, wide, from + i === chosen)),
  ]
}

function kindRow(
  { kind, times, tokens, on, newest }: LedgerKind,
  context: number,
  widest: number,
  wide: boolean,
  isChosen: boolean,
): Line {
  const name = cut(kind, widest).padEnd(widest)
  const cells = [
    String(times || "").padStart(6),
    (tokens > 0 ? short(tokens) : "").padStart(7),
    ...(wide ? [(tokens > 0 && context > 0 ? `${percent(tokens, context)}` : "").padStart(6)] : []),
  ]
  const quiet = times === 0
  return [
    span(isChosen ? "❯ " : "  ", { bold: true }),
    span(
      name,
      isChosen
        ? { inverse: true }
        : on
          ? quiet
            ? { dim: true }
            : { bold: true }
          : { strike: true, dim: true },
    ),
    span(` ${cells.join(" ")}  `),
    span(newest, on ? { dim: true } : { colour: "yellow" }),
  ]
}

function textRows(kind: LedgerKind | undefined, width: number, room: number): readonly Line[] {
  if (kind === undefined) return []
  const all = kind.texts
    .toReversed()
    .flatMap(({ text, carrier, tokens, turn, step }) => [
      [
        span(`turn ${turn}, step ${step}`, { bold: true }),
        span(` · ${carrier} · ${count(tokens, "token")}`, { dim: true }),
      ],
      ...lines(clean(text)).flatMap((row) => wrap(row, width, { first: [span("  ")] })),
    ])
  const title: Line = [span(kind.kind, { bold: true, underline: true })]
  if (all.length === 0) return [title, [span("It was never told.", { dim: true })]]
  const fitting = all.slice(0, room - 1)
  return [title, ...fitting]
}

function ofContext(tokens: number, context: number): string {
  return context > 0 ? `, ${percent(tokens, context)} of the context` : ""
}

function percent(part: number, whole: number): string {
  const value = (part / whole) * 100
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)}%`
}
