/** What the harness writes where the conversation needs words and has none. */
export const MARKERS = {
  emptyReply: "[no reply]",
  interruptedReply: "[interrupted before the reply was finished]",
  closedTurn: "[the turn was stopped here]",
  endedTurn: "[the turn ended here]",
  compactedTurn: "[the conversation was compacted here]",
  thriftyTurn: "[old tool results were dropped here]",
  lastStep: "[the turn ended with its last step]",
  unansweredImport: "[no reply was recorded]",
  snipped: "[snipped]",
} as const

/** Outcomes of calls that the harness has to give because no tool did. */
export const OUTCOMES = {
  aborted: "Stopped by the user before it finished.",
  ended: "No result: the turn ended before one was recorded.",
  notRun: "Not run: the reply was interrupted before the call could be made.",
  refused: "Not run: no tools can be called on the last step of a turn.",
  unknown: "Interrupted, outcome unknown: the session stopped before the result was recorded.",
  running: "No result yet: this question is asked while the call runs.",
  noCalls: "Not run: no tools can be called while this question is answered. Answer it in words.",
  missing: "No result was recorded.",
} as const
