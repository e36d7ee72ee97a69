import { diagnostics } from "../diagnostics/source.js"
import { files } from "../files/source.js"
import { plans } from "../plans/plans.js"
import { mcp } from "../mcp/source.js"
import { memory } from "../memory/source.js"
import { loops } from "../sources/loops.js"
import { skills } from "../skills/source.js"
import type { Source, Stage } from "../sources/source.js"
import { subagents } from "../subagents/source.js"
import { surroundings } from "../prompt/source.js"

/** Everything that feeds the engine, in the order in which it is asked. */
export function openSources(stage: Stage): readonly Source[] {
  return [
    surroundings(stage),
    plans(stage),
    ...files(stage),
    skills(stage),
    subagents(stage),
    memory(stage),
    loops(stage.session),
    diagnostics(stage),
    mcp(stage),
  ]
}
