import { reasonOf, type Task } from "@sotto/harness"
import type { TerminalContext } from "../context.js"
import { lines, type ScreenLine, span, wrap } from "../text/line.js"
import { clean, visible } from "../text/width.js"
import { duration } from "../view/look.js"
import { listFrame, listRoom, stepOf, within } from "./list.js"
import { type PageKind, pageOf, type ScreenPage } from "./page.js"
import { endOfFile, textPage } from "./text-page.js"

interface State {
  readonly tasks: readonly Task[]
  readonly chosen: number
}

/** Shows what runs and ran in the background. Its output comes first; stopping it is a second thought. */
export function tasksPage(terminal: TerminalContext): ScreenPage {
  const read = (chosen = 0): State => {
    const tasks = terminal.talk().tasks.list().toReversed()
    return { tasks, chosen: within(chosen, Math.max(0, tasks.length - 1)) }
  }
  const kind: PageKind<State> = {
    name: "tasks",
    view: ({ tasks, chosen }, size) =>
      listFrame(
        {
          title: "Tasks",
          about: "what works in the background",
          rows: tasks.map((task) => rowOf(task, terminal.workplace.now())),
          chosen,
          empty: "Nothing has run in the background in this session.",
          foot: "↑↓ choose · Enter its output · Esc back",
        },
        size,
      ),
    key: (state, { move }, size) => {
      if (move === "close") return "close"
      const step = stepOf(move, listRoom(size))
      if (step !== undefined) return read(state.chosen + step)
      const task = state.tasks[state.chosen]
      if (move === "open" && task) terminal.show(outputPage(terminal, task.id))
      return state
    },
    renew: ({ chosen }) => read(chosen),
  }
  return pageOf(kind, read())
}

function rowOf({ id, kind, description, state, started }: Task, now: number) {
  const mark: ScreenLine =
    state === "running"
      ? [span("▶ ", { colour: "attention" })]
      : state === "finished"
        ? [span("✓ ", { colour: "success" })]
        : [span("✗ ", { colour: "error" })]
  const time = state === "running" ? `, ${duration((now - started) / 1000)}` : ""
  return { mark, label: description, detail: `${kind} ${id}, ${state}${time}` }
}

function outputPage(terminal: TerminalContext, id: string): ScreenPage {
  let asks = false
  const task = () =>
    terminal
      .talk()
      .tasks.list()
      .find((one) => one.id === id)
  const stop = () =>
    terminal
      .talk()
      .tasks.stop(id)
      .then(
        (stopped) => terminal.hint(stopped ? `${id} is stopped` : `${id} was over already`),
        (error: unknown) => terminal.say(reasonOf(error), "error"),
      )
  return textPage({
    title: (): ScreenLine => {
      const { kind = "command", description = id, state = "finished" } = task() ?? {}
      const end = asks
        ? span(` Stop it? y stops it`, { colour: "attention" })
        : span(` (${kind}, ${state})`, { dim: true })
      return [span(visible(description), { bold: true }), end]
    },
    lines: (width) => outputLines(task(), width),
    follows: true,
    keys: "s stop · ",
    onKey: ({ name }) => {
      if (asks && name === "y") void stop()
      asks = name === "s" && task()?.state === "running"
      return undefined
    },
  })
}

function outputLines(task: Task | undefined, width: number): readonly ScreenLine[] {
  if (task === undefined) return []
  const text = endOfFile(task.output)
  const body = text === "" ? [[span("It has printed nothing yet.", { dim: true })]] : lines(clean(text))
  const where: ScreenLine = [span(`All of it is in ${visible(task.output)}`, { dim: true })]
  return [where, ...body].flatMap((row) => wrap(row, width, { anywhere: true }))
}
