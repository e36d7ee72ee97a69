import type { Entry } from "@sotto/core"
import { type Awaitable, type ProjectRuntime, reasonOf, type SessionSummary, whenThere } from "@sotto/harness"
import type { TerminalContext } from "../context.js"
import { wordsOf } from "../state/restore.js"
import { BLANK, cutLine, lines, type ScreenFrame, type ScreenLine, span, wrap } from "../text/line.js"
import { clean, cut, graphemesOf, visible, widthOf } from "../text/width.js"
import { count, duration } from "../view/look.js"
import { firstAround, stepOf, within } from "./list.js"
import { type PageKind, type Press, pageOf, type ScreenPage, type Size } from "./page.js"
import { isFound } from "./search.js"
import { StoredRead } from "./stored-read.js"

interface State {
  readonly all: readonly OfferedSession[]
  readonly filter: string
  readonly chosen: number
}

/** Shows the stored sessions of this directory: narrowed by typing, with a preview of the one that is chosen. */
export function sessionsPage(terminal: TerminalContext): ScreenPage {
  const renew = () => terminal.renew()
  const stored = new StoredRead<readonly OfferedSession[]>({
    read: () => sessionsHere(terminal.workplace, terminal.talk().session.id, renew),
    meanwhile: [],
    renew,
    tell: (why) => terminal.say(why, "error"),
  })
  const kind: PageKind<State> = {
    name: "sessions",
    view: (state, size) => frameOf(state, size),
    key: (state, press, size) => {
      if (press.event.type === "text" || press.event.type === "paste")
        return { ...state, filter: state.filter + press.event.text.replaceAll("\n", " "), chosen: 0 }
      if (press.name === "backspace")
        return { ...state, filter: graphemesOf(state.filter).slice(0, -1).join(""), chosen: 0 }
      return moved(terminal, state, press, size)
    },
    renew: (state) => ({ ...state, all: stored.value }),
  }
  return pageOf(kind, { all: stored.read(), filter: "", chosen: 0 })
}

function moved(terminal: TerminalContext, state: State, { move, name }: Press, size: Size): State | "close" {
  const { filter } = state
  if (move === "close") return filter === "" ? "close" : { ...state, filter: "", chosen: 0 }
  const shown = narrowed(state)
  const step = stepOf(move, roomIn(size).list) ?? (name === "tab" ? 1 : undefined)
  if (step !== undefined)
    return { ...state, chosen: within(state.chosen + step, Math.max(0, shown.length - 1)) }
  const chosen = shown[state.chosen]
  if (move !== "open" || chosen === undefined) return state
  void terminal
    .openSession(chosen.summary.id)
    .catch((error: unknown) => terminal.say(reasonOf(error), "error"))
  return "close"
}

/** Keeps the sessions in which each word of the filter stands somewhere. */
function narrowed({ all, filter }: State): readonly OfferedSession[] {
  const words = filter.split(/\s+/).filter((word) => word !== "")
  return words.length === 0 ? all : all.filter((one) => words.every((word) => isFound(one.words(), word)))
}

function roomIn({ rows }: Size): { readonly list: number; readonly preview: number } {
  const room = Math.max(2, rows - 7)
  const list = Math.max(1, Math.min(12, Math.ceil(room / 2)))
  return { list, preview: Math.max(1, room - list) }
}

function frameOf(state: State, size: Size): ScreenFrame {
  const { columns } = size
  const room = roomIn(size)
  const shown = narrowed(state)
  const from = firstAround(state.chosen, shown.length, room.list)
  const list = shown.slice(from, from + room.list).map(({ title, age, summary }, i): ScreenLine => {
    const isChosen = from + i === state.chosen
    return [
      span(isChosen ? "❯ " : "  ", { bold: true }),
      span(cut(visible(title), Math.max(10, columns - 32)), isChosen ? { inverse: true } : {}),
      span(`  ${age}, ${count(summary.messages, "message")}`, { dim: true }),
    ]
  })
  const none =
    state.all.length === 0 ? "There is no other session of this directory." : "No session has these words."
  const chosen = shown[state.chosen]
  const head = "Go on with: "
  const filter = visible(state.filter)
  return {
    rows: [
      [span(head, { bold: true }), span(filter)],
      BLANK,
      ...(list.length === 0 ? [[span(none, { dim: true })]] : list),
      BLANK,
      [span("─".repeat(Math.max(1, columns)), { dim: true })],
      ...(chosen === undefined ? [] : previewLines(chosen, columns, room.preview)),
      BLANK,
      [
        span("type to search titles and what you said · ↑↓ choose · Enter go on with it · Esc back", {
          dim: true,
        }),
      ],
    ].map((row) => cutLine(row, columns)),
    cursor: { x: Math.min(columns - 1, widthOf(head) + widthOf(filter)), y: 0 },
  }
}

function previewLines(
  { preview, summary }: OfferedSession,
  width: number,
  room: number,
): readonly ScreenLine[] {
  const about =
    summary.summary === undefined ? [] : wrap([span(clean(summary.summary), { italic: true })], width)
  const said = preview().flatMap(({ by, text }) =>
    lines(clean(text.trim()), by === "user" ? { bold: true } : {}).flatMap((row) =>
      wrap(row, width, { first: [span(by === "user" ? "▌ " : "  ")] }),
    ),
  )
  const head = about.slice(0, Math.max(0, room - 2))
  return [...head, ...said.slice(-Math.max(1, room - head.length))]
}

/** A stored session as it is offered. What needs its log is read when it is asked for, and once. */
interface OfferedSession {
  readonly summary: SessionSummary
  readonly title: string
  readonly age: string
  /** Everything in it that can be searched: its title, its id, and what the person has said. */
  readonly words: () => string
  /** How it went: the person's words and the answers, the newest last. */
  readonly preview: () => readonly Said[]
}

interface Said {
  readonly by: "user" | "agent"
  readonly text: string
}

const MOST_LISTED = 200
const MOST_PREVIEWED = 12

/** Lists the other sessions of this directory that have something in them, the newest first. */
function sessionsHere(
  workplace: ProjectRuntime,
  except: string,
  renew: () => void,
): Awaitable<readonly OfferedSession[]> {
  const now = workplace.now()
  return whenThere(workplace.store().list(), (all) =>
    all
      .filter(({ cwd, parent, id }) => cwd === workplace.cwd && parent === undefined && id !== except)
      .filter(({ messages, damaged }) => messages > 0 && damaged === undefined)
      .slice(0, MOST_LISTED)
      .map((summary) => offered(summary, workplace, now, renew)),
  )
}

function offered(
  summary: SessionSummary,
  workplace: ProjectRuntime,
  now: number,
  renew: () => void,
): OfferedSession {
  const { id } = summary
  const log = new StoredRead<readonly Said[]>({
    read: () => whenThere(logOf(workplace, id), saidIn),
    meanwhile: [],
    renew,
    // A session that cannot be read is listed by its id.
    tell: () => {},
  })
  const read = once(() => log.read())
  const said = () => {
    read()
    return log.value
  }
  const own = derived(said, (all) => all.filter(({ by }) => by === "user"))
  return {
    summary,
    get title() {
      return summary.title ?? (own()[0]?.text.trim().split("\n")[0] || id).slice(0, 60)
    },
    age: ago(now - summary.updated),
    words: derived(own, (all) =>
      [summary.title ?? "", summary.summary ?? "", id, ...all.map(({ text }) => text)].join("\n"),
    ),
    preview: () => said().slice(-MOST_PREVIEWED),
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Makes something of a value, and again only when the value is another. */
function derived<T, U>(from: () => T, make: (value: T) => U): () => U {
  let known: { readonly of: T; readonly made: U } | undefined
  return () => {
    const value = from()
    if (known?.of !== value) known = { of: value, made: make(value) }
    return known.made
  }
}

/** Lists a session that cannot be read by its id: what is wrong with it is said when it is opened. */
function logOf(workplace: ProjectRuntime, id: string): Awaitable<readonly Entry[]> {
  try {
    return workplace.store().load(id)
  } catch {
    return []
  }
}

function saidIn(log: readonly Entry[]): readonly Said[] {
  return log.flatMap((entry): readonly Said[] => {
    if (entry.type === "said")
      return entry.origin.kind === "human" && !entry.hidden
        ? [{ by: "user", text: wordsOf(entry.content) }]
        : []
    if (entry.type !== "replied") return []
    const text = wordsOf(entry.reply.parts).trim()
    return text === "" ? [] : [{ by: "agent", text }]
  })
}

function ago(milliseconds: number): string {
  const days = Math.floor(milliseconds / 86_400_000)
  return days > 0 ? `${days} ${days === 1 ? "day" : "days"} ago` : `${duration(milliseconds / 1000)} ago`
}
