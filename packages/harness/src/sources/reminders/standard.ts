import { inline, onSignal, type Rule, standardRules } from "@sotto/core"
import {
  BASH,
  EDIT,
  GLOB,
  GREP,
  PLAN_EXIT,
  QUESTION,
  READ,
  SKILL,
  SNIP,
  TASK,
  TASK_CREATE,
  TASK_UPDATE,
  TODO_WRITE,
  WRITE,
} from "../../tools/definitions.js"

declare module "@sotto/core" {
  interface CustomSignals {
    /** The user ran a command in the shell themselves. */
    "command.typed": { readonly command: string; readonly output: string; readonly failed: boolean }
  }
}

/** What the user ran with `!command`: the model sees it with the next message. What it printed is data. */
const typedCommand: Rule = onSignal({
  kind: "typed_command",
  signal: "command.typed",
  priority: 78,
  trust: "untrusted",
  // The user wants it to be seen, like a file that they mention. It is bounded where it is run.
  exempt: true,
  key: (signal) => JSON.stringify([signal.command, signal.output]),
  say: ([signal]) => {
    const { command, output, failed } = signal
    const ended = failed === true ? "It did not succeed." : "It succeeded."
    return [
      {
        line: `The user ran a command in the shell themselves: ${inline(String(command))}. ${ended} What it printed:`,
        body: { text: String(output), source: `output of ${inline(String(command))}`, trust: "untrusted" },
      },
    ]
  },
})

/** Lists the engine's own rules, with the names that Sotto's tools have, and those of Sotto itself. */
export function sottoRules(): readonly Rule[] {
  return [...engineRules(), typedCommand]
}

function engineRules(): readonly Rule[] {
  return standardRules({
    product: "Sotto",
    tools: {
      read: { name: READ.name, path: "path", offset: "offset", limit: "limit", pages: "pages" },
      glob: GLOB.name,
      grep: GREP.name,
      bash: BASH.name,
      write: WRITE.name,
      edit: EDIT.name,
      todo_write: TODO_WRITE.name,
      task_create: TASK_CREATE.name,
      task_update: TASK_UPDATE.name,
      task: TASK.name,
      skill: SKILL.name,
      question: QUESTION.name,
      plan_exit: PLAN_EXIT.name,
      snip: SNIP.name,
      explore: "explore",
      design: "general",
    },
  })
}
