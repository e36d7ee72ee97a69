import { ToolError } from "../platform/text/errors.js"
import { TASK_STATUS } from "./definitions.js"
import type { Task } from "./tasks/task.js"
import type { Tasks } from "./tasks/tasks.js"
import type { Output, Tool } from "./tool.js"

type StatusInput = { readonly id?: string; readonly stop?: boolean }

/** Makes the tool with which the model looks after what it started in the background. */
export function taskStatusTool(tasks: Tasks): Tool<StatusInput> {
  return {
    definition: TASK_STATUS,
    changes: true,

    // An agent that may start a command may end it; ending another agent needs a permission of its own.
    async access({ id, stop }) {
      const task = stop === true ? named(id, tasks) : undefined
      return task?.kind === "agent" ? [{ permission: "task", target: task.who ?? task.id }] : []
    },

    async run({ id, stop = false }): Promise<Output> {
      if (stop) return ended(named(id, tasks), tasks)
      if (id !== undefined) return { content: statusOf(named(id, tasks), tasks) }
      const all = tasks.list()
      return { content: all.length === 0 ? "There are no background tasks." : all.map(line).join("\n") }
    },
  }
}

/** Stops a task. What it had printed comes with the reminder that it was stopped. */
async function ended(task: Task, tasks: Tasks): Promise<Output> {
  const stopped = await tasks.stop(task.id, "you")
  if (stopped) return { content: `${task.id} is stopped.` }
  return { content: `${task.id} was over already: ${task.state}.`, error: true }
}

function statusOf(task: Task, tasks: Tasks): string {
  const news = tasks.news(task.id)
  const what =
    news === "" ? "Nothing new since you were last told." : `New since you were last told:\n${news}`
  return `${line(task)}\nIts output is in ${task.output}.\n${what}`
}

function line({ id, kind, description, state }: Task): string {
  return `${id} (${kind}, ${state}): ${description}`
}

function named(id: string | undefined, tasks: Tasks): Task {
  const task = id === undefined ? undefined : tasks.find(id)
  if (task !== undefined) return task
  const ids = tasks.list().map((one) => one.id)
  const known = ids.length === 0 ? "There are none." : `There are: ${ids.join(", ")}.`
  throw new ToolError(
    id === undefined ? `Say which task to stop, by \`id\`. ${known}` : `There is no task "${id}". ${known}`,
  )
}
