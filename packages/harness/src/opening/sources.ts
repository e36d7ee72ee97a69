import { diagnostics } from "../diagnostics/source.js"
import { files } from "../files/source.js"
import { mcp } from "../mcp/source.js"
import { memory } from "../memory/source.js"
import { plans } from "../plans/plans.js"
import { promptFacts } from "../prompt/source.js"
import { skills } from "../skills/source.js"
import { loops } from "../sources/loops.js"
import type { Source, SourceContext } from "../sources/source.js"
import { subagents } from "../subagents/source.js"
import type { Workplace } from "./workplace.js"

/** Everything that feeds the engine, in the order in which it is asked. */
export function openSources(context: SourceContext, workplace: Workplace): readonly Source[] {
  return [
    promptFacts(context, workplace),
    plans(context, workplace.now),
    ...files(context, workplace),
    skills(context, workplace.skills, workplace.place),
    subagents(context, workplace.agents),
    memory(context, workplace.memories),
    loops(context.session),
    diagnostics(context, workplace),
    mcp(context, workplace),
  ]
}
