import type { Session } from "@sotto/core"
import type { Task } from "./task.js"
import type { TaskListener, Tasks } from "./tasks.js"
import { tellProgress } from "./tell.js"

/** Background tasks in the hands of a person. Tasks go by their id, members of a team by their name too. */
export interface TaskControl {
  list(): readonly Task[]
  /** False if the task does not exist, or is over already. The model is told. */
  stop(id: string): Promise<boolean>
  /** Has the model told what is new; false if the task does not exist. */
  progress(id: string): boolean
  /** Returns the way to stop listening. */
  onChange(listener: TaskListener): () => void
  /** Agents that work in the background now. */
  atWork(): readonly string[]
}

export function controlOf(tasks: Tasks, session: Session): TaskControl {
  return {
    list: () => tasks.list(),
    stop: async (id) => tasks.stop(tasks.find(id)?.id ?? id, "the user"),
    progress: (id) => tellProgress(tasks, session, id),
    onChange: (listener) => tasks.onChange(listener),
    atWork: () => tasks.atWork(),
  }
}
