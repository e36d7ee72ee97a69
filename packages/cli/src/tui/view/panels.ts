import type { Screen, Todo, WaitingMessage } from "../state/screen.js"
import type { Ui } from "../state/ui.js"
import { cutLine, type ScreenLine, span, type TextStyle } from "../text/line.js"
import { clean } from "../text/width.js"
import { count, duration, type Look } from "./look.js"

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const FRAME_TIME = 120

export function spinnerAt(now: number): string {
  return FRAMES[Math.floor(now / FRAME_TIME) % FRAMES.length] ?? "⠋"
}

export const LEAVES_TOUR = "Esc leaves the tour"

/** Says that the agent works, for how long, and how to stop it. What may be long comes last: it is cut first. */
export function workLine(
  { screen, asking, tour, now }: Pick<Ui, "screen" | "asking" | "tour" | "now">,
  { width }: Look,
): ScreenLine | undefined {
  const { turn } = screen
  const onEscape = tour ? LEAVES_TOUR : "Esc interrupts"
  if (turn === undefined) return undefined
  const spinner = span(`${spinnerAt(now)} `, { colour: "attention" })
  if (turn.retry) {
    const { at, attempt, reason } = turn.retry
    const left = Math.max(0, Math.ceil((at - now) / 1000))
    const head = `trying again in ${left} s · ${onEscape}`
    return cutLine(
      [spinner, span(head), span(` · attempt ${attempt + 1} · ${clean(reason)}`, { dim: true })],
      width,
    )
  }
  const doing = asking.open.length > 0 ? "waiting for your answer" : doingNow(screen)
  const facts = ` · step ${turn.step} · ${duration((now - turn.startedAt) / 1000)} · ${onEscape}`
  return cutLine([spinner, span(doing), span(facts, { dim: true })], width)
}

function doingNow({ calls, incoming, reasoning, text }: Screen): string {
  if (calls.length > 0) return "working"
  if (incoming.length > 0) return "writing a call"
  if (reasoning) return "thinking"
  return text === "" ? "waiting for the model" : "writing"
}

const MARKS: Readonly<Record<string, readonly [string, TextStyle]>> = {
  completed: ["☒", { dim: true, strike: true }],
  in_progress: ["▶", { bold: true }],
  pending: ["☐", {}],
}

/** Lists what is to be done, with what is being done always in sight. Empty once all is done. */
export function todoLines(todos: readonly Todo[], most: number, { width }: Look): readonly ScreenLine[] {
  const open = todos.filter(({ status }) => status !== "completed").length
  if (open === 0 || most <= 0) return []
  const current = Math.max(
    0,
    todos.findIndex(({ status }) => status !== "completed"),
  )
  const from = Math.max(0, Math.min(current - 1, todos.length - most))
  const shown = todos.length <= most ? todos : todos.slice(from, from + most)
  const hidden = todos.length - shown.length
  return shown.map(({ content, status }, i) => {
    const [mark, style] = MARKS[status] ?? ["☐", {}]
    const isLast = i === shown.length - 1 && hidden > 0
    const more = isLast ? [span(`  (${count(hidden, "more item")})`, { dim: true })] : []
    return cutLine([span(`  ${mark} `), span(clean(content), style), ...more], width)
  })
}

export function waitingLines(
  { waiting, turn }: Screen,
  editing: string | undefined,
  most: number,
  { width }: Look,
): readonly ScreenLine[] {
  const shown = waiting.slice(-Math.max(1, most))
  const hidden = waiting.length - shown.length
  const rows = shown.map(({ id, text, delivery, held }) => {
    const onItsWay = turn === undefined ? "on its way" : WHEN[delivery]
    const when = id === editing ? "being edited" : held ? "waits for your next message" : onItsWay
    const words = clean(text).replaceAll("\n", " ")
    return cutLine([span(`  ↳ ${when}: `, { dim: true }), span(words)], width)
  })
  return hidden > 0 ? [[span(`  ↳ ${count(hidden, "earlier message")}`, { dim: true })], ...rows] : rows
}

const WHEN: Readonly<Record<WaitingMessage["delivery"], string>> = {
  "next-step": "at the next step",
  "after-turn": "after this turn",
  now: "now",
  passive: "if it goes on",
}
