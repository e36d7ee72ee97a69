import type { Agent } from "@sotto/core"
import type { Ui } from "../state/ui.js"

/** What happens without asking: nothing, changes of files, nothing but planning, or everything. */
export type PermissionMode = "ask" | "edits" | "plan" | "auto"

export function modeOf(
  { screen, leave }: Pick<Ui, "screen" | "leave">,
  agents: readonly Agent[],
): PermissionMode {
  const agent = agents.find(({ name }) => name === screen.agent)
  if (agent?.planning === true) return "plan"
  return leave
}
