import type { Agent, Session } from "@sotto/core"
import { PLANS } from "../../execution/permissions/plan-rules.js"
import { ToolError } from "../../platform/text/errors.js"
import { PLAN_EXIT } from "../../tools/definitions.js"
import { type Approval, planApproval } from "../../tools/events/answers.js"
import type { Questions } from "../../tools/events/questions.js"
import type { Tool } from "../../tools/tool.js"
import { agentAfterPlan, planToApprove } from "./plans.js"

interface PlanExit {
  readonly session: Session
  readonly questions: Pick<Questions, "ask">
  readonly agents: readonly Agent[]
  switchAgent(name: string): void
  /** Has edits asked about or accepted from now on, as the approval says. */
  applyApproval(approval: Approval): void
}

/** Shows the plan to the user. If the user approves it, the agent that carries it out takes over. */
export function planExitTool({ session, questions, agents, switchAgent, applyApproval }: PlanExit): Tool {
  return {
    definition: PLAN_EXIT,
    changes: true,
    access: async () => [{ permission: "plan_exit", target: "*" }],
    run: async (_, { abort, cwd }) => {
      const plan = await planToApprove(session, cwd)
      if (plan === undefined)
        throw new ToolError(`There is no plan yet. Write it to ${PLANS}/NAME.md, then call plan_exit again.`)
      const next = agentAfterPlan(session, agents)
      if (next === undefined)
        throw new ToolError("There is no agent that could carry out the plan: every one of them plans.")
      const answer = await questions.ask({ kind: "plan", ...plan }, abort)
      if (answer === undefined)
        return { content: "No user is connected to approve the plan. Stop here.", error: true }
      const approval = planApproval(answer)
      if (approval === undefined) return { content: `The user did not approve the plan yet: ${answer}` }
      applyApproval(approval)
      switchAgent(next)
      return { content: "The user approved the plan." }
    },
  }
}
