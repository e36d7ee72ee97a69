import { diagnostics } from "../../sources/diagnostics/source.js"
import { files } from "../../sources/files/source.js"
import { loops } from "../../sources/loops.js"
import { mcp } from "../../sources/mcp/source.js"
import { memory } from "../../sources/memory/source.js"
import { plans } from "../../sources/plans/plans.js"
import { promptFacts } from "../../sources/prompt/source.js"
import { skills } from "../../sources/skills/source.js"
import type { Source, SourceContext } from "../../sources/source.js"
import { subagents } from "../subagents/source.js"
import type { ProjectRuntime } from "./project-runtime.js"

/** Opens everything that feeds the engine, in the order in which it is asked. */
export function openSources(context: SourceContext, workplace: ProjectRuntime): readonly Source[] {
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
