import type { Agent, Session } from "@sotto/core"
import type { Access } from "../permissions/access.js"
import { readSkill, type Skills } from "../skills/skills.js"
import type { Tasks } from "../tasks/tasks.js"
import { taskStatusTool } from "../tools/task-status.js"
import type { Seat } from "../subagents/team.js"
import { teamTools } from "../subagents/team-tools.js"
import { PLAN_EXIT, QUESTION, SKILL, SNIP, TASK } from "../tools/definitions.js"
import { type Output, type Tool, type ToolContext, ToolError } from "../tools/tool.js"
import { approvesPlan } from "../events/answers.js"
import type { Asking } from "../events/questions.js"
import { agentAfterPlan, PLANS, planToApprove } from "../plans/plans.js"
import type { Assignment } from "../subagents/delegate.js"

/** What the tools that act on the conversation itself need of it. */
export interface Surroundings {
  readonly session: () => Session
  readonly desk: Asking
  readonly skills: Skills
  readonly agents: readonly Agent[]
  switchAgent(name: string): void
  readonly tasks: Tasks
  /** Its place in a team, if it can have one. */
  readonly seat: () => Seat | undefined
  /** Has a subagent do something: its report, or, in the background, its id at once. */
  delegate(work: Assignment, context: ToolContext): Promise<Output>
}

/** Tools that act on the conversation and not on files. */
export function ownTools(around: Surroundings, snip: boolean): readonly Tool[] {
  return [
    task(around),
    taskStatusTool(around.tasks),
    ...teamTools(around.seat),
    skill(around),
    question(around),
    planExit(around),
    ...(snip ? [snipTool(around)] : []),
  ]
}

function task({ delegate }: Surroundings): Tool {
  return {
    definition: TASK,
    changes: false,
    access: async ({ agent }) => [named("task", String(agent))],
    run: ({ agent, prompt, background, name }, context) => {
      const work = { agent: String(agent), prompt: String(prompt), background: background === true }
      return delegate(name === undefined ? work : { ...work, name: String(name) }, context)
    },
  }
}

const NOT_VOUCHED = "[A skill of this folder: its text, for which the user has not vouched.]"

function skill({ skills }: Surroundings): Tool {
  return {
    definition: SKILL,
    changes: false,
    access: async ({ name }) => [named("skill", String(name))],
    run: async ({ name }, { observe }) => {
      const found = await readSkill(skills, String(name))
      if (found === undefined) {
        const names = skills.skills.map((one) => one.name).join(", ")
        throw new ToolError(
          `There is no skill "${String(name)}". ${names === "" ? "There are none." : `There are: ${names}.`}`,
        )
      }
      observe(`invoked:${found.name}`, found)
      return { content: found.untrusted ? `${NOT_VOUCHED}\n${found.content}` : found.content }
    },
  }
}

function question({ desk }: Surroundings): Tool {
  return {
    definition: QUESTION,
    changes: false,
    access: async () => [named("question", "*")],
    run: async ({ question, options }, { abort }) => {
      const choices = Array.isArray(options) ? { options: options.map(String) } : {}
      const answer = await desk.ask({ kind: "question", question: String(question), ...choices }, abort)
      return answer === undefined
        ? {
            content: "Nobody is there to answer. Go on with what seems best, and say what you assumed.",
            error: true,
          }
        : { content: `The user answered: ${answer}` }
    },
  }
}

function planExit({ desk, session, agents, switchAgent }: Surroundings): Tool {
  return {
    definition: PLAN_EXIT,
    changes: true,
    access: async () => [named("plan_exit", "*")],
    run: async (_, { abort, cwd }) => {
      const plan = await planToApprove(session(), cwd)
      if (plan === undefined)
        throw new ToolError(`There is no plan yet. Write it to ${PLANS}/NAME.md, then call plan_exit again.`)
      const next = agentAfterPlan(session(), agents)
      if (next === undefined)
        throw new ToolError("There is no agent that could carry out the plan: every one of them plans.")
      const answer = await desk.ask({ kind: "plan", ...plan }, abort)
      if (answer === undefined)
        return { content: "Nobody is there to approve the plan. Stop here.", error: true }
      if (!approvesPlan(answer)) return { content: `The user did not approve the plan yet: ${answer}` }
      switchAgent(next)
      return { content: "The user approved the plan." }
    },
  }
}

function snipTool({ session }: Surroundings): Tool {
  return {
    definition: SNIP,
    changes: true,
    access: async () => [named("snip", "*")],
    run: async ({ ids }) => {
      const { removed, refused } = session().snip(Array.isArray(ids) ? ids.map(String) : [])
      const parts = [
        removed.length > 0 ? `Dropped: ${removed.join(", ")}.` : "Nothing was dropped.",
        refused.length > 0 ? `Not to be dropped: ${refused.join(", ")}.` : "",
      ]
      return { content: parts.filter((part) => part !== "").join(" ") }
    },
  }
}

function named(permission: string, target: string): Access {
  return { permission, target }
}
