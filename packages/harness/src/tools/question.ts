import { QUESTION } from "./definitions.js"
import type { Questions } from "./events/questions.js"
import type { Tool } from "./tool.js"

/** Asks the user. */
export function questionTool(questions: Pick<Questions, "ask">): Tool {
  return {
    definition: QUESTION,
    changes: false,
    access: async () => [{ permission: "question", target: "*" }],
    run: async ({ question, options }, { abort }) => {
      const choices = Array.isArray(options) ? { options: options.map(String) } : {}
      const answer = await questions.ask({ kind: "question", question: String(question), ...choices }, abort)
      return answer === undefined
        ? {
            content: "Nobody is there to answer. Go on with what seems best, and say what you assumed.",
            error: true,
          }
        : { content: `The user answered: ${answer}` }
    },
  }
}
