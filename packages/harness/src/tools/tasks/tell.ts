import { dynamic, type Origin, removed, type SayOptions, type Session } from "@sotto/core"
import { groupLives } from "../../execution/programs/command.js"
import type { Task } from "./task.js"
import type { Tasks } from "./tasks.js"

type Say = (text: string, options: SayOptions) => void

/** A task as the session knows it while it runs. */
type Known = Pick<Task, "id" | "kind" | "description" | "output" | "run" | "pid">

/** Keeps a session told of its tasks: facts while they run, a message when one ends, a signal when one is stopped. */
export function tellOfTasks(tasks: Tasks, session: Session, say: Say): void {
  tasks.countOn(session.facts("task").map(([key]) => key))
  tasks.onChange((task, report, by) => {
    const key = `task:${task.id}` as const
    if (task.state === "running") return session.observe(key, known(task))
    // The message first: should the program end between the two, it is told what came of it and nothing else.
    if (report !== undefined) say(report, { id: endingOf(task), origin: originOf(task) })
    session.observe(key, removed())
    if (task.state === "stopped")
      session.note({ type: "task.stopped", ...reportOf(task, tasks.news(task.id)), ...(by && { by }) })
  })
}

function originOf({ kind, state }: Task): Origin {
  return { kind: "task-notification", task: kind, ...(state === "failed" && { failed: true }) }
}

/** Has the model told what is new of a task, because a person wants it to know. False if the task does not exist. */
export function tellProgress(tasks: Tasks, session: Session, name: string): boolean {
  const task = tasks.find(name)
  if (task === undefined) return false
  session.note({ type: "task.progress", ...reportOf(task, tasks.news(task.id)) })
  return true
}

/** Tells once that what ran when its program ended runs no more, or at least unwatched. */
export function tellOfLostTasks(session: Session): void {
  for (const [key, task] of runningIn(session)) {
    session.observe(dynamic(key), removed())
    if (session.receipt(endingOf(task)) !== undefined) continue
    const lives = task.pid !== undefined && groupLives(task.pid)
    const news = lives
      ? `The program that ran it ended. Its processes may still run, and nothing more is told of them: the user can end them with kill -- -${task.pid}`
      : "It ended with the program that ran it."
    session.note({ type: "task.stopped", ...reportOf(task, news) })
  }
}

function runningIn(session: Session): ReadonlyMap<string, Known> {
  return new Map(
    session
      .facts("task")
      .flatMap(([key, fact]): [string, Known][] =>
        fact.is === "known" && isKnown(fact.value) ? [[key, fact.value]] : [],
      ),
  )
}

/** Checks a fact, because a log may come from another program: any other value tells of no task. */
function isKnown(value: unknown): value is Known {
  if (typeof value !== "object" || value === null) return false
  const { id, kind, description, output, pid = 0 } = value as Readonly<Record<string, unknown>>
  return [id, kind, description, output].every((one) => typeof one === "string") && Number.isSafeInteger(pid)
}

function known({ id, kind, description, output, run, pid }: Task): Known {
  return { id, kind, description, output, run, ...(pid !== undefined && { pid }) }
}

function reportOf({ id, kind, description, output }: Known, news: string) {
  return { id, kind, description, output, ...(news !== "" && { news }) }
}

/** Makes the id of the message that tells the end: the same end is not told twice. */
function endingOf({ id, run }: Known): string {
  return `${id}-ended-${run}`
}
