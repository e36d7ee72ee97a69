import type { Session } from "@sotto/core"
import type { Tasks } from "../tools/tasks/tasks.js"
import { tellProgress } from "../tools/tasks/tell.js"
import type { Source } from "./source.js"

/** Tells the model after a compaction how far the running tasks are. */
export function taskProgress(tasks: Tasks, session: Session): Source {
  return {
    name: "background tasks",
    compacted: () => {
      for (const { id, state } of tasks.list()) if (state === "running") tellProgress(tasks, session, id)
    },
  }
}
