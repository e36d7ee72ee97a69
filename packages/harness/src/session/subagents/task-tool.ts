import { TASK } from "../../tools/definitions.js"
import type { Tool } from "../../tools/tool.js"
import type { Parent } from "./child.js"
import { delegateTo } from "./delegate.js"

/** Has a subagent do something: its report, or, in the background, its id at once. */
export function taskTool(parent: Parent): Tool {
  return {
    definition: TASK,
    changes: false,
    access: async ({ agent }) => [{ permission: "task", target: String(agent) }],
    run: ({ agent, prompt, background, name }, context) => {
      const work = { agent: String(agent), prompt: String(prompt), background: background === true }
      return delegateTo(parent, name === undefined ? work : { ...work, name: String(name) }, context)
    },
  }
}
