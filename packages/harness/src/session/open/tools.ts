import type { Session, ToolDefinition } from "@sotto/core"
import type { Grants } from "../../execution/permissions/gate.js"
import { proxySettings } from "../../platform/network/proxy-settings.js"
import type { Config } from "../../settings/load.js"
import { dispatcher } from "../../sources/mcp/tools.js"
import { planExitTool } from "../../sources/plans/tool.js"
import { skillTool } from "../../sources/skills/tool.js"
import {
  BASH,
  EDIT,
  FETCH,
  GLOB,
  GREP,
  MCP,
  MESSAGE,
  PLAN_EXIT,
  QUESTION,
  READ,
  SKILL,
  SNIP,
  TASK,
  TASK_CREATE,
  TASK_STATUS,
  TASK_UPDATE,
  TODO_WRITE,
  WEB_SEARCH,
  WRITE,
} from "../../tools/definitions.js"
import { questionTool } from "../../tools/question.js"
import { snipTool } from "../../tools/snip.js"
import { standardTools } from "../../tools/standard.js"
import { taskStatusTool } from "../../tools/task-status.js"
import type { Tool } from "../../tools/tool.js"
import type { Commands } from "../loop/commands.js"
import type { Parent } from "../subagents/child.js"
import { taskTool } from "../subagents/task-tool.js"
import type { Membership } from "../subagents/team.js"
import { teamTools } from "../subagents/team-tools.js"
import type { ProjectRuntime } from "./project-runtime.js"

const STANDARD = [READ, WRITE, EDIT, GLOB, GREP, BASH, FETCH, TODO_WRITE]
const AGENTS = [TASK, TASK_STATUS, TASK_CREATE, TASK_UPDATE, MESSAGE]
const CONVERSATION = [SKILL, QUESTION, PLAN_EXIT]

/**
 * Lists what the model is offered from the first request on. A session is opened with these before there are tools,
 * because tools act on the session. `assembleTools` makes one tool for each that the session runs, in the same order.
 */
export function toolDefinitions({
  config,
  mcp,
}: Pick<ProjectRuntime, "config" | "mcp">): readonly ToolDefinition[] {
  return [
    ...STANDARD,
    ...AGENTS,
    ...CONVERSATION,
    ...(config.snip ? [SNIP] : []),
    ...(mcp.names.length > 0 ? [MCP] : []),
    ...providedTools(config),
  ]
}

/** Lists the tools that the provider runs, where the user wants them. */
export function providedTools({ web }: Pick<Config, "web">): readonly ToolDefinition[] {
  return web?.search ? [WEB_SEARCH] : []
}

/** What the tools act on. */
interface ToolParts {
  readonly workplace: ProjectRuntime
  readonly session: Session
  readonly commands: Pick<Commands, "switchAgent" | "auto" | "setAuto">
  readonly grants: Grants
  readonly parent: Parent
  readonly membership: Membership | undefined
}

/** Makes the tools that a session always has. MCP servers may offer more. */
export function assembleTools({
  workplace,
  session,
  commands,
  grants,
  parent,
  membership,
}: ToolParts): readonly Tool[] {
  const { agents, config, skills, mcp } = workplace
  const { questions, tasks } = parent
  return [
    ...standardTools({
      tasks,
      web: () => ({
        proxies: proxySettings(workplace.env),
        privateHosts: config.web?.private ?? [],
        now: workplace.now,
      }),
    }),
    taskTool(parent),
    taskStatusTool(tasks),
    ...teamTools(membership),
    skillTool(skills),
    questionTool(questions),
    planExitTool({
      session,
      questions,
      agents,
      switchAgent: (name) => commands.switchAgent(name),
      applyApproval: ({ edits }) => {
        if (edits === "as before") return
        if (commands.auto) commands.setAuto(false)
        grants.asksAgain = true
        if (edits === "accept") grants.acceptEdits(true)
        else grants.askBeforeEdits()
      },
    }),
    ...(config.snip ? [snipTool(session)] : []),
    ...(mcp.names.length > 0 ? [dispatcher(mcp)] : []),
  ]
}
