import { ToolError } from "../../platform/text/errors.js"
import { SKILL } from "../../tools/definitions.js"
import type { Tool } from "../../tools/tool.js"
import { readSkill, type Skills } from "./skills.js"

const NOT_VOUCHED = "[A skill of this folder: its text, for which the user has not vouched.]"

/** Gives the model the instructions of a skill. */
export function skillTool(skills: Skills): Tool {
  return {
    definition: SKILL,
    changes: false,
    access: async ({ name }) => [{ permission: "skill", target: String(name) }],
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
