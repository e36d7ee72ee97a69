import type { TerminalContext } from "../../context.js"
import { settingsFiles } from "../../settings/places.js"
import { writeReminder } from "../../settings/write.js"
import { type PageKind, type Press, pageOf, type ScreenPage } from "../page.js"
import { stepOf, within } from "../scroll.js"
import { textPage } from "../text-page.js"
import { kindsOf, type Ledger } from "./state.js"
import { kindTitle, ledgerLines, textLines } from "./view.js"

const PAGE = 10

/** What the model was told beside the conversation, by kind, and the switches for it. */
export function ledgerPage(terminal: TerminalContext): ScreenPage {
  // Until a step tells it, the session's own ledger does not know what was switched.
  const switched = new Map<string, boolean>()
  const read = (before?: Ledger): Ledger => {
    const { session } = terminal.talk()
    return {
      kinds: kindsOf(session.ledger(), session.asides(), switched),
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
