import type { Aside, LedgerRow, Session } from "@sotto/core"
import { asidesOf } from "@sotto/harness"
import { settingsFiles, writeReminder } from "../../settings/write.js"
import type { TerminalContext } from "../context.js"
import { short } from "../state/tally.js"
import { BLANK, cutLine, lines, type ScreenLine, span, type TextStyle, wrap } from "../text/line.js"
import { clean, cut, visible, widthOf } from "../text/width.js"
import { count } from "../view/look.js"
import { stepOf, within } from "./list.js"
import { type PageKind, type Press, pageOf, type ScreenPage } from "./page.js"
import { textPage } from "./text-page.js"

const PAGE = 10

export function ledgerPage(terminal: TerminalContext): ScreenPage {
  // Until a step tells it, the session's own ledger does not know what was switched.
  const switched = new Map<string, boolean>()
  const read = (before?: Ledger): Ledger => {
    const { session } = terminal.talk()
    return {
      kinds: kindsOf([...summaryRows(session), ...session.ledger()], asidesOf(session), switched),
      context: terminal.ui().screen.tally.context,
      chosen: before?.chosen ?? 0,
      asks: false,
      message: before?.message,
    }
  }
  const turn = (state: Ledger, on: boolean, message: string): Ledger => {
    const kind = state.kinds[state.chosen]?.kind ?? ""
    terminal.talk().conversation.setReminder(kind, on)
    switched.set(kind, on)
    const renewed = read(state)
    const place = renewed.kinds.findIndex((one) => one.kind === kind)
    return { ...renewed, chosen: Math.max(0, place), message }
  }
  const forGood = (state: Ledger, where: "project" | "user"): Ledger => {
    const kind = state.kinds[state.chosen]
    if (kind === undefined) return state
    const { cwd, env, config } = terminal.workplace
    const path = settingsFiles(cwd, env, config.files)[where]
    const on = !kind.on
    writeReminder(path, kind.kind, on)
    return turn(state, on, `${kind.kind} is ${on ? "on" : "off"} for good, by ${path}`)
  }
  const asked = (state: Ledger, { name, move }: Press): Ledger => {
    if (name === "p") return forGood(state, "project")
    if (name === "u") return forGood(state, "user")
    return move === "close" ? { ...state, asks: false } : state
  }
  const kind: PageKind<Ledger> = {
    name: "ledger",
    view: (state, { columns, rows }) => ({ rows: ledgerLines(state, columns, rows), cursor: undefined }),
    key: (state, press) => {
      if (state.asks) return asked(state, press)
      const chosen = state.kinds[state.chosen]
      const step = stepOf(press.move, PAGE)
      if (step !== undefined)
        return { ...state, message: undefined, chosen: within(state.chosen + step, state.kinds.length - 1) }
      if (press.move === "close") return "close"
      if (chosen === undefined) return state
      if (press.move === "open")
        terminal.show(
          textPage({ title: () => kindTitle(chosen), lines: (width) => textLines(chosen, width) }),
        )
      if (press.name === "f") return { ...state, asks: true }
      if (press.name !== "s") return state
      const on = !chosen.on
      return turn(state, on, `${chosen.kind} is ${on ? "on" : "off"} for this session, from the next step`)
    },
  }
  return pageOf(kind, read())
}

/** What became of one kind in this session. */
interface LedgerKind {
  readonly kind: string
  readonly times: number
  readonly tokens: number
  readonly on: boolean
  /** What it did at the newest step, and if it kept silent, why. */
  readonly newest: string
  readonly texts: readonly Pick<Aside, "text" | "carrier" | "tokens" | "step" | "turn">[]
}

interface Ledger {
  readonly kinds: readonly LedgerKind[]
  /** Tokens of the whole context. */
  readonly context: number
  readonly chosen: number
  /** Where to write that a kind is off for good, while that is being asked. */
  readonly asks: boolean
  readonly message: string | undefined
}

/** Lists summaries as if a rule had spoken them. */
function summaryRows(session: Session): readonly LedgerRow[] {
  return session
    .summaries()
    .map(({ turn, step, kind, tokens, carrier }) => ({ turn, step, kind, tokens, carrier, outcome: "spoke" }))
}

/** Sorts kinds: first those that spoke, by what they cost, then those that wanted to, then the silent ones. */
function kindsOf(
  rows: readonly LedgerRow[],
  asides: readonly Aside[],
  switched: ReadonlyMap<string, boolean>,
): readonly LedgerKind[] {
  const byKind = grouped(rows)
  return [...byKind]
    .map(([kind, of]): LedgerKind => {
      const texts = asides.filter((aside) => aside.kind === kind)
      const spoke = of.filter(({ outcome }) => outcome === "spoke")
      const newest = of.at(-1)
      const on = switched.get(kind) ?? newest?.outcome !== "disabled"
      return {
        ...{ kind, on, texts, times: spoke.length },
        tokens: spoke.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
        newest: on ? sentence(of, newest) : "switched off",
      }
    })
    .sort((a, b) => b.tokens - a.tokens || rank(a) - rank(b) || a.kind.localeCompare(b.kind))
}

function grouped(rows: readonly LedgerRow[]): ReadonlyMap<string, readonly LedgerRow[]> {
  const groups = new Map<string, LedgerRow[]>()
  for (const row of rows) {
    const known = groups.get(row.kind)
    if (known) known.push(row)
    else groups.set(row.kind, [row])
  }
  return groups
}

function rank({ newest }: LedgerKind): number {
  return newest === "nothing to say" ? 1 : 0
}

/** Chooses the outcome that a person would ask about, of several at one step. */
function sentence(rows: readonly LedgerRow[], newest: LedgerRow | undefined): string {
  if (newest === undefined) return ""
  const same = rows.filter(({ turn, step }) => turn === newest.turn && step === newest.step)
  const row =
    same.find(({ outcome }) => outcome === "failed") ??
    same.find(({ outcome }) => outcome === "spoke") ??
    same.find(({ outcome }) => outcome === "over-budget") ??
    same.find(({ outcome }) => outcome === "throttled") ??
    newest
  switch (row.outcome) {
    case "spoke":
      return `told at step ${row.step}`
    case "throttled":
      return `throttled${row.until === undefined ? "" : `: ${row.until}`}`
    case "over-budget":
      return "over budget, comes next"
    case "disabled":
      return "switched off"
    case "failed":
      return `failed: ${row.error ?? "no reason given"}`
    case "nothing":
      if (row.neutralised) return `made ${row.neutralised} forged tags inert`
      return `nothing to say${row.why === undefined ? "" : `: ${row.why}`}`
  }
}

/** Shows the ledger by kind: how often it spoke, how much, and why it kept silent. */
function ledgerLines(ledger: Ledger, width: number, rows: number): readonly ScreenLine[] {
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

function kindTitle({ kind, texts }: LedgerKind): ScreenLine {
  return [span(kind, { bold: true }), span(`: told ${count(texts.length, "time")}`, { dim: true })]
}

/** Shows every text of a kind as the model got it, the newest first. */
function textLines({ texts }: LedgerKind, width: number): readonly ScreenLine[] {
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
