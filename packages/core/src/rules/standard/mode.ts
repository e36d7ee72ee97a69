import { type Agent, isReadOnly } from "../../agent/agent.js"
import { inline } from "../../reminder/reminder.js"
import { defineRule } from "../rule.js"

/**
 * The agent differs from the one the model was last told of, or, untold, the one that last answered. Going by who
 * answered alone would miss a switch that was told in a request that was then aborted.
 */
export const buildSwitch = defineRule({
  kind: "build_switch",
  priority: 90,
  exempt: true,
  afterCompaction: "keep",
  decide: ({ agent, answeredBy, memo }) => {
    const told = (memo() as string | undefined) ?? answeredBy?.name
    if (told === agent.name) return []
    if (told === undefined) return [{ memo: agent.name }]
    return [{ memo: agent.name, forms: [{ line: switched(told, agent) }], values: { from: told, to: agent.name } }]
  },
})

function switched(from: string, agent: Agent): string {
  const change = `The mode changed from ${inline(from)} to ${inline(agent.name)}.`
  if (isReadOnly(agent)) return `${change} Files may be read but not changed until the mode changes again.`
  const allowed = "Changing files and running commands is allowed, as far as the permissions go."
  const plan = from === "plan" ? " Carry out the plan that was made, and report progress as you go." : ""
  return `${change} ${allowed}${plan}`
}

export const maxSteps = defineRule({
  kind: "max_steps",
  priority: 100,
  exempt: true,
  decide: ({ last }) =>
    last
      ? [
          {
            forms: [
              {
                line: "This is the last step of the turn: no tools can be called now. Say what was done and what remains.",
              },
            ],
          },
        ]
      : [],
})
