import { type Awaitable, readStored, reasonOf, type SessionSummary, whenThere } from "@sotto/harness"
import type { TerminalContext } from "../context.js"
import { emptyScreen } from "../state/reduce.js"
import { restoredScreen } from "../state/restore.js"
import type { Screen } from "../state/screen.js"
import { type ScreenLine, span } from "../text/line.js"
import { count } from "../view/look.js"
import { listFrame, listRoom, stepOf, within } from "./list.js"
import { type PageKind, pageOf, type ScreenPage } from "./page.js"
import { StoredRead } from "./stored-read.js"
import { transcriptPage } from "./transcript.js"

interface State {
  readonly subagents: readonly SessionSummary[]
  readonly chosen: number
}

/** Milliseconds: the whole list of sessions is read for it. */
const READ_AGAIN_AFTER = 500

export function subagentsPage(terminal: TerminalContext): ScreenPage {
  let readAt = 0
  const stored = new StoredRead<readonly SessionSummary[]>({
    read: () => subagentsOf(terminal),
    meanwhile: [],
    renew: () => terminal.renew(),
    tell: (why) => terminal.say(why, "error"),
  })
  const shown = (chosen: number, subagents: readonly SessionSummary[]): State => ({
    subagents,
    chosen: within(chosen, Math.max(0, subagents.length - 1)),
  })
  const read = (chosen: number): State => {
    readAt = terminal.workplace.now()
    return shown(chosen, stored.read())
  }
  const kind: PageKind<State> = {
    name: "subagents",
    view: ({ subagents, chosen }, size) =>
      listFrame(
        {
          title: "Subagents",
          about: "who works for this session, and what each has done",
          rows: subagents.map((one) => rowOf(one, screenOf(terminal, one))),
          chosen,
          empty: "No subagent has worked for this session.",
          foot: "↑↓ choose · Enter its transcript · Esc back",
        },
        size,
      ),
    key: (state, { move }, size) => {
      if (move === "close") return "close"
      const step = stepOf(move, listRoom(size))
      if (step !== undefined)
        return { ...state, chosen: within(state.chosen + step, Math.max(0, state.subagents.length - 1)) }
      const chosen = state.subagents[state.chosen]
      if (move === "open" && chosen) terminal.show(transcriptOf(terminal, chosen))
      return state
    },
    renew: (state) =>
      terminal.workplace.now() - readAt < READ_AGAIN_AFTER
        ? shown(state.chosen, stored.value)
        : read(state.chosen),
  }
  return pageOf(kind, read(0))
}

/** Lists those that it started, and those that they started. */
function subagentsOf({ talk, workplace }: TerminalContext): Awaitable<readonly SessionSummary[]> {
  return whenThere(workplace.store().list(), (all) => {
    const found = new Set([talk().session.id])
    // A subagent is younger than who started it.
    const byAge = all.toReversed().sort((a, b) => a.created - b.created)
    return byAge.filter(({ id, parent }) => {
      if (parent === undefined || !found.has(parent)) return false
      found.add(id)
      return true
    })
  })
}

function screenOf({ subagents }: TerminalContext, { id }: SessionSummary): Screen | undefined {
  return subagents.of(id)
}

function rowOf({ agent, messages, damaged }: SessionSummary, screen: Screen | undefined) {
  const isAtWork = screen?.turn !== undefined
  const mark: ScreenLine = [
    isAtWork ? span("▶ ", { colour: "attention" }) : span("✓ ", { colour: "success" }),
  ]
  const doing = isAtWork ? `at work, step ${screen.turn?.step ?? 1}` : count(messages, "message")
  return { mark, label: agent, detail: `${asked(screen)}${damaged ?? doing}` }
}

function asked(screen: Screen | undefined): string {
  const first = screen?.items.find(({ is }) => is === "user")
  return first?.is === "user" ? `${first.text.split("\n")[0]?.slice(0, 60) ?? ""} · ` : ""
}

function transcriptOf(terminal: TerminalContext, summary: SessionSummary): ScreenPage {
  const stored = new StoredRead<Screen>({
    read: () => readScreen(terminal, summary),
    meanwhile: emptyScreen(summary.id, summary.agent, summary.model),
    renew: () => terminal.renew(),
    tell: (why) => terminal.say(why, "error"),
  })
  if (terminal.subagents.of(summary.id) === undefined) stored.read()
  const screen = () => terminal.subagents.of(summary.id) ?? stored.value
  return transcriptPage(terminal, {
    title: `Subagent ${summary.agent}`,
    about: () =>
      screen().turn === undefined
        ? "its transcript"
        : `its transcript, live: step ${screen().turn?.step ?? 1}`,
    screen,
  })
}

/** Reads one that worked before the conversation was opened from the store. */
function readScreen({ workplace }: TerminalContext, { id, agent, model }: SessionSummary): Awaitable<Screen> {
  const failed = (error: unknown): Screen => ({
    ...emptyScreen(id, agent, model),
    items: [{ is: "notice", tone: "error", text: reasonOf(error) }],
  })
  try {
    const screen = whenThere(readStored(workplace.store(), id), (session) => restoredScreen(session))
    return screen instanceof Promise ? screen.catch(failed) : screen
  } catch (error) {
    return failed(error)
  }
}
