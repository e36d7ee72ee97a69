import { LAST_STEP } from "../segments/reminders/shapes.js"
import type { Segment } from "../segments/segment.js"
import type { Snapshot } from "../segments/snapshot.js"

/** What each API calls the choice of tools. */
export const TOOL_CHOICE: readonly string[] = ["tool_choice", "toolConfig"]

/**
 * True if a call forbids tools and says why: the turn has no steps left. A harness does that on purpose, for one call, and
 * the cache of the calls before it is still there for the next turn.
 */
export function isLastOfTurn({ sections }: Snapshot): boolean {
  const choice = sections.parameters.find(({ path }) => TOOL_CHOICE.includes(path))
  return choice !== undefined && forbidsTools(choice) && newest(sections.messages).some(saysLast)
}

function forbidsTools({ value }: Segment): boolean {
  return /"none"/i.test(JSON.stringify(value))
}

/** What stands behind the last reply. */
function newest(messages: readonly Segment[]): readonly Segment[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === "assistant" || role === "model") + 1)
}

/** One reminder may say several things, so its kind does not tell. */
function saysLast({ reminders }: Segment): boolean {
  return reminders.some(({ text }) => LAST_STEP.test(text))
}
