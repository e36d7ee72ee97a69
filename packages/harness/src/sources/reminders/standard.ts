import { type Rule, standardRules } from "@sotto/core"
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
import { typedCommand } from "./typed-command.js"

/** The engine's own rules, with the names that Sotto's tools have, and those of Sotto itself. */
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
