import { diagnostics } from "../diagnostics/source.js"
import { files } from "../files/source.js"
import { plans } from "../loop/plans.js"
import { mcp } from "../mcp/source.js"
import { memory } from "../memory/source.js"
import { loops } from "./loops.js"
import { skills } from "./skills.js"
import type { Source, Stage } from "./source.js"
import { subagents } from "./subagents.js"
import { surroundings } from "./surroundings.js"

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
