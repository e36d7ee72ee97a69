import type { Next } from "@sotto/core"
import type { Tool } from "../tools/tool.js"

type Tools = ReadonlyMap<string, Tool>

/** Whether what comes next is calls that change nothing: then nobody need look around before they are made. */
export function onlyLooks(next: Next, tools: Tools): boolean {
  return allAre(next, tools, ({ changes }) => !changes)
}

/**
 * Whether what comes next touches nothing and nobody, and is simply done again after a crash, as the reply that asks for
 * it is asked for again.
 */
export function mayBeRepeated(next: Next, tools: Tools): boolean {
  return allAre(next, tools, ({ changes, definition }) => !changes && definition.safeToRepeat === true)
}

function allAre(next: Next, tools: Tools, isOfKind: (tool: Tool) => boolean): boolean {
  if (next.is !== "waiting") return false
  return next.calls.every(({ name }) => {
    const tool = tools.get(name)
    return tool !== undefined && isOfKind(tool)
  })
}
