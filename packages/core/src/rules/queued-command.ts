import { QUEUED_COMMAND } from "../inbox/frame.js"
import { defineRule } from "./rule.js"

/** The inbox speaks for this kind, at every boundary where it delivers; here are its place and its settings. */
export const queuedCommand = defineRule({
  kind: QUEUED_COMMAND,
  priority: 120,
  exempt: true,
  decide: () => [],
})
