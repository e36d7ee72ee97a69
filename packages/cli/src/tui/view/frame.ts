import type { Agent } from "@sotto/core"
import { endOfBlock } from "../markdown/blocks.js"
import { renderMarkdown } from "../markdown/render.js"
import type { Ui } from "../state/ui.js"
import { BLANK, cutLine, lines, type ScreenFrame, type ScreenLine, span, wrap } from "../text/line.js"
import { clean } from "../text/width.js"
import { askPanel, type Panel } from "./ask.js"
import { incomingLine, runningLines, typedRunning } from "./call.js"
import { isWork } from "./item.js"
import { colourOf, type Look } from "./look.js"
import { LEAVES_TOUR, spinnerAt, todoLines, waitingLines, workLine } from "./panels.js"
import { offerLines, pickerPanel, promptPanel } from "./prompt.js"
import { statusLine } from "./status.js"

export interface Scene {
  readonly agents: readonly Agent[]
  readonly look: Look
}

/**
 * Draws what changes, below the conversation: always lower than the screen, because a terminal cannot redraw what has
 * scrolled away. Where room is short, what the person writes and is asked goes first, the rest gives way.
 */
export function frameOf(ui: Ui, { agents, look }: Scene): ScreenFrame {
  const { screen, draft, picker } = ui
  const colour = colourOf(screen.agent, agents)
  const most = Math.max(3, ui.rows - 1)
  const foot = [cutLine(statusRow(ui, agents, look), look.width)]
  const prompt = promptPanel(
    draft,
    { colour, placeholder: placeholderFor(ui), most: Math.max(1, Math.min(10, Math.floor(most / 3))) },
    look,
  )
  let left = most - foot.length - prompt.rows.length
  const give = <T>(rows: readonly T[]): readonly T[] => {
    const given = left <= 0 ? [] : rows.slice(-left)
    left -= given.length
    return given
  }
  const panel = panelOf(ui, look, left)
  const panelRows = give(panel.rows)
  const offer =
    draft.offer && picker === undefined
      ? give(offerLines(draft.offer, Math.min(6, Math.max(1, left)), look))
      : []
  const work = workLine(ui, look)
  const working = give(work ? [work] : [])
  const waiting = give(waitingLines(screen, draft.editing, Math.min(4, left), look))
  const calls = give(callRows(ui, Math.min(left, 10), look))
  const todos = give(todoLines(screen.todos, Math.min(left - 1, 6), look))
  const gap = give([BLANK])
  // A window that becomes half as wide breaks each row in two: what scrolls away then would be printed a second time.
  const stream = give(streamRows(ui, Math.min(left, Math.floor(ui.rows / 3)), look))

  const above = [...stream, ...calls, ...gap, ...todos, ...working, ...panelRows, ...waiting]
  const rows = [...above, ...prompt.rows, ...offer, ...foot]
  // What has no room is cut off at the top, above where words are entered.
  const panelTop = above.length - waiting.length - panel.rows.length
  return { rows, cursor: cursorOf(ui, panel, panelTop, prompt, above.length) }
}

function panelOf(ui: Ui, look: Look, room: number): Panel {
  if (ui.asking.open.length > 0) return askPanel(ui.asking, look, ui.tour ? LEAVES_TOUR : undefined)
  return ui.picker ? pickerPanel(ui.picker, Math.min(12, Math.max(3, room)), look) : { rows: [] }
}

function cursorOf(
  ui: Ui,
  panel: Panel,
  panelTop: number,
  prompt: Panel,
  promptTop: number,
): ScreenFrame["cursor"] {
  const { asking, picker } = ui
  const isInPanel = asking.open.length > 0 ? asking.entry !== undefined : picker !== undefined
  if (isInPanel && panel.cursor) return { x: panel.cursor.column, y: panelTop + panel.cursor.row }
  if (asking.focus === "question") return undefined
  return prompt.cursor && { x: prompt.cursor.column, y: promptTop + prompt.cursor.row }
}

function statusRow(ui: Ui, agents: readonly Agent[], look: Look): ScreenLine {
  if (ui.hint !== undefined) return [span(clean(ui.hint), { colour: "attention" })]
  return statusLine({ ui, screen: ui.screen, agents }, look)
}

function placeholderFor({ screen, asking }: Ui): string {
  if (asking.open.length > 0) return "your message, if you want to say something else"
  if (screen.turn) return "type on: Enter reaches it at the next step, Alt+Enter after the turn"
  return "say what to do · @ files · / commands · ? keys"
}

function callRows({ screen, now }: Ui, most: number, look: Look): readonly ScreenLine[] {
  const spinner = spinnerAt(now)
  const coming = [
    ...screen.incoming.map((call) => incomingLine(call, spinner, look)),
    ...(screen.typed ? typedRunning(screen.typed, spinner, now, look) : []),
  ]
  const rows = [...screen.calls.flatMap((call) => runningLines(call, spinner, now, look)), ...coming]
  const last = screen.items.at(-1)
  const apart = rows.length > 0 && (last === undefined || !isWork(last)) ? [BLANK] : []
  if (rows.length < most) return [...apart, ...rows]
  // Without room for what they tell, at least that they run.
  const short = screen.calls.flatMap((call) => runningLines({ ...call, progress: [] }, spinner, now, look))
  return [...short, ...coming].slice(-Math.max(0, most))
}

function streamRows({ screen }: Ui, most: number, look: Look): readonly ScreenLine[] {
  const { reasoning, text } = screen
  const thoughts = reasoning
    ? lines(clean(reasoning.text.trim()), { dim: true, italic: true }).flatMap((row) =>
        wrap(row, look.width, { first: [span("  ∴ ", { dim: true })], rest: [span("    ")] }),
      )
    : []
  const shown = text.trim() === "" ? [] : renderMarkdown(endOfBlock(text, most), look.width, look.highlight)
  const rows = [
    ...thoughts.slice(-6),
    ...(shown.length > 0 ? [...(screen.goesOn === "joined" ? [] : [BLANK]), ...shown] : []),
  ]
  return rows.slice(-Math.max(0, most))
}
