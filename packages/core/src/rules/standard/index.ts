import { SottoError } from "../../vocabulary/errors.js"
import type { StandardKind } from "../kinds.js"
import { queuedCommand } from "../queued-command.js"
import type { Rule } from "../rule.js"
import { agentListing } from "./agents.js"
import { openedFileInIde, selectedLinesInIde } from "./editor.js"
import { compactFileReference, diagnostics, editedTextFile } from "./files.js"
import { compactionReminder, contextEfficiency, maxSteps, tokenUsage } from "./limits.js"
import { taskReminder, todoReminder } from "./lists.js"
import { instructionsChange, nestedMemory, relevantMemories } from "./memory.js"
import { agentMention, directory, file, mcpResource, pdfReference } from "./mentions.js"
import {
  autoMode,
  autoModeExit,
  buildSwitch,
  outputStyle,
  planFileReference,
  planMode,
  planModeExit,
  planModeReentry,
} from "./mode.js"
import { type CheckedNames, namesOf, type ToolNames } from "./names.js"
import { dateChange, environmentChange, systemChange, toolsChange } from "./pinned.js"
import {
  asyncHookResponse,
  criticalSystemReminder,
  hookStoppedContinuation,
  interrupted,
  loopDetected,
  sessionResumed,
} from "./session.js"
import { invokedSkills, skillDiscovery, skillListing } from "./skills.js"
import { taskStatus, teamContext } from "./tasks.js"

/** What may be said about the standard rules. Every part has a default that claims nothing. */
export interface StandardRulesOptions {
  /** What the tools are called that the texts mention. What is not given is not mentioned. */
  readonly tools?: ToolNames
  /** The name of the program that speaks, for the paragraph that explains reminders. */
  readonly product?: string
  /** Only rules of these kinds. */
  readonly only?: readonly StandardKind[]
  /** All rules but those of these kinds. */
  readonly without?: readonly StandardKind[]
}

/**
 * Lists the rules that every session starts with. Each kind has one owner, so that nothing is announced twice.
 *
 *     standardRules({ tools: { todo_write: "TodoWrite", task: "Agent" }, product: "Ada", without: ["date_change"] })
 */
export function standardRules(options: StandardRulesOptions = {}): readonly Rule<StandardKind>[] {
  const { tools, product, only, without = [] } = options
  const all = rulesFor(namesOf(tools))
  const kinds = new Set(all.map(({ kind }) => kind))
  for (const kind of [...(only ?? []), ...without])
    if (!kinds.has(kind))
      throw new SottoError(
        "unknown-kind",
        `There is no standard rule of the kind "${kind}".`,
        `Use: ${[...kinds].join(", ")}.`,
      )
  const chosen = all.filter(({ kind }) => (only?.includes(kind) ?? true) && !without.includes(kind))
  // The rule of the inbox is known by its identity.
  return product === undefined
    ? chosen
    : chosen.map((rule) => (rule === queuedCommand ? rule : { ...rule, product }))
}

function rulesFor(names: CheckedNames): readonly Rule<StandardKind>[] {
  return [
    ...[file(names), pdfReference(names), compactFileReference, directory, mcpResource, agentMention(names)],
    ...[nestedMemory, instructionsChange, relevantMemories],
    ...[selectedLinesInIde, openedFileInIde, editedTextFile, diagnostics],
    ...[todoReminder(names), taskReminder(names), taskStatus, teamContext],
    ...[skillListing(names), invokedSkills, skillDiscovery(names), agentListing(names), outputStyle],
    ...[planMode(names), planModeReentry, planModeExit, planFileReference, buildSwitch],
    ...[autoMode, autoModeExit, maxSteps, contextEfficiency(names), compactionReminder, tokenUsage],
    ...[queuedCommand, criticalSystemReminder, interrupted, sessionResumed, loopDetected],
    ...[hookStoppedContinuation, asyncHookResponse],
    ...[dateChange, environmentChange, toolsChange, systemChange],
  ]
}
