import type { StandardKind } from "../kinds.js"
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
import { dateChange, environmentChange, systemChange, toolsChange } from "./pinned.js"
import {
  asyncHookResponse,
  criticalSystemReminder,
  hookStoppedContinuation,
  interrupted,
  loopDetected,
  queuedCommand,
  sessionResumed,
} from "./session.js"
import { invokedSkills, skillDiscovery, skillListing } from "./skills.js"
import { taskStatus, teamContext } from "./tasks.js"

/** The rules every session starts with. Each kind has one owner, so that nothing is announced twice. */
export function standardRules(): readonly Rule<StandardKind>[] {
  return [
    ...[file, pdfReference, compactFileReference, directory, mcpResource, agentMention],
    ...[nestedMemory, instructionsChange, relevantMemories],
    ...[selectedLinesInIde, openedFileInIde, editedTextFile, diagnostics],
    ...[todoReminder, taskReminder, taskStatus, teamContext],
    ...[skillListing, invokedSkills, skillDiscovery, agentListing, outputStyle],
    ...[planMode, planModeReentry, planModeExit, planFileReference, buildSwitch, autoMode, autoModeExit],
    ...[maxSteps, contextEfficiency, compactionReminder, tokenUsage],
    ...[queuedCommand, criticalSystemReminder, interrupted, sessionResumed, loopDetected],
    ...[hookStoppedContinuation, asyncHookResponse],
    ...[dateChange, environmentChange, toolsChange, systemChange],
  ]
}
