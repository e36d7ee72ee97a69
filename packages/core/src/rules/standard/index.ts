import type { Rule } from "../rule.js"
import { editedTextFile } from "./files.js"
import { buildSwitch, maxSteps } from "./mode.js"
import { dateChange, environmentChange, instructionsChange, skillListing, systemChange } from "./pinned.js"
import { criticalSystemReminder, interrupted, todoReminder } from "./work.js"

/** The rules every session starts with. Each kind has one owner, so that nothing is announced twice. */
export function standardRules(): readonly Rule[] {
  return [
    buildSwitch,
    maxSteps,
    criticalSystemReminder,
    interrupted,
    editedTextFile,
    instructionsChange,
    systemChange,
    dateChange,
    environmentChange,
    skillListing,
    todoReminder,
  ]
}
