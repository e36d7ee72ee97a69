import type { Access } from "../../execution/permissions/access.js"
import type { CallVerdict } from "../../execution/permissions/verdict.js"
import { BASH, EDIT, TASK, WRITE } from "../../tools/definitions.js"
import type { Tool } from "../../tools/tool.js"
import type { CallReach } from "./steps.js"

/** Says what a call may do to files. `hooked`: hooks run programs of the user before or after it. */
export function reachOf(
  tool: Tool,
  accesses: readonly Access[],
  { inside }: Pick<CallVerdict, "inside">,
  hooked: boolean,
): CallReach {
  const { name } = tool.definition
  if (name === TASK.name) return "children"
  if (!tool.changes) return "nothing"
  if (hooked) return "anything"
  if (name === EDIT.name || name === WRITE.name) return "named"
  if (name === BASH.name) return onlyReads(accesses) || inside?.reach === "read-only" ? "nothing" : "anything"
  // Of another program's tools, only that program knows what they do.
  return accesses.some(({ permission, effect }) => permission === "mcp" && effect !== "read")
    ? "anything"
    : "nothing"
}

function onlyReads(accesses: readonly Access[]): boolean {
  return accesses.every(
    ({ permission, effect }) =>
      !["edit", "unconfined"].includes(permission) && (permission !== "bash" || effect === "read"),
  )
}

/** Lists the files that a call says it will change. */
export function filesNamed(accesses: readonly Access[]): readonly string[] {
  return accesses.flatMap(({ permission, target, exact }) =>
    permission === "edit" && exact !== false ? [target] : [],
  )
}
