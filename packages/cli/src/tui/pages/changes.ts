import { type FileChange, reasonOf } from "@sotto/harness"
import type { TerminalContext } from "../context.js"
import { lines, type ScreenLine, span, wrap } from "../text/line.js"
import { visible } from "../text/width.js"
import { diffLines, isDiff, sizeOf } from "../view/diff.js"
import { listFrame, listRoom, stepOf, within } from "./list.js"
import { type PageKind, pageOf, type ScreenPage } from "./page.js"
import { StoredRead } from "./stored-read.js"
import { textPage } from "./text-page.js"

interface State {
  readonly changes: readonly FileChange[]
  readonly chosen: number
  /** The change is undone by one more key. */
  readonly asks: boolean
}

export function changesPage(terminal: TerminalContext): ScreenPage {
  let message: string | undefined
  let readAt = 0
  const stored = new StoredRead<readonly FileChange[]>({
    read: () => changesOf(terminal),
    meanwhile: [],
    renew: () => terminal.renew(),
    tell: (why) => terminal.say(why, "error"),
  })
  const shown = (chosen: number, changes: readonly FileChange[]): State => ({
    changes,
    chosen: within(chosen, Math.max(0, changes.length - 1)),
    asks: false,
  })
  const read = (chosen: number): State => {
    readAt = terminal.workplace.now()
    return shown(chosen, stored.read())
  }
  const undo = (change: FileChange): void => {
    void undone(terminal, change).then((what) => {
      message = what
      readAt = 0
      terminal.renew()
    })
  }
  const kind: PageKind<State> = {
    name: "changes",
    view: ({ changes, chosen, asks }, size) =>
      listFrame(
        {
          title: "Changes",
          about: "files that this session changed, by its tools and its commands",
          rows: changes.map(rowOf),
          chosen,
          empty: "This session has changed no file.",
          foot: asks ? "Undo this? y puts it back as it was · any other key no" : (message ?? KEYS),
        },
        size,
      ),
    key: (state, { move, name }, size) => {
      const change = state.changes[state.chosen]
      if (state.asks) {
        if (name === "y" && change) undo(change)
        return { ...state, asks: false }
      }
      message = undefined
      if (move === "close") return "close"
      const step = stepOf(move, listRoom(size))
      if (step !== undefined)
        return { ...state, chosen: within(state.chosen + step, Math.max(0, state.changes.length - 1)) }
      if (change === undefined) return state
      if (move === "open") terminal.show(filePage(terminal, change))
      if (name === "y" || name === "Y") message = terminal.copy(change.diff ?? "")
      return name === "u" ? { ...state, asks: change.state !== "as-it-was" } : { ...state }
    },
    renew: (state) => {
      const isFresh = terminal.workplace.now() - readAt < READ_AGAIN_AFTER
      if (isFresh && state.changes === stored.value) return state
      const next = isFresh ? shown(state.chosen, stored.value) : read(state.chosen)
      return { ...next, asks: state.asks }
    },
  }
  return pageOf(kind, read(0))
}

/** Milliseconds: every file is read for it. */
const READ_AGAIN_AFTER = 1_000

const KEYS = "↑↓ choose · Enter the diff · u undo · y copy the diff · Esc back"

async function changesOf({ talk, workplace }: TerminalContext): Promise<readonly FileChange[]> {
  const { session } = talk()
  const store = workplace.store()
  const subagents = (await store.list()).filter(
    ({ parent, damaged }) => parent === session.id && damaged === undefined,
  )
  const logs = await Promise.all(subagents.map(({ id }) => store.load(id)))
  return workplace.fileChanges([session.log, ...logs])
}

function rowOf({ file, state, isNew, diff }: FileChange) {
  const { added, removed } = sizeOf(diff ?? "")
  const size = diff === undefined ? "no text" : `+${added} −${removed}`
  const detail: Readonly<Record<FileChange["state"], string>> = {
    changed: isNew ? `new, ${size}` : size,
    "as-it-was": isNew ? "it is not there, as before" : "it is as it was before",
    touched: `${size}, somebody else has changed it too`,
    deleted: "it was deleted since",
  }
  const mark: ScreenLine = [
    state === "as-it-was"
      ? span("  ")
      : state === "changed"
        ? span("± ", { colour: "added" })
        : span("! ", { colour: "attention" }),
  ]
  return { mark, label: file.path, detail: detail[state] }
}

function filePage(terminal: TerminalContext, { file, diff }: FileChange): ScreenPage {
  return textPage({
    title: (): ScreenLine => [
      span(visible(file.path), { bold: true }),
      span("  from before this session to now", { dim: true }),
    ],
    lines: (width) =>
      diff === undefined
        ? lines("What was there before or what is there now is no text, or was too long to keep.")
        : isDiff(diff)
          ? diffLines(diff, { width, highlight: terminal.highlight, path: file.path })
          : wrap([span("Nothing differs.", { dim: true })], width),
    keys: "y copy · ",
    onKey: ({ name }) => {
      if (name === "y") terminal.copy(diff ?? "")
      return undefined
    },
  })
}

async function undone({ workplace }: TerminalContext, { file }: FileChange): Promise<string> {
  try {
    const [left] = await workplace.undoFiles([file])
    return left === undefined
      ? `${file.path} is as it was before. The model is told at the next step.`
      : `${file.path} was left as it is: ${left.why}.`
  } catch (error) {
    return `${file.path} was left as it is: ${reasonOf(error)}`
  }
}
