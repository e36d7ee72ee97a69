import { removed } from "@sotto/core"
import { callableAgents } from "../agents/selection.js"
import type { Source, Stage } from "../sources/source.js"

/** The subagents that the agent may call, so that the model knows what each is for. */
export function subagents({ workplace, session, judge }: Stage): Source {
  const callable = callableAgents(workplace.agents)
  let listed = ""
  return {
    name: "subagents",
    collect: () => {
      const agents = callable
        .filter(({ name }) => judge({ permission: "task", target: name }) !== "deny")
        .map(({ name, description = "" }) => ({ name, description }))
      const now = JSON.stringify(agents)
      if (now === listed) return
      listed = now
      if (agents.length > 0) session.observe("agents", agents)
      else if (session.fact("agents") !== undefined) session.observe("agents", removed())
    },
  }
}
