import { type Agent, removed } from "@sotto/core"
import { callableAgents } from "../../settings/agents/selection.js"
import type { Source, SourceContext } from "../../sources/source.js"

/** Lists the subagents that the agent may call, so that the model knows what each is for. */
export function subagents({ session, judge }: SourceContext, agents: readonly Agent[]): Source {
  const callable = callableAgents(agents)
  let listed = ""
  return {
    name: "subagents",
    collect: () => {
      const listable = callable
        .filter(({ name }) => judge({ permission: "task", target: name }) !== "deny")
        .map(({ name, description = "" }) => ({ name, description }))
      const now = JSON.stringify(listable)
      if (now === listed) return
      listed = now
      if (listable.length > 0) session.observe("agents", listable)
      else if (session.fact("agents") !== undefined) session.observe("agents", removed())
    },
  }
}
