import type { StandardKind } from "../kinds.js"
import type { Rule } from "../rule.js"
import { listing, withTool } from "./list-rule.js"
import type { CheckedNames } from "./names.js"

/** The system prompt lists the subagents this agent may call; what changes in the list is told as a difference. */
export const agentListing = ({ task }: CheckedNames): Rule<StandardKind> =>
  listing({
    kind: "agent_listing",
    fact: "agents",
    first: `Subagents you can call${withTool(task)}:`,
    changed: "The subagents you can call changed (+ added, - removed):",
    gone: "There are no subagents to call any more.",
  })
